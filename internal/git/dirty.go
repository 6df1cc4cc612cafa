package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"discobot-hooks/internal/gitindex"
	"discobot-hooks/internal/regular"
	"discobot-hooks/internal/worktree"
)

// A Dirty path differs between HEAD, index and work tree, or is untracked.
type Dirty struct {
	Path      string // relative to the directory that the Repo looks from
	Untracked bool   // not in the index
}

// Dirty lists the paths that differ between HEAD, index and work tree, and
// all untracked ones that no ignore rule names. An untracked repository
// inside is one path. A path removed from the index alone stands twice.
//
// It looks itself where it is certain of what git would say, which takes no
// process while HEAD and index are [Known]; else it asks git.
func (r *Repo) Dirty(ctx context.Context) ([]Dirty, error) {
	dirty, err := r.dirtyInProcess(ctx)
	if err == nil || ctx.Err() != nil {
		return dirty, err
	}
	return r.dirtyByGit(ctx)
}

func (r *Repo) dirtyByGit(ctx context.Context) ([]Dirty, error) {
	out, err := r.git(ctx, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--", ".")
	if err != nil {
		return nil, err
	}
	var dirty []Dirty
	for _, entry := range SplitZ(out) {
		if len(entry) > 3 {
			dirty = append(dirty, Dirty{Path: r.relative(entry[3:]), Untracked: entry[:2] == "??"})
		}
	}
	return dirty, nil
}

// dirtyInProcess looks at the files itself. Any error means "ask git".
func (r *Repo) dirtyInProcess(ctx context.Context) ([]Dirty, error) {
	if r.local == nil {
		return nil, errors.New("HEAD was not certain")
	}
	set, err := r.settings()
	if err != nil {
		return nil, err
	}
	if err := r.owned(); err != nil {
		return nil, err
	}
	index, written, err := r.local.index()
	if err != nil {
		return nil, err
	}
	found, err := worktree.Look{
		Top: r.local.top, Below: r.Prefix, Index: index, IndexTime: written, PlainModes: r.PlainModes,
		Exact: r.Known.Exact, Rules: set.rules, Repository: r.repositoryInside,
	}.Find(ctx)
	if err != nil {
		return nil, err
	}
	staged, err := r.staged(ctx, index)
	if err != nil {
		return nil, err
	}
	r.Known.Exact = found.Exact
	edited, err := r.edited(ctx, set, index, found.Suspects)
	if err != nil {
		return nil, err
	}
	paths := slices.Concat(found.Changed, edited, staged)
	slices.Sort(paths)
	var dirty []Dirty
	for _, path := range slices.Compact(paths) {
		dirty = append(dirty, Dirty{Path: r.relative(path)})
	}
	for _, path := range found.Untracked {
		dirty = append(dirty, Dirty{Path: r.relative(path), Untracked: true})
	}
	return dirty, nil
}

// maxIndex holds some three million files.
const maxIndex = 512 << 20 // bytes

// index reads the index, and when it was written. Without its file nothing is
// in it.
func (l *local) index() (*gitindex.Index, time.Time, error) {
	f, err := regular.Open(l.dirs.own + "/index")
	if errors.Is(err, fs.ErrNotExist) {
		return &gitindex.Index{Version: 2}, time.Now(), nil
	}
	if err != nil {
		return nil, time.Time{}, err
	}
	defer f.Close() // read only
	info, err := f.Stat()
	if err != nil {
		return nil, time.Time{}, err
	}
	if info.Size() > maxIndex {
		return nil, time.Time{}, regular.ErrTooLarge
	}
	data := make([]byte, info.Size())
	if _, err := f.ReadAt(data, 0); err != nil {
		return nil, time.Time{}, fmt.Errorf("read index: %w", err)
	}
	index, err := gitindex.Parse(data)
	return index, info.ModTime(), err
}

// repositoryInside tells whether a directory with a `.git` is a repository.
func (r *Repo) repositoryInside(dir string) (bool, error) {
	dirs, err := findDirs(dir)
	if err != nil {
		return false, err
	}
	if dirs.own == r.local.dirs.own {
		return false, fmt.Errorf("look at %s: it is this repository once more", dir)
	}
	_, err = dirs.head()
	return err == nil, err
}
