package git

import (
	"errors"
	"os"
	"slices"
	"syscall"
)

// owned tells whether git would work here without being told that it is safe:
// what it looks at is the user's own. It would read configurations that start
// programs, which we do not; but where it refuses, people should hear why.
func (r *Repo) owned() error {
	top, err := statOf(r.local.top)
	if err != nil {
		return err
	}
	here, err := statOf(r.Dir)
	if err != nil {
		return err
	}
	if here.Dev != top.Dev {
		return errors.New("git does not look for a repository across file systems")
	}
	if int(top.Uid) != os.Geteuid() {
		return errNotOwned
	}
	paths := []string{r.local.top + "/.git", r.local.dirs.own, r.local.dirs.common}
	for _, path := range slices.Compact(paths) {
		stat, err := statOf(path)
		if err != nil {
			return err
		}
		if int(stat.Uid) != os.Geteuid() {
			return errNotOwned
		}
	}
	return nil
}

var errNotOwned = errors.New("the repository is another user's")

func statOf(path string) (*syscall.Stat_t, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil, errors.New("the system does not tell owners")
	}
	return stat, nil
}
