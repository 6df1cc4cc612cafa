package filewatch

import (
	"context"
	"slices"
	"time"

	"discobot-hooks/internal/git"
)

func (w Watch) scanGit(ctx context.Context, repo *git.Repo, started time.Time, last *Snapshot) (*Scan, error) {
	if last != nil {
		repo.Known = last.Known
	}
	status, err := repo.Dirty(ctx)
	if err != nil {
		return nil, err
	}
	w.plainModes = repo.PlainModes
	scan := &Scan{watch: w, repo: repo, untracked: make(map[string]bool)}
	for _, d := range status {
		if w.excluded(d.Path) {
			continue
		}
		scan.dirty = append(scan.dirty, d.Path)
		if d.Untracked {
			scan.untracked[d.Path] = true
		}
	}
	scan.dirty = sortedUnion(scan.dirty)
	scan.Next = Snapshot{Git: true, Head: repo.Head, Known: repo.Known, Started: started.UnixNano(), Seen: make(map[string]Entry)}
	scan.Origin = Origin{Head: repo.Head}
	for _, path := range scan.dirty {
		if ctx.Err() != nil { // gigabytes may have to be read
			return nil, context.Cause(ctx)
		}
		scan.Next.Seen[path] = w.look(path, last)
	}
	if last == nil {
		scan.Changed = w.files(scan.dirty)
	} else {
		scan.Origin.Head = last.Head
		if err := scan.compare(ctx, last); err != nil {
			return nil, err
		}
	}
	scan.Origin = scan.Origin.Extend(scan)
	return scan, nil
}

// compare fills Changed: what the last evaluation recorded is compared with
// that, all else with the commit that it saw.
func (s *Scan) compare(ctx context.Context, last *Snapshot) error {
	committed, err := s.committedSince(ctx, last.Head)
	if err != nil {
		return err
	}
	var changed, clean []string
	for _, path := range sortedUnion(s.dirty, committed) {
		before, recorded := last.Seen[path]
		if !recorded {
			clean = append(clean, path)
			continue
		}
		now, looked := s.Next.Seen[path]
		if !looked {
			now = s.watch.look(path, last)
		}
		if !now.same(before) {
			changed = append(changed, path)
		}
	}
	differing, err := s.differing(ctx, last.Head, clean)
	if err != nil {
		return err
	}
	s.Changed = s.watch.files(sortedUnion(changed, differing))
	return nil
}

// follows tells whether HEAD came from `head` by commits, amended ones too.
// After a switch, a reset or a rebase what differs is not this turn's edits.
func (s *Scan) follows(ctx context.Context, head string) (bool, error) {
	ancestor, err := s.repo.IsAncestor(ctx, head)
	if err != nil || ancestor {
		return ancestor, err
	}
	return s.repo.OnlyCommitsSince(ctx, head)
}

// committedSince lists what the commits since `head` touched, nothing where
// HEAD does not follow it.
func (s *Scan) committedSince(ctx context.Context, head string) ([]string, error) {
	if head == s.repo.Head {
		return nil, nil
	}
	followed, err := s.follows(ctx, head)
	if err != nil || !followed {
		return nil, err
	}
	paths, err := s.repo.Committed(ctx, head, s.repo.Head)
	if err != nil {
		return nil, err
	}
	return s.watch.keep(paths), nil
}

// differing are those of the paths that differ from the commit `head`.
// Staging alone, `git rm --cached` and `git reset --soft` make a path dirty
// without a change. Where the commit is gone from the repository nothing says
// that they are the same, so all differ.
func (s *Scan) differing(ctx context.Context, head string, paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	differs, err := s.repo.DiffersFrom(ctx, head)
	if err != nil {
		return paths, ctx.Err()
	}
	slices.Sort(differs)
	asked := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !s.untracked[p] })
	blobs, err := s.repo.Blobs(ctx, head, asked)
	if err != nil {
		return paths, ctx.Err()
	}
	return slices.DeleteFunc(paths, func(path string) bool {
		if s.untracked[path] { // git diff knows only what is in the index
			blob, had := blobs[path]
			return had && s.watch.sameAsBlob(path, blob)
		}
		_, found := slices.BinarySearch(differs, path)
		return !found
	}), nil
}
