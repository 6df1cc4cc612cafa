package worktree

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"discobot-hooks/internal/gitignore"
)

const openDir = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC | unix.O_NONBLOCK

// A dir is a directory, and what is known of it.
type dir struct {
	up   *dir   // nil at the top
	name string // its last name
	path string // from the top, with a slash at its end; empty at the top
	fd   int    // closed until somebody needs it; the top's is open

	list     gitignore.List // of its own ignore file, once read
	listRead bool
	out      excluded
}

const closed = -1

// in is a directory in this one.
func (d *dir) in(name string) *dir {
	return &dir{up: d, name: name, path: d.path + name + "/", fd: closed}
}

// open opens the directory if it is not, and those above it. A link in the
// path makes it fail.
func (d *dir) open() error {
	if d.fd != closed {
		return nil
	}
	if err := d.up.open(); err != nil {
		return err
	}
	fd, err := unix.Openat(d.up.fd, d.name, openDir, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", d.path, err)
	}
	d.fd = fd
	return nil
}

func (d *dir) close() {
	if d.fd != closed {
		unix.Close(d.fd)
		d.fd = closed
	}
}

// excluded tells whether a directory is ignored, itself or with one above.
type excluded byte

const (
	unasked excluded = iota
	no
	yes
)

// kind is what a name is, where the directory itself does not say.
func (d *dir) kind(name string) (byte, error) {
	var stat unix.Stat_t
	err := unix.Fstatat(d.fd, name, &stat, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case errors.Is(err, unix.ENOENT):
		return unix.DT_UNKNOWN, nil // since its name was read
	case err != nil:
		return 0, fmt.Errorf("look at %s: %w", d.path+name, err)
	}
	return byte(stat.Mode & unix.S_IFMT >> 12), nil // as the DT_ constants are made
}

// maxIgnoreFile is far above what people write.
const maxIgnoreFile = 4 << 20 // bytes

// rules are those of the directory's own ignore file.
func (d *dir) rules() (gitignore.List, error) {
	if d.listRead {
		return d.list, nil
	}
	if err := d.open(); err != nil {
		return gitignore.List{}, err
	}
	text, err := d.read(".gitignore")
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return gitignore.List{}, err
	}
	base := d.path
	if base != "" {
		base = base[:len(base)-1]
	}
	d.list, d.listRead = gitignore.Parse(text, base), true
	return d.list, nil
}

// read reads a small regular file, and no other.
func (d *dir) read(name string) ([]byte, error) {
	fd, err := unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", d.path+name, err)
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close() // read only
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxIgnoreFile {
		return nil, fmt.Errorf("read %s: not a small regular file", d.path+name)
	}
	return io.ReadAll(f)
}

// ignored tells whether git would not list an untracked name of a directory.
// Nothing below an ignored directory can be had back.
func (w *walk) ignored(d *dir, name string, isDir bool) (bool, error) {
	if out, err := w.excluded(d); out || err != nil {
		return out, err
	}
	path := d.path + name
	for above := d; above != nil; above = above.up {
		list, err := above.rules()
		if err != nil {
			return false, err
		}
		if verdict := list.Match(path, isDir); verdict != gitignore.Silent {
			return decided(verdict)
		}
	}
	if !w.ruled {
		var err error
		if w.rules, err = w.Rules(); err != nil {
			return false, err
		}
		w.ruled = true
	}
	for _, list := range w.rules {
		if verdict := list.Match(path, isDir); verdict != gitignore.Silent {
			return decided(verdict)
		}
	}
	return false, nil
}

func decided(verdict gitignore.Verdict) (bool, error) {
	if verdict == gitignore.Uncertain {
		return false, errRule
	}
	return verdict == gitignore.Ignored, nil
}

// excluded tells whether a directory is ignored, which does not matter to
// tracked files in it.
func (w *walk) excluded(d *dir) (bool, error) {
	if d.up == nil {
		return false, nil
	}
	if d.out == unasked {
		ignored, err := w.ignored(d.up, d.name, true)
		if err != nil {
			return false, err
		}
		d.out = no
		if ignored {
			d.out = yes
		}
	}
	return d.out == yes, nil
}
