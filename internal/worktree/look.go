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

// look looks at each name in a directory, then into its directories. The
// index's entries from lo to hi are those below it.
func (w *walk) look(d *dir, lo, hi int) error {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	w.names.fill(w.Index.Entries, lo, hi, len(d.path))
	seal, known, err := w.exact.ask(w.top.fd, d.path, w.names.list)
	if err != nil {
		return err
	}
	var subs []sub
	if known {
		subs, err = w.lookAtKnown(d)
	} else {
		subs, err = w.lookAtNames(d, lo < hi, seal)
	}
	if err != nil {
		return err
	}
	return w.into(d, subs)
}

// lookAtKnown looks at what the index has in a directory that holds nothing
// else. It returns its directories.
func (w *walk) lookAtKnown(d *dir) ([]sub, error) {
	var subs []sub
	for _, c := range w.names.list {
		if c.isDir {
			subs = append(subs, sub{string(c.name), c.lo, c.hi})
			continue
		}
		isDir, err := w.tracked(statLocal, w.top.fd, c.lo, w.Index.Entries[c.lo].Name)
		if err != nil {
			return nil, err
		}
		if isDir {
			return nil, errKind // it has just become one
		}
	}
	return subs, nil
}

// lookAtNames reads the names in a directory. It returns its directories to
// look into.
func (w *walk) lookAtNames(d *dir, tracked bool, seal Seal) ([]sub, error) {
	err := d.open()
	switch {
	case errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP):
		return nil, errGone // since its name was read
	case err != nil:
		return nil, err
	}
	if err := w.names.index(); err != nil {
		return nil, err
	}
	before := len(w.found.Untracked)
	var subs []sub
	hasGit, others := false, false
	if w.buf == nil {
		w.buf = make([]byte, 32<<10)
	}
	err = readDir(d.fd, w.buf, func(name []byte, kind byte) error {
		if string(name) == ".git" {
			hasGit = true
			return nil
		}
		s, known, err := w.name(d, name, kind)
		others = others || !known
		if s.name != "" {
			subs = append(subs, s)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if hasGit && !tracked && d.up != nil {
		if repository, err := w.repository(d); repository || err != nil {
			w.found.Untracked = append(w.found.Untracked[:before], d.path[:len(d.path)-1])
			return nil, err
		}
	}
	if !others {
		w.exact.add(seal)
	}
	return subs, w.missing()
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
		inner := d.in(s.name)
		err := w.look(inner, s.lo, s.hi)
		inner.close()
		if errors.Is(err, errGone) {
			err = w.deleted(s.lo, s.hi)
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
// look into, or nothing, and whether the index has the name as what it is.
func (w *walk) name(d *dir, name []byte, kind byte) (s sub, known bool, err error) {
	c := w.names.find(name)
	if c != nil && !c.isDir && (kind == unix.DT_REG || kind == unix.DT_LNK || kind == unix.DT_UNKNOWN) {
		c.seen = true
		isDir, err := w.tracked(statAt, d.fd, c.lo, name)
		if !isDir || err != nil {
			return sub{}, true, err
		}
		kind = unix.DT_DIR
	}
	if kind == unix.DT_UNKNOWN {
		if kind, err = d.kind(string(name)); err != nil || kind == unix.DT_UNKNOWN {
			return sub{}, false, err
		}
	}
	switch {
	case c != nil && c.isDir && kind == unix.DT_DIR:
		c.seen = true
		return sub{string(c.name), c.lo, c.hi}, true, nil
	case c != nil && !c.isDir && kind != unix.DT_DIR:
		return sub{}, false, errKind
	case kind != unix.DT_DIR && kind != unix.DT_REG && kind != unix.DT_LNK:
		return sub{}, false, nil // git lists no pipes and sockets
	}
	s, err = w.unknown(d, string(name), kind == unix.DT_DIR)
	return s, false, err
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
