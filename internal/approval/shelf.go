package approval

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"discobot-hooks/internal/atomicfile"
	"discobot-hooks/internal/filelock"
)

const (
	recordSuffix = ".json"
	lockSuffix   = ".lock"

	answerKept = 24 * time.Hour
)

// A shelf is the directory with the pending approvals: NAME.json is one, and
// whoever serves it holds the lock on NAME.lock, since the former's inode
// changes with each write. Names are random and used once.
//
// Serving takes an exclusive lock; looking whether anybody serves a shared
// one, so that those who look never take each other for a server.
type shelf struct {
	dir string
	now func() time.Time
}

// A held is a pending approval that this process serves.
type held struct {
	path   string // without suffix
	lock   *flock.Flock
	record record // as found
}

func (h *held) file() string   { return h.path + recordSuffix }
func (h *held) release() error { return h.lock.Close() }

func (h *held) write(r record) error {
	content, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return atomicfile.Write(h.file(), content, 0o600)
}

// remove ends it without a trace.
func (h *held) remove() error {
	err := os.Remove(h.file())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	h.unlink()
	return errors.Join(err, h.release())
}

// unlink removes what there is of it. The record goes first: a lock without a
// record is removed by the next process that looks, a record without a lock
// could not be locked.
func (h *held) unlink() {
	_ = os.Remove(h.file())
	atomicfile.Sweep(h.file())
	_ = os.Remove(h.path + lockSuffix)
}

// put makes a new file, held by this process.
func (s shelf) put(r record) (*held, error) {
	h, err := s.reserve()
	if err != nil {
		return nil, err
	}
	if err := h.write(r); err != nil {
		return nil, errors.Join(err, h.remove())
	}
	return h, nil
}

// reserve locks a new name. Another process may remove the lock file between
// its making and its locking, when it looks like one that was left: then that
// name is lost.
func (s shelf) reserve() (*held, error) {
	for {
		path := filepath.Join(s.dir, rand.Text())
		f, err := os.OpenFile(path+lockSuffix, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if err != nil {
			return nil, err
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
		lock, err := tryLock(path, (*flock.Flock).TryLock)
		if err == nil {
			return &held{path: path, lock: lock}, nil
		}
		if !elsewhere(err) {
			return nil, err
		}
	}
}

// newLock never makes the file: one that is gone was removed for good.
func newLock(path string) *flock.Flock {
	return flock.New(path+lockSuffix, flock.SetFlag(os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK))
}

// tryLock takes a lock if it can at once.
func tryLock(path string, try func(*flock.Flock) (bool, error)) (*flock.Flock, error) {
	lock := newLock(path)
	ok, err := try(lock)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, filelock.ErrLocked
	}
	mine, err := lock.Stat()
	if err == nil {
		var there os.FileInfo
		if there, err = os.Lstat(path + lockSuffix); err == nil && !os.SameFile(mine, there) {
			err = fs.ErrNotExist // removed after it was opened
		}
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

// elsewhere tells that a lock is held, or gone, by another process's doing.
func elsewhere(err error) bool {
	return errors.Is(err, filelock.ErrLocked) || errors.Is(err, fs.ErrNotExist)
}

// claim takes the pending approval of a key that nobody serves, one that has
// been answered before others. Nil: there is none. On its way it removes what
// is over.
func (s shelf) claim(key string) (*held, error) {
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	var best *held
	for _, name := range names {
		path := filepath.Join(s.dir, name)
		if r, err := readRecord(path + recordSuffix); err != nil || s.isOver(r) {
			s.sweep(path)
			continue
		} else if r.Key != key || r.Used != nil {
			continue
		}
		h, err := s.hold(path, key)
		switch {
		case err != nil:
			return nil, errors.Join(err, release(best))
		case h == nil:
		case best == nil:
			best = h
		case best.record.Answer == nil && h.record.Answer != nil:
			best, h = h, best
			fallthrough
		default:
			_ = h.release() // stays for the next
		}
	}
	return best, nil
}

func release(h *held) error {
	if h == nil {
		return nil
	}
	return h.release()
}

// hold locks a file, and reads it again: what was read before may be history.
func (s shelf) hold(path, key string) (*held, error) {
	lock, err := tryLock(path, (*flock.Flock).TryLock)
	if elsewhere(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	h := &held{path: path, lock: lock}
	h.record, err = readRecord(h.file())
	if err != nil || h.record.Key != key || h.record.Used != nil || s.isOver(h.record) {
		_ = h.release() // whoever held it has ended it
		return nil, nil
	}
	return h, nil
}

// leadsTo tells whether the links of a question that people have lead to a port.
func (s shelf) leadsTo(port int) bool {
	names, err := s.names()
	if err != nil {
		return false // whoever listens says what is wrong
	}
	return slices.ContainsFunc(names, func(name string) bool {
		r, err := readRecord(filepath.Join(s.dir, name) + recordSuffix)
		return err == nil && r.Port == port && r.Answer == nil && !s.isOver(r)
	})
}

// isOver tells whether nobody needs a file any more, once nobody holds it. A
// used one is needed for a moment by the process that is to linger. An answer
// that nobody used outlives the deadline: people were told that it counts.
func (s shelf) isOver(r record) bool {
	now := s.now()
	switch {
	case r.Used != nil:
		return r.Used.PID != 0 || now.After(r.Used.At.Add(takeover))
	case r.Answer != nil:
		return now.After(r.Question.Deadline.Add(answerKept))
	case !r.Sent: // whoever was to send it died before: nobody has the link
		return true
	}
	return !now.Before(r.Question.Deadline)
}

// sweep removes a file that is over, or broken, or a lock that lost its file,
// unless somebody holds it.
func (s shelf) sweep(path string) {
	lock, err := tryLock(path, (*flock.Flock).TryRLock)
	if err != nil {
		return // the next Open tries again
	}
	defer lock.Close()
	r, err := readRecord(path + recordSuffix)
	if err == nil && s.isOver(r) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, errBroken) {
		(&held{path: path}).unlink()
	}
}

// names are all, without suffix, from whichever file is left.
func (s shelf) names() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), lockSuffix); ok {
			names = append(names, name)
		}
	}
	return names, nil
}

// serving tells who serves used answers at a port: the pids of processes that
// live, and whether there is anybody, who may not have told a pid yet.
func (s shelf) serving(port int) (pids []int, found bool) {
	names, err := s.names()
	if err != nil {
		return nil, false
	}
	for _, name := range names {
		path := filepath.Join(s.dir, name)
		r, err := readRecord(path + recordSuffix)
		if err != nil || r.Used == nil || r.Port != port {
			continue
		}
		if r.Used.PID == 0 {
			found = found || !s.isOver(r)
			continue
		}
		lock, err := tryLock(path, (*flock.Flock).TryRLock)
		if err == nil {
			_ = lock.Close() // nobody lives there
		} else if errors.Is(err, filelock.ErrLocked) && r.Used.Where == where() {
			pids, found = append(pids, r.Used.PID), true
		}
	}
	return pids, found
}
