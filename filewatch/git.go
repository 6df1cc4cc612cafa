package filewatch

import (
	"context"
	"slices"
	"time"

	"discobot-hooks/internal/git"
)

func (w Watch) scanGit(ctx context.Context, repo *git.Repo, started time.Time, last *Snapshot) (*Scan, error) {
	status, err := repo.Dirty(ctx)
	if err != nil {
		return nil, err
	}
	w.plainModes = repo.PlainModes
	scan := &Scan{watch: w, repo: repo}
	untracked := make(map[string]bool)
	for _, d := range status {
		if w.excluded(d.Path) {
			continue
		}
		scan.dirty = append(scan.dirty, d.Path)
		if d.Untracked {
			untracked[d.Path] = true
		}
	}
	scan.dirty = sortedUnion(scan.dirty)
	scan.Next = Snapshot{Git: true, Head: repo.Head, Started: started.UnixNano(), Seen: make(map[string]Entry)}
	scan.Origin = Origin{Head: repo.Head}
	for _, path := range scan.dirty {
		scan.Next.Seen[path] = w.look(path, last)
	}
	if last == nil {
		scan.Changed = w.files(scan.dirty)
		return scan, nil
	}
	scan.Origin = Origin{Head: last.Head}
	return scan, scan.compare(ctx, last, untracked)
}

// compare fills Changed: what the last evaluation recorded is compared with
// that, all else with the commit that it saw.
func (s *Scan) compare(ctx context.Context, last *Snapshot, untracked map[string]bool) error {
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
	differing, err := s.differing(ctx, last.Head, clean, untracked)
	if err != nil {
		return err
	}
	s.Changed = s.watch.files(sortedUnion(changed, differing))
	return nil
}

// committedSince lists what the commits since `head` touched. After a switch
// to another line of history the answer is nothing: those are not the edits
// of this turn.
func (s *Scan) committedSince(ctx context.Context, head string) ([]string, error) {
	if head == s.repo.Head {
		return nil, nil
	}
	ancestor, err := s.repo.IsAncestor(ctx, head)
	if err != nil || !ancestor {
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
func (s *Scan) differing(ctx context.Context, head string, paths []string, untracked map[string]bool) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	differs, err := s.repo.DiffersFrom(ctx, head)
	if err != nil {
		return paths, ctx.Err()
	}
	slices.Sort(differs)
	asked := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !untracked[p] })
	blobs, err := s.repo.Blobs(ctx, head, asked)
	if err != nil {
		return paths, ctx.Err()
	}
	return slices.DeleteFunc(paths, func(path string) bool {
		if untracked[path] { // git diff knows only what is in the index
			blob, had := blobs[path]
			return had && s.watch.sameAsBlob(path, blob)
		}
		_, found := slices.BinarySearch(differs, path)
		return !found
	}), nil
}
