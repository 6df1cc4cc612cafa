package gitinstall

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"

	"discobot-hooks/internal/atomicfile"
	"discobot-hooks/internal/regular"
)

// script is the managed hook, the same bytes everywhere. It needs a POSIX shell
// and test's -ef (POSIX.1-2024; dash, bash and busybox have it).
//
//go:embed managed-hook.sh
var script string

const (
	marker    = "# discobot:managed"
	noteName  = "discobot-hooks.path" // first line: where the binary is; read by the script
	lockName  = ".discobot-hooks.lock"
	freshName = ".discobot-hooks.new" // ours, on its way to a kept name
	lockWait  = 10 * time.Second
	maxPath   = 4096 // PATH_MAX of Linux
)

// hooksDir is a directory of git hooks. Methods that write need the lock.
type hooksDir string

func (d hooksDir) path(name string) string { return filepath.Join(string(d), name) }

// make creates the directory: git init without templates leaves none.
func (d hooksDir) make(s *setting) error {
	err := os.MkdirAll(string(d), 0o777)
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.EEXIST) {
		what := "hooks path " + string(d) + " is not a directory"
		if s != nil {
			what += " (core.hooksPath in " + s.origin + ")"
		}
		return &Error{msg: what, hint: "move it away: mv " + quote(string(d)) + " " + quote(string(d)+".bak")}
	}
	return err
}

// locked runs fn while no other process changes this directory. The lock file
// is opened without following a link that lies in its place.
func (d hooksDir) locked(ctx context.Context, fn func() error) error {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	lock := flock.New(d.path(lockName),
		flock.SetFlag(os.O_CREATE|os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK), flock.SetPermissions(0o644))
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		switch {
		case errors.Is(err, fs.ErrPermission):
			return &Error{msg: "lock hooks directory", err: err, hint: "run it as the user who owns the repository"}
		case errors.Is(err, context.DeadlineExceeded):
			return &Error{msg: "another process has held " + d.path(lockName) + " for " + lockWait.String(), hint: "end that process, then run it again"}
		}
		return fmt.Errorf("lock hooks directory: %w", err)
	}
	defer lock.Close() // releases the lock; the file was never written
	return fn()
}

// install puts the named hooks and gives back the others.
func (d hooksDir) install(names []string, binary string) (changes []Change, err error) {
	noted, err := d.writeNote(binary)
	if err != nil {
		return nil, fmt.Errorf("note the binary: %w", err)
	}
	for _, name := range managed {
		var change Change
		if slices.Contains(names, name) {
			change, err = d.put(name)
			if noted && change.Action == Unchanged {
				change.Action = Refreshed
			}
		} else {
			change, err = d.remove(name)
		}
		if err != nil {
			return changes, fmt.Errorf("%s: %w", name, err)
		}
		if change.Action != Nothing {
			changes = append(changes, change)
		}
	}
	return changes, nil
}

// put makes name a managed hook. The note is there before it, so that the
// script always finds the binary.
func (d hooksDir) put(name string) (Change, error) {
	change := Change{Hook: name, Path: d.path(name), Action: Installed, Preserved: d.firstKept(name)}
	info, err := os.Lstat(change.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return change, err
	case info.IsDir():
		return change, &Error{msg: change.Path + " is a directory", hint: "move it away: mv " + quote(change.Path) + " " + quote(change.Path+".bak")}
	case isOurs(change.Path):
		if isCurrent(change.Path) && info.Mode()&0o111 == 0o111 {
			change.Action = Unchanged
			return change, d.refreshDisplaced(name)
		}
		change.Action = Refreshed
	default:
		if change.Preserved, err = d.preserve(name); err != nil {
			return change, err
		}
	}
	atomicfile.Sweep(change.Path)
	if err := d.refreshDisplaced(name); err != nil {
		return change, err
	}
	// Exactly this mode: a foreign hook that is switched off must not switch
	// ours off.
	return change, atomicfile.Write(change.Path, []byte(script), 0o755)
}

// hasOurs looks, without the lock, for anything that uninstall would change.
func (d hooksDir) hasOurs() bool {
	if _, err := os.Lstat(d.path(noteName)); err == nil {
		return true
	}
	return slices.ContainsFunc(managed, func(name string) bool { return len(d.ours(name)) > 0 })
}

// uninstall gives back every hook, then removes the note.
func (d hooksDir) uninstall() (changes []Change, err error) {
	for _, name := range managed {
		change, err := d.remove(name)
		if err != nil {
			return changes, fmt.Errorf("%s: %w", name, err)
		}
		if change.Action != Nothing {
			changes = append(changes, change)
		}
		if err := d.dropHalfKept(name); err != nil {
			return changes, err
		}
		atomicfile.Sweep(d.path(name))
	}
	for _, left := range []string{noteName, freshName} {
		atomicfile.Sweep(d.path(left))
		if err := os.Remove(d.path(left)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return changes, err
		}
	}
	return changes, atomicfile.SyncDir(string(d))
}

// writeNote reports whether an earlier note said something else.
func (d hooksDir) writeNote(binary string) (changed bool, err error) {
	if binary == "" {
		return false, nil
	}
	note := []byte(binary + "\n")
	old, err := readHead(d.path(noteName), len(note)+1)
	if err == nil && bytes.Equal(old, note) {
		return false, nil
	}
	return err == nil, atomicfile.Write(d.path(noteName), note, 0o644)
}

// isOurs is the one test of ownership: a regular file whose second line is the
// marker, to the byte, or the script that discobot wrote before us. The word
// elsewhere proves nothing.
func isOurs(path string) bool {
	head, err := readHead(path, 512)
	if err != nil {
		return false
	}
	return string(secondLine(head)) == marker || bytes.HasPrefix(head, []byte(seedHead)) && isSeed(path)
}

// isCurrent tells this version's script from another's.
func isCurrent(path string) bool {
	content, err := readHead(path, len(script)+1)
	return err == nil && string(content) == script
}

// readHead returns at most n bytes of a regular file; it neither follows a
// link nor waits for the writer of a FIFO.
func readHead(path string, n int) ([]byte, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only
	return io.ReadAll(io.LimitReader(f, int64(n)))
}
