// Package status keeps a session's status.json, its list of pending hooks and
// the hooks' output logs: atomic, durable, locked.
//
// Start with [Store.Update]. Every change is one read-modify-write under the
// lock; the file is written beside and renamed, so a reader needs no lock and a
// kill at any moment leaves the old file or the new one. Where hooks are or were
// pending it is synced as well, so that a power loss does not lose them.
package status

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"discobot-hooks/hook"
	"discobot-hooks/internal/atomicfile"
	"discobot-hooks/internal/filelock"
	"discobot-hooks/internal/regular"
)

const (
	fileName = "status.json"

	// maxFileBytes bounds what is read. A thousand hooks take 400 kB.
	maxFileBytes = 8 << 20
)

// A Store is the state of one session. It is safe for use by several
// processes at once.
type Store struct {
	dir  string
	warn func(string)
	now  func() time.Time
}

// NewStore returns the store in dir, `~/.discobot/<session>/hooks`. Nothing
// is created before the first write. warn gets what people should know, one
// line each.
func NewStore(dir string, warn func(string)) *Store {
	return &Store{dir: dir, warn: warn, now: time.Now}
}

// Dir is the store's directory.
func (s *Store) Dir() string { return s.dir }

// Read returns the state as it is. There being none is the empty state.
func (s *Store) Read() (*File, error) {
	content, err := regular.ReadAll(s.path(), maxFileBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return newFile(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read status: %w", err)
	}
	file, err := parse(content)
	if err != nil {
		return nil, &corruptError{s.path(), err}
	}
	return file, nil
}

// corruptError tells that status.json is no status.
type corruptError struct {
	path string
	err  error
}

func (e *corruptError) Error() string { return fmt.Sprintf("read status: %s: %v", e.path, e.err) }

// Hint says what happens next.
func (e *corruptError) Hint() string {
	return "the next hook that runs sets the file aside and starts a new one"
}

// Update changes the state in one step that no other process interleaves
// with. Where change returns an error nothing is written. A status.json that
// cannot be read is set aside under another name, never overwritten, and the
// state starts empty.
func (s *Store) Update(ctx context.Context, change func(*File) error) error {
	return s.locked(ctx, func() error { return s.update(change) })
}

func (s *Store) locked(ctx context.Context, fn func() error) error {
	if err := s.makeDir(s.dir); err != nil {
		return err
	}
	unlock, err := filelock.Acquire(ctx, filepath.Join(s.dir, lockName), statusLockLimit)
	if err != nil {
		return fmt.Errorf("lock status: %w", err)
	}
	defer unlock()
	return fn()
}

func (s *Store) update(change func(*File) error) error {
	file, err := s.readOrSetAside()
	if err != nil {
		return err
	}
	pending := len(file.PendingHooks) > 0
	if err := change(file); err != nil {
		return err
	}
	atomicfile.Sweep(s.path())
	content, err := file.encode()
	if err != nil {
		return fmt.Errorf("write status: %w", err)
	}
	// What is pending must survive a power loss, counts need not: waiting for
	// the disk would be a fifth of what a hook costs beside its own work.
	write := atomicfile.Replace
	if pending || len(file.PendingHooks) > 0 {
		write = atomicfile.Write
	}
	if err := write(s.path(), content, 0o600); err != nil {
		return fmt.Errorf("write status: %w", err)
	}
	return nil
}

// Record notes that a hook ran, in the audit and, unless the run was aborted,
// in its counts; and that it is pending no longer if it succeeded.
func (s *Store) Record(ctx context.Context, h hook.Hook, r hook.Result) error {
	return s.locked(ctx, func() error {
		// Either may fit where the other does not, on a full disk say.
		auditErr := s.audit(h, r)
		if r.Aborted {
			return auditErr
		}
		return errors.Join(auditErr, s.update(func(f *File) error {
			f.record(h, r)
			if r.Success() && h.Dialect == "" { // nobody else's hooks are ever pending
				f.RemovePending(h.ID)
			}
			return nil
		}))
	})
}

func (s *Store) path() string { return filepath.Join(s.dir, fileName) }

func (s *Store) readOrSetAside() (*File, error) {
	file, err := s.Read()
	if err == nil {
		return file, nil
	}
	var corrupt *corruptError
	if !errors.As(err, &corrupt) && !errors.Is(err, regular.ErrNotRegular) && !errors.Is(err, regular.ErrTooLarge) {
		return nil, err // no descriptor to be had, a failing disk: the file may be whole
	}
	aside := s.path() + ".corrupt-" + s.now().UTC().Format("20060102T150405.000000000Z")
	if renameErr := os.Rename(s.path(), aside); renameErr != nil {
		return nil, errors.Join(err, fmt.Errorf("set status aside: %w", renameErr))
	}
	s.warn(fmt.Sprintf("%v; set aside as %s, starting empty", err, aside))
	return newFile(), nil
}

// makeDir creates a directory of ours, for its owner alone: logs may hold
// what a hook printed of somebody's secrets.
func (s *Store) makeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return &unwritableError{err}
	}
	return nil
}

// unwritableError tells that the state directory cannot be made.
type unwritableError struct{ err error }

func (e *unwritableError) Error() string { return fmt.Sprintf("create state directory: %v", e.err) }

func (e *unwritableError) Unwrap() error { return e.err }

// Hint says where else the state can lie.
func (e *unwritableError) Hint() string {
	return "set DISCOBOT_STATE_DIR to a directory that you can write to"
}
