// Package filewatch tells which files of a workspace changed since the last
// evaluation, and which are dirty.
//
// Start with [Watch.Scan]. In a git work tree the candidates are what git
// calls dirty, and what was committed since; of these the changed ones differ
// in content, mode or presence from what the last evaluation saw. Elsewhere a
// snapshot of the whole tree answers the same. Modification times decide
// nothing: `mv`, `cp -p`, a clock that steps back and a coarse file system
// all fool them.
//
// Paths are relative to the workspace, slash-separated, and any bytes but
// NUL; lists are in byte order. What is ignored by git is never a candidate
// unless it is tracked.
package filewatch

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"discobot-hooks/internal/git"
)

// A Watch looks at one workspace. Its methods do not change it.
type Watch struct {
	Workspace string   // absolute
	StateRoot string   // absolute; `<session>/hooks/` below it are never candidates; may be empty
	Env       []string // for git

	plainModes bool // core.fileMode is false: the executable bit means nothing
}

// A File is a candidate: a file that is dirty, or was committed since the
// last evaluation.
type File struct {
	Path    string
	Deleted bool // it is not there any more
}

// A Scan is what one look at the workspace found.
type Scan struct {
	// Changed are the files that differ from what the last evaluation saw.
	// On the first one all candidates have changed.
	Changed []File

	// Next is what this evaluation saw: the `last` of the following Scan.
	Next Snapshot

	// Origin is where the candidates of hooks that become pending now begin;
	// see [Scan.Since]. Later evaluations extend it with [Origin.Extend].
	Origin Origin

	watch     Watch
	repo      *git.Repo // nil: no git
	dirty     []string
	untracked map[string]bool
}

// Scan compares the workspace with what the last evaluation saw. A nil `last`
// means that there was none.
func (w Watch) Scan(ctx context.Context, last *Snapshot) (*Scan, error) {
	started := time.Now()
	w = w.real()
	repo, err := git.Open(ctx, w.Workspace, w.Env)
	if err != nil {
		return nil, err
	}
	if last != nil && last.Git != (repo != nil) {
		last = nil // `git init` or its opposite: what was seen then says nothing now
	}
	if repo == nil {
		return w.scanTree(ctx, started, last)
	}
	return w.scanGit(ctx, repo, started, last)
}

// Since lists the candidates since an origin: the files that are dirty now,
// and those committed since. A hook that stays pending over several turns is
// given all of them, not only those just changed. Where history was rewritten
// since (rebase, reset), the files that made the hook pending stand for what
// was committed, unless they are again as they were.
func (s *Scan) Since(ctx context.Context, origin Origin) ([]File, error) {
	if s.repo == nil {
		return s.watch.files(origin.Paths), nil
	}
	followed, err := s.follows(ctx, origin.Head)
	if err != nil {
		return nil, err
	}
	var hidden []string
	if followed {
		hidden, err = s.committedSince(ctx, origin.Head)
	} else {
		hidden, err = s.differing(ctx, origin.Head, slices.Clone(origin.Paths))
	}
	if err != nil {
		return nil, err
	}
	return s.watch.files(sortedUnion(s.dirty, hidden)), nil
}

// files makes candidates of paths: each says whether it is still there.
func (w Watch) files(paths []string) []File {
	files := make([]File, 0, len(paths))
	for _, path := range paths {
		_, there := lstat(filepath.Join(w.Workspace, filepath.FromSlash(path)))
		files = append(files, File{Path: path, Deleted: !there})
	}
	return files
}

// real follows the links in the workspace's and the state's path, so that the
// one can be found in the other.
func (w Watch) real() Watch {
	for _, path := range []*string{&w.Workspace, &w.StateRoot} {
		if real, err := filepath.EvalSymlinks(*path); err == nil { // else it is not there, and nothing lies in it
			*path = real
		}
	}
	return w
}

// excluded tells whether a path is our own state, which is part of the
// workspace where somebody's home is one. There `.discobot` is shared: only
// what lies in a session's `hooks` is state, the workspace's own hooks are not.
func (w Watch) excluded(path string) bool {
	below, ok := strings.CutPrefix(w.Workspace+"/"+path, w.StateRoot+"/")
	if !ok || w.StateRoot == "" {
		return false
	}
	_, inSession, _ := strings.Cut(below, "/")
	return strings.HasPrefix(inSession, "hooks/")
}

func (w Watch) keep(paths []string) []string {
	return slices.DeleteFunc(paths, w.excluded)
}

// sortedUnion merges lists of paths into one without repetitions.
func sortedUnion(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}
