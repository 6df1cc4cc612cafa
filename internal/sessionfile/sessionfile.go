// Package sessionfile keeps AutoAgent's session files,
// `~/.autoagent/sessions/<id>.json`, and the link `current` beside them.
//
// Start with [Store.Update]. Every change is one read-modify-write under a
// lock; files are written beside, synced and renamed, and so is the link, so a
// reader needs no lock and a kill at any moment leaves the old one or the new.
package sessionfile

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"discobot-hooks/internal/atomicfile"
	"discobot-hooks/internal/filelock"
	"discobot-hooks/internal/regular"
	"discobot-hooks/internal/safename"
)

const (
	extension = ".json"
	linkName  = "current"
	lockName  = ".lock"

	maxFileBytes = 1 << 20

	// A change takes milliseconds; whoever holds the lock for this long
	// hangs, and must not take us along.
	lockLimit = 5 * time.Second
)

// A Store is the sessions of one user. It is safe for use by several
// processes at once.
type Store struct {
	Dir string // ~/.autoagent/sessions; made at the first write

	// Warn gets what people should know, one line each. It may be nil.
	Warn func(string)
}

// NewID makes the id of a session that starts now, in the documented form
// session-<milliseconds>-<6 of 0-9a-z>.
func NewID(now time.Time) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	id := fmt.Appendf(nil, "session-%d-", now.UnixMilli())
	for left := 6; left > 0; {
		var b [1]byte
		_, _ = rand.Read(b[:]) // never fails (Go 1.24)
		if int(b[0]) < 256/len(digits)*len(digits) {
			id = append(id, digits[int(b[0])%len(digits)])
			left--
		}
	}
	return string(id)
}

// MaxIDBytes is how long an id can be.
const MaxIDBytes = 128

// checkID tells why an id cannot name a file. It may come with an event, from
// anywhere.
func checkID(id string) error {
	switch {
	case id == linkName:
		return fmt.Errorf("session id %q: this name is the link's", id)
	case !safename.Is(id, MaxIDBytes):
		return fmt.Errorf("session id %.140q: want 1 to 128 of A-Z a-z 0-9 . _ -, the first a letter or a digit", id)
	}
	return nil
}

// Update changes the session in one step that no other process interleaves
// with, and makes it at need; change learns whether it exists. Its id is
// always the one given here. Where change returns an error, or leaves what no
// session can have, nothing is written. A file that is no session is set aside
// under another name, never overwritten, and Warn says so. change must not
// call the store.
func (s Store) Update(ctx context.Context, id string, change func(session *Session, exists bool) error) error {
	if err := checkID(id); err != nil {
		return err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return s.update(id, change)
}

// Begin updates a session and makes it the current one, in one step: of several
// that begin at once without a name, one is created and the others find it.
// With a workspace, its current session goes before id; the session's id is
// returned.
func (s Store) Begin(ctx context.Context, id, workspace string, change func(session *Session, exists bool) error) (string, error) {
	if err := checkID(id); err != nil {
		return id, err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return id, err
	}
	defer unlock()
	if workspace != "" {
		current, ok, err := s.Current(workspace)
		if err != nil {
			return id, err
		}
		if ok {
			id = current.ID
		}
	}
	if err := s.update(id, change); err != nil {
		return id, err
	}
	return id, s.setCurrent(id)
}

// update is Update under the lock.
func (s Store) update(id string, change func(session *Session, exists bool) error) error {
	session, exists, err := s.readOrSetAside(id)
	if err != nil {
		return err
	}
	session.ID = id
	before := session.Status
	if err := change(&session, exists); err != nil {
		return err
	}
	session.ID = id
	if err := session.check(before); err != nil {
		return fmt.Errorf("write session %s: %w", id, err)
	}
	content, err := session.encode()
	if err == nil && len(content) > maxFileBytes {
		err = fmt.Errorf("%w: more than %d bytes", regular.ErrTooLarge, maxFileBytes)
	}
	if err == nil {
		atomicfile.Sweep(s.path(id))
		err = atomicfile.Write(s.path(id), content, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write session %s: %w", id, err)
	}
	return nil
}

// setCurrent makes the link `current` lead to the session.
func (s Store) setCurrent(id string) error {
	// Under the lock one name is enough, and what a kill left goes.
	beside := filepath.Join(s.Dir, "."+linkName)
	if err := os.Remove(beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("replace link: %w", err)
	}
	if err := os.Symlink(id+extension, beside); err != nil {
		return fmt.Errorf("replace link: %w", err)
	}
	if err := os.Rename(beside, filepath.Join(s.Dir, linkName)); err != nil {
		return fmt.Errorf("replace link: %w", err)
	}
	return atomicfile.SyncDir(s.Dir)
}

func (s Store) path(id string) string { return filepath.Join(s.Dir, id+extension) }

// lock makes the directory at need, for its owner alone: arguments of commands
// may hold secrets.
func (s Store) lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("create session directory: %w", err)
	}
	unlock, err = filelock.Acquire(ctx, filepath.Join(s.Dir, lockName), lockLimit)
	if err != nil {
		return nil, fmt.Errorf("lock sessions: %w", err)
	}
	return unlock, nil
}

// corruptError tells that a file is no session.
type corruptError struct {
	path string
	err  error
}

func (e *corruptError) Error() string { return fmt.Sprintf("read session: %s: %v", e.path, e.err) }

func (e *corruptError) Unwrap() error { return e.err }

func (s Store) read(id string) (Session, error) {
	content, err := regular.ReadAll(s.path(id), maxFileBytes)
	if errors.Is(err, regular.ErrNotRegular) || errors.Is(err, regular.ErrTooLarge) {
		return Session{}, &corruptError{s.path(id), errors.Unwrap(err)}
	}
	if err != nil {
		return Session{}, fmt.Errorf("read session: %w", err)
	}
	session, err := parse(content)
	if err != nil {
		return Session{}, &corruptError{s.path(id), err}
	}
	session.ID = id // what names the file is what names the session
	return session, nil
}

func (s Store) readOrSetAside(id string) (session Session, exists bool, err error) {
	session, err = s.read(id)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return session, err == nil, nil
	}
	if _, ok := errors.AsType[*corruptError](err); !ok {
		return Session{}, false, err // no descriptor to be had, a failing disk: the file may be whole
	}
	aside := s.path(id) + ".corrupt-" + time.Now().UTC().Format("20060102T150405.000000000Z")
	if renameErr := os.Rename(s.path(id), aside); renameErr != nil {
		return Session{}, false, errors.Join(err, fmt.Errorf("set session aside: %w", renameErr))
	}
	if s.Warn != nil {
		s.Warn(fmt.Sprintf("%v; set aside as %s, starting empty", err, aside))
	}
	return Session{}, false, nil
}
