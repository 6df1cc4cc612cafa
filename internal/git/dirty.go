package git

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
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

// owned tells whether git would work here without being told that it is safe:
// what it looks at is the user's own. It would read configurations that start
// programs, which we do not; but where it refuses, people should hear why.
func (r *Repo) owned() error {
	top, err := statOf(r.local.top)
	if err != nil {
		return err
	}
	here, err := statOf(r.Dir)
	if err != nil {
		return err
	}
	if here.Dev != top.Dev {
		return errors.New("git does not look for a repository across file systems")
	}
	if int(top.Uid) != os.Geteuid() {
		return errNotOwned
	}
	paths := []string{r.local.top + "/.git", r.local.dirs.own, r.local.dirs.common}
	for _, path := range slices.Compact(paths) {
		stat, err := statOf(path)
		if err != nil {
			return err
		}
		if int(stat.Uid) != os.Geteuid() {
			return errNotOwned
		}
	}
	return nil
}

var errNotOwned = errors.New("the repository is another user's")

func statOf(path string) (*syscall.Stat_t, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil, errors.New("the system does not tell owners")
	}
	return stat, nil
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

// Known is what is true for ever, or as long as HEAD, the index, a directory
// or a file are as they were, which can be told: what is staged, a commit's
// tree, which directories hold nothing else, and which files are clean.
type Known struct {
	Head   string   // the commit that all is about
	Tree   string   // its tree; empty if that was not learnt
	Index  string   // the sum of an index; empty if it has none
	Staged []string // what that index has other than Head; from the top
	Exact  worktree.Seals
	Clean  worktree.Seals // touched files whose content is as in the index
}

// staged lists the paths that differ between HEAD and the index, from the top
// of the work tree, less those elsewhere.
func (r *Repo) staged(ctx context.Context, index *gitindex.Index) ([]string, error) {
	var staged []string
	sum, tree := hex.EncodeToString(index.Sum), hex.EncodeToString(index.Tree)
	switch known := r.Known; {
	case r.Head == "":
		for _, entry := range index.Entries {
			staged = append(staged, string(entry.Name))
		}
	case known.Head == r.Head && tree != "" && known.Tree == tree:
	case known.Head == r.Head && sum != "" && known.Index == sum:
		staged = known.Staged
	default:
		out, err := r.git(ctx, "diff-index", "--cached", "--name-only", "-z", "--no-renames", "--no-relative", r.Head, "--")
		if err != nil {
			return nil, err
		}
		staged = SplitZ(out)
		r.Known = Known{Head: r.Head, Index: sum, Staged: staged, Exact: r.Known.Exact, Clean: r.Known.Clean}
		if len(staged) == 0 {
			r.Known.Tree = tree // without a difference the two are one
		}
	}
	return slices.DeleteFunc(slices.Clone(staged), func(path string) bool { return !strings.HasPrefix(path, r.Prefix) }), nil
}
