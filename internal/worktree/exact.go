package worktree

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// exactness is what is known of directories, in one Find: those that hold no
// names but the index's. The stamps of a directory change when a name comes or
// goes, so an equal seal says that there are no others still.
type exactness struct {
	given  Seals
	seals  []Seal // of the directories that are exact now
	fresh  int    // how many of them were not given
	device uint64
	clock  clock
	off    bool // names may change here, and the stamps not
}

var errGone = errors.New("there is no such directory any more")

func (x *exactness) begin(top int, given Seals) error {
	var stat unix.Stat_t
	if err := unix.Fstat(top, &stat); err != nil {
		return fmt.Errorf("look at the work tree: %w", err)
	}
	*x = exactness{given: given, device: uint64(stat.Dev), clock: clock{time.Now()}, off: !stampsNames(top)}
	return nil
}

// ask tells whether a directory is known to hold no names but these. If not,
// the seal is for when it turns out so.
func (x *exactness) ask(top int, path string, list []child) (Seal, bool, error) {
	if x.off || len(list) == 0 {
		return 0, false, nil
	}
	if path == "" {
		path = "./"
	}
	var stat unix.Stat_t
	err := unix.Fstatat(top, path[:len(path)-1], &stat, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case err == unix.ENOENT || err == unix.ENOTDIR || err == nil && stat.Mode&unix.S_IFMT != unix.S_IFDIR:
		return 0, false, errGone
	case err != nil:
		return 0, false, fmt.Errorf("look at %s: %w", path, err)
	case uint64(stat.Dev) != x.device || !x.clock.settled(&stat):
		return 0, false, nil
	}
	s := sealOf(path, &stat, list)
	if s != 0 && x.given.Has(s) {
		x.seals = append(x.seals, s)
		return 0, true, nil
	}
	return s, false, nil
}

// sealOf is of a directory and the names that the index has in it.
func sealOf(path string, stat *unix.Stat_t, list []child) Seal {
	sum := seal(path, stat)
	for i := range list {
		sum = sum.with([]byte{0})
		if list[i].isDir {
			sum = sum.with([]byte{'/'})
		}
		sum = sum.with(list[i].name)
	}
	return sum
}

// add takes the seal of a directory that turned out exact.
func (x *exactness) add(s Seal) {
	if s != 0 {
		x.seals = append(x.seals, s)
		x.fresh++
	}
}

// end is what is known now.
func (x *exactness) end() Seals { return x.given.Renew(x.seals, x.fresh) }
