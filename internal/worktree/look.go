package worktree

import (
	"context"
	"errors"

	"golang.org/x/sys/unix"
)

// sub is a directory to look into once all names of the one around it are read.
type sub struct {
	name   string
	lo, hi int // the index's entries below it; none if it is not tracked
}

// look reads the names in a directory, looks at each, then into its
// directories. The index's entries from lo to hi are those below it.
func (w *walk) look(d *dir, lo, hi int) error {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	if err := w.names.fill(w.Index.Entries, lo, hi, len(d.path)); err != nil {
		return err
	}
	before := len(w.found.Untracked)
	var subs []sub
	hasGit := false
	err := readDir(d.fd, w.buf, func(name []byte, kind byte) error {
		if string(name) == ".git" {
			hasGit = true
			return nil
		}
		s, err := w.name(d, name, kind)
		if s.name != "" {
			subs = append(subs, s)
		}
		return err
	})
	if err != nil {
		return err
	}
	if hasGit && lo == hi && d.up != nil {
		if repository, err := w.repository(d); repository || err != nil {
			w.found.Untracked = append(w.found.Untracked[:before], d.path[:len(d.path)-1])
			return err
		}
	}
	if err := w.missing(); err != nil {
		return err
	}
	return w.into(d, subs)
}

// repository tells whether a directory without tracked files is a repository,
// since it has a `.git`.
func (w *walk) repository(d *dir) (bool, error) {
	path := d.path[:len(d.path)-1]
	if lo, hi := w.within(path, 0, len(w.Index.Entries)); lo < hi && string(w.Index.Entries[lo].Name) == path {
		return false, errKind // git's answer depends on its HEAD
	}
	return w.Repository(w.Top + "/" + path)
}

// into looks at the directories of d.
func (w *walk) into(d *dir, subs []sub) error {
	for _, s := range subs {
		inner, err := d.open(s.name)
		switch {
		case errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP):
			err = w.deleted(s.lo, s.hi) // since its name was read
		case err == nil:
			err = w.look(inner, s.lo, s.hi)
			unix.Close(inner.fd)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// missing notes what the index has in this directory and the directory has
// not.
func (w *walk) missing() error {
	for _, c := range w.names.list {
		if !c.seen {
			if err := w.deleted(c.lo, c.hi); err != nil {
				return err
			}
		}
	}
	return nil
}

// name looks at one name of a directory. What it returns is a directory to
// look into, or nothing.
func (w *walk) name(d *dir, name []byte, kind byte) (sub, error) {
	c := w.names.find(name)
	if c != nil && !c.isDir && (kind == unix.DT_REG || kind == unix.DT_LNK || kind == unix.DT_UNKNOWN) {
		c.seen = true
		gone, err := w.tracked(d, c.lo, name)
		if !gone || err != nil {
			return sub{}, err
		}
		kind = unix.DT_DIR
	}
	if kind == unix.DT_UNKNOWN {
		var err error
		if kind, err = d.kind(string(name)); err != nil || kind == unix.DT_UNKNOWN {
			return sub{}, err
		}
	}
	switch {
	case c != nil && c.isDir && kind == unix.DT_DIR:
		c.seen = true
		return sub{string(c.name), c.lo, c.hi}, nil
	case c != nil && !c.isDir && kind != unix.DT_DIR:
		return sub{}, errKind
	case kind != unix.DT_DIR && kind != unix.DT_REG && kind != unix.DT_LNK:
		return sub{}, nil // git lists no pipes and sockets
	}
	return w.unknown(d, string(name), kind == unix.DT_DIR)
}

// unknown takes a name that is not in the index.
func (w *walk) unknown(d *dir, name string, isDir bool) (sub, error) {
	ignored, err := w.ignored(d, name, isDir)
	switch {
	case err != nil || ignored:
		return sub{}, err
	case isDir:
		return sub{name: name}, nil
	}
	w.found.Untracked = append(w.found.Untracked, d.path+name)
	return sub{}, nil
}
