// Package worktree looks at the files of a git work tree, each once, and tells
// which differ from the index and which are not in it: what `git status` finds
// out of the files themselves, without a process.
//
// Start with [Look.Find]. It answers as git does or not at all: whatever it
// meets that it does not know for certain is an error, and git can be asked.
// What the stamps of a file do not prove is left to the caller, who compares
// contents ([Found.Suspects]). Nothing is followed that is a symbolic link.
package worktree

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"discobot-hooks/internal/gitignore"
	"discobot-hooks/internal/gitindex"
)

// A Look is a work tree and what is known of it. Its caller sets all fields.
type Look struct {
	Top        string // absolute
	Below      string // looks only below this directory, which has a slash at its end; empty for all
	Index      *gitindex.Index
	IndexTime  time.Time // when the index was written, by its file system's clock
	PlainModes bool      // the executable bit means nothing

	// Exact are directories that an earlier Find returned, to look at again
	// without reading their names; see [Found.Exact].
	Exact Seals

	// Rules are those of ignore files outside of the work tree, the first of
	// which counts most. They are asked for when the first name is met that the
	// index does not hold.
	Rules func() ([]gitignore.List, error)

	// Repository tells whether a directory without tracked files, which has a
	// `.git`, is a repository of its own. The path is absolute.
	Repository func(dir string) (bool, error)
}

// Found are paths from the top of the work tree, in no order.
type Found struct {
	Changed   []string // tracked, and not as in the index: deleted ones too
	Suspects  []Suspect
	Untracked []string // a repository inside is one path

	// Exact are the directories that hold no other names than the index does,
	// for a later look; those of the Look if they are still good enough.
	Exact Seals
}

// A Suspect is a file whose stamps are not as in the index, or prove nothing.
type Suspect struct {
	gitindex.Entry
	Seal Seal // that the content is the entry's, if that turns out
}

// What is left to git.
var (
	errSparse = errors.New("a file need not be there")
	errKind   = errors.New("a kind of file that is not tracked has a tracked name")
	errTwice  = errors.New("the index has a file and a directory of one name")
	errRule   = errors.New("an ignore rule takes too long")
)

// Find looks at every file once. It is meant for one goroutine.
func (l Look) Find(ctx context.Context) (Found, error) {
	fd, err := unix.Open(l.Top, openDir, 0)
	if err != nil {
		return Found{}, fmt.Errorf("open %s: %w", l.Top, err)
	}
	defer unix.Close(fd)
	w := walk{Look: l, ctx: ctx, oldest: l.oldest()}
	if err := w.exact.begin(fd, l.Exact); err != nil {
		return Found{}, err
	}
	w.top = &dir{fd: fd}
	err = w.from(w.top, l.Below, 0, len(l.Index.Entries))
	w.found.Exact = w.exact.end()
	return w.found, err
}

// The ticks of clocks that stamp files. A file written within one of them
// after git looked at it can carry the same stamps.
const (
	fineTick   = 20 * time.Millisecond // the kernel's own is 10 at most
	coarseTick = 2 * time.Second       // FAT, and file systems without parts of a second
)

// oldest is from which time of modification on a file's stamps prove nothing.
func (l Look) oldest() time.Time {
	if l.IndexTime.Nanosecond() == 0 {
		return l.IndexTime.Add(-coarseTick)
	}
	return l.IndexTime.Add(-fineTick)
}

// walk is one Find.
type walk struct {
	Look
	ctx    context.Context
	top    *dir
	found  Found
	exact  exactness
	oldest time.Time
	rules  []gitignore.List // once ruled
	ruled  bool

	// Room that directories use one after the other.
	buf   []byte
	names children
	stat  unix.Stat_t
}

// from goes down to a directory, then looks at all below it. The index's
// entries from lo to hi are those of d.
func (w *walk) from(d *dir, below string, lo, hi int) error {
	name, rest, more := strings.Cut(below, "/")
	if !more {
		return w.look(d, lo, hi)
	}
	sub := d.in(name)
	if err := sub.open(); err != nil {
		return err
	}
	defer sub.close()
	lo, hi = w.within(sub.path, lo, hi)
	return w.from(sub, rest, lo, hi)
}

// within narrows a range of the index's entries to those below a path, which
// has a slash at its end.
func (w *walk) within(path string, lo, hi int) (from, to int) {
	entries := w.Index.Entries[lo:hi]
	from = sort.Search(len(entries), func(i int) bool { return string(entries[i].Name) >= path })
	to = from + sort.Search(len(entries)-from, func(i int) bool { return !strings.HasPrefix(string(entries[from+i].Name), path) })
	return lo + from, lo + to
}

// deleted notes the entries of a range as gone.
func (w *walk) deleted(lo, hi int) error {
	for i := lo; i < hi; i++ {
		entry := w.Index.Entries[i]
		if entry.SkipWorktree() {
			return errSparse
		}
		if !entry.AssumeUnchanged() {
			w.found.Changed = append(w.found.Changed, string(entry.Name))
		}
	}
	return nil
}
