package worktree

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"discobot-hooks/internal/gitindex"
)

// emptyBlob is the id of a file without content.
var emptyBlob = []byte("\xe6\x9d\xe2\x9b\xb2\xd1\xd6\x43\x4b\x8b\x29\xae\x77\x5a\xd8\xc2\xe4\x8c\x53\x91")

// tracked compares a file with its entry; its name is seen from the directory
// that is open, and look is statAt or statLocal. It tells that a directory has
// the file's name, which then is noted as gone.
func (w *walk) tracked(look func(int, []byte, *unix.Stat_t) error, fd, at int, name []byte) (isDir bool, err error) {
	entry := w.Index.Entries[at]
	if entry.SkipWorktree() {
		return false, errSparse
	}
	stat := &w.stat
	err = look(fd, name, stat)
	switch {
	case errors.Is(err, unix.ENOENT):
		return false, w.deleted(at, at+1) // since its name was read
	case err != nil:
		return false, fmt.Errorf("look at %s: %w", entry.Name, err)
	}
	if entry.AssumeUnchanged() {
		return stat.Mode&unix.S_IFMT == unix.S_IFDIR, nil
	}
	switch w.compare(entry, stat) {
	case differs:
		w.found.Changed = append(w.found.Changed, string(entry.Name))
	case perhaps:
		suspect := Suspect{Entry: entry}
		if w.exact.clock.settled(stat) && !w.exact.off {
			suspect.Seal = sealFile(entry, stat)
		}
		w.found.Suspects = append(w.found.Suspects, suspect)
	case odd:
		return false, errKind
	case isDirectory:
		return true, w.deleted(at, at+1)
	}
	return false, nil
}

// likeness is how a file compares with its entry.
type likeness int

const (
	same likeness = iota
	perhaps
	differs
	odd // no kind of file that git tracks
	isDirectory
)

// compare does what git does in match_stat_data and ie_modified, of its
// read-cache.c, but that it looks at parts of seconds too.
func (w *walk) compare(entry gitindex.Entry, stat *unix.Stat_t) likeness {
	mode := entry.Mode()
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		executable := stat.Mode&0o100 != 0
		if mode == gitindex.ModeSymlink || !w.PlainModes && executable != (mode == gitindex.ModeExecutable) {
			return differs
		}
	case unix.S_IFLNK:
		if mode != gitindex.ModeSymlink {
			return differs
		}
	case unix.S_IFDIR:
		return isDirectory
	default:
		return odd
	}
	stamp := entry.Stamp()
	switch {
	case entry.IntentToAdd():
		return differs
	case stamp.Size != uint32(stat.Size) && stamp.Size != 0:
		return differs
	case stamp.Size != uint32(stat.Size):
		return perhaps
	case stamp.Size == 0 && !bytes.Equal(entry.ID(), emptyBlob):
		return perhaps // git's mark for stamps that are too fresh
	case !unmoved(stamp, stat) || !w.settled(stat):
		return perhaps
	}
	return same
}

// unmoved tells whether the stamps are as git saw them. A git without parts
// of seconds writes none.
func unmoved(stamp gitindex.Stamp, stat *unix.Stat_t) bool {
	seconds := stamp.MtimeNsec == 0 && stamp.CtimeNsec == 0
	return stamp.MtimeSec == uint32(stat.Mtim.Sec) && stamp.CtimeSec == uint32(stat.Ctim.Sec) &&
		(seconds || stamp.MtimeNsec == uint32(stat.Mtim.Nsec) && stamp.CtimeNsec == uint32(stat.Ctim.Nsec)) &&
		stamp.Ino == uint32(stat.Ino) && stamp.UID == stat.Uid && stamp.GID == stat.Gid
}

// settled tells whether a file is older than the index by more than its
// clock's tick: else it may have been written after git looked.
func (w *walk) settled(stat *unix.Stat_t) bool {
	modified := time.Unix(stat.Mtim.Unix())
	if stat.Mtim.Nsec == 0 {
		modified = modified.Add(coarseTick)
	}
	return modified.Before(w.oldest)
}
