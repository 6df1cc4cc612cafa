package gitinstall

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"discobot-hooks/internal/atomicfile"
)

// maxKept is as far as the script's patterns look: NAME.original to .original.99.
const maxKept = 99

// displaced are the names that other managers move our hook to: pre-commit and
// prek to .legacy, lefthook to .old.
var displaced = []string{legacy, ".old"}

// legacy is where a manager keeps what it means to call.
const legacy = ".legacy"

// keptName is NAME.original for n = 1, then NAME.original.2 and so on.
func keptName(name string, n int) string {
	if n == 1 {
		return name + ".original"
	}
	return name + ".original." + strconv.Itoa(n)
}

// kept lists the hooks kept for name, in the order the script runs them. Ours
// under such a name is not among them, see [hooksDir.exchange].
func (d hooksDir) kept(name string) (paths []string) {
	for _, path := range d.asideNames(name) {
		if !isOurs(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// asideNames lists the files with kept names. One listing is quicker than a
// look for each of the names.
func (d hooksDir) asideNames(name string) (paths []string) {
	entries, err := os.ReadDir(string(d))
	if err != nil {
		return nil // no directory, so nothing in it
	}
	there := make(map[string]bool, len(entries))
	for _, entry := range entries {
		there[entry.Name()] = !entry.IsDir()
	}
	for n := 1; n <= maxKept; n++ {
		if there[keptName(name, n)] {
			paths = append(paths, d.path(keptName(name, n)))
		}
	}
	return paths
}

func (d hooksDir) firstKept(name string) string {
	for _, path := range d.kept(name) {
		return path
	}
	return ""
}

// preserve gives the foreign hook a kept name, without ever taking one that is
// in use. It is linked, so that the hook itself is never absent: our rename
// over its first name then completes the step. Where that is not possible
// (another's file under fs.protected_hardlinks, see proc_sys_fs(5); file systems
// without links) it changes places with ours. Where that is not possible either
// it is renamed, and a kill before our write leaves it kept.
//
// A hook that is kept already, from an install that was killed in between or
// from a manager that wrote its own again, is not kept twice: it would run twice.
func (d hooksDir) preserve(name string) (string, error) {
	path, first := d.path(name), 1
	if err := d.dropOwnKept(name); err != nil {
		return "", err
	}
	for _, kept := range d.kept(name) {
		if same, err := sameHook(path, kept); err != nil || same {
			return kept, err
		}
	}
	if callsKept(path, name) {
		first = 2
	}
	for n := first; n <= maxKept; n++ {
		kept := d.path(keptName(name, n))
		// Flag 0: a symbolic link is linked itself, not what it points to.
		err := unix.Linkat(unix.AT_FDCWD, path, unix.AT_FDCWD, kept, 0)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			err = d.exchange(path, kept)
		}
		switch {
		case errors.Is(err, fs.ErrExist):
			continue
		case err != nil:
			return "", &Error{msg: "keep " + path, err: err, hint: "move it yourself, then run this again: mv " + quote(path) + " " + quote(kept)}
		}
		return kept, atomicfile.SyncDir(string(d))
	}
	return "", &Error{msg: fmt.Sprintf("%s: %d hooks are kept already", path, maxKept), hint: "remove those that you no longer need"}
}

// exchange puts our script under the kept name, then gives it and the hook each
// other's. A kill in between leaves ours under a kept name, where it is no hook
// of the user's: the next install or uninstall removes it.
func (d hooksDir) exchange(path, kept string) error {
	fresh := d.path(freshName)
	if err := atomicfile.Write(fresh, []byte(script), 0o755); err != nil {
		return err
	}
	err := renameNoReplace(fresh, kept)
	if err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	if renameExchange(path, kept) == nil {
		return nil
	}
	if err := os.Remove(kept); err != nil {
		return err
	}
	return renameNoReplace(path, kept)
}

// dropOwnKept removes ours from under the kept names.
func (d hooksDir) dropOwnKept(name string) error {
	for _, path := range d.asideNames(name) {
		if !isOurs(path) {
			continue
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// refreshDisplaced brings ours up to date where another manager has put it: an
// old one there might lack the guard, and the manager may still call it.
func (d hooksDir) refreshDisplaced(name string) error {
	for _, suffix := range displaced {
		path := d.path(name + suffix)
		if !isOurs(path) || isCurrent(path) {
			continue
		}
		if err := atomicfile.Write(path, []byte(script), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// sameHook tells whether two files do the same: one file, equal links, or equal
// bytes and mode.
func sameHook(a, b string) (bool, error) {
	ia, err := os.Lstat(a)
	if err != nil {
		return false, err
	}
	ib, err := os.Lstat(b)
	if err != nil {
		return false, err
	}
	switch {
	case os.SameFile(ia, ib):
		return true, nil
	case ia.Mode() != ib.Mode() || ia.Size() != ib.Size():
		return false, nil
	case ia.Mode()&fs.ModeSymlink != 0:
		ta, errA := os.Readlink(a)
		tb, errB := os.Readlink(b)
		return ta == tb, errors.Join(errA, errB)
	}
	ca, errA := readHead(a, int(ia.Size()))
	cb, errB := readHead(b, int(ib.Size()))
	if errA != nil || errB != nil {
		return false, nil // not to be read: then not known to be the same
	}
	return bytes.Equal(ca, cb), nil
}

// ours lists where our hook lies: under its name, or where a manager moved it.
func (d hooksDir) ours(name string) (paths []string) {
	if isOurs(d.path(name)) {
		paths = append(paths, d.path(name))
	}
	for _, suffix := range displaced {
		if isOurs(d.path(name + suffix)) {
			paths = append(paths, d.path(name+suffix))
		}
	}
	return paths
}

// remove takes our hook away. The first kept one returns to that very place by
// one rename, so that there is always the one or the other. Further ones stay:
// git has one place only.
func (d hooksDir) remove(name string) (Change, error) {
	change := Change{Hook: name, Path: d.path(name), Action: Nothing}
	for _, path := range d.ours(name) {
		kept := d.firstKept(name)
		var err error
		switch {
		case change.Action != Nothing, kept == "", d.sameManager(path, kept, name):
			err = os.Remove(path)
			if change.Action == Nothing {
				change.Path, change.Action = path, Removed
			}
		default:
			err = os.Rename(kept, path)
			change.Path, change.Action = path, Restored
		}
		if err != nil {
			return change, err
		}
	}
	if change.Action == Nothing {
		return change, nil
	}
	change.Preserved = d.firstKept(name)
	return change, atomicfile.SyncDir(string(d))
}

// sameManager tells, where another manager has moved us aside, whether the kept
// hook is an earlier one of that manager: given back as its "former hook" it
// would call itself for ever. Generated hooks name their generator on line 2.
func (d hooksDir) sameManager(path, kept, name string) bool {
	if path == d.path(name) {
		return false
	}
	live, err := readHead(d.path(name), 512)
	if err != nil {
		return false
	}
	old, err := readHead(kept, 512)
	if err != nil {
		return false
	}
	return len(secondLine(live)) > 1 && bytes.Equal(secondLine(live), secondLine(old))
}

func secondLine(head []byte) []byte {
	_, rest, _ := bytes.Cut(head, []byte("\n"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return line
}

// dropHalfKept undoes an install that was killed in between: one file under
// both names loses the second, and ours goes from under the kept ones.
func (d hooksDir) dropHalfKept(name string) error {
	if err := d.dropOwnKept(name); err != nil {
		return err
	}
	live, err := os.Lstat(d.path(name))
	if err != nil {
		return nil // no hook, so nothing was half done
	}
	for _, kept := range d.kept(name) {
		if info, err := os.Lstat(kept); err == nil && os.SameFile(live, info) {
			return os.Remove(kept)
		}
	}
	return nil
}
