package filewatch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"discobot-hooks/internal/gitignore"
	"discobot-hooks/internal/regular"
)

// prunedDirs are never looked into where there is no git to say what counts.
var prunedDirs = map[string]bool{".git": true, "node_modules": true}

// scanTree answers without git: every file of the tree is compared with the
// last snapshot, less what a .gitignore names.
func (w Watch) scanTree(ctx context.Context, started time.Time, last *Snapshot) (*Scan, error) {
	scan := &Scan{watch: w}
	scan.Next = Snapshot{Started: started.UnixNano(), Seen: make(map[string]Entry)}
	walk := treeWalk{ctx: ctx, watch: w, last: last, seen: scan.Next.Seen}
	if err := walk.directory("", nil); err != nil {
		return nil, err
	}
	var changed []string
	for path, entry := range scan.Next.Seen {
		if before, ok := last.entry(path); !ok || !entry.same(before) {
			changed = append(changed, path)
		}
	}
	if last != nil {
		for path := range last.Seen {
			if _, still := scan.Next.Seen[path]; !still {
				changed = append(changed, path)
			}
		}
	}
	scan.Changed = w.files(sortedUnion(changed))
	for _, file := range scan.Changed {
		scan.Origin.Paths = append(scan.Origin.Paths, file.Path)
	}
	return scan, nil
}

func (s *Snapshot) entry(path string) (Entry, bool) {
	if s == nil {
		return Entry{}, false
	}
	entry, ok := s.Seen[path]
	return entry, ok
}

type treeWalk struct {
	ctx   context.Context // of the one walk
	watch Watch
	last  *Snapshot
	seen  map[string]Entry
}

// directory adds what lies below dir, a path with a slash at its end or the
// empty one for the workspace. Rules are those of the directories above.
func (t *treeWalk) directory(dir string, rules []gitignore.List) error {
	full := filepath.Join(t.watch.Workspace, filepath.FromSlash(dir))
	entries, err := os.ReadDir(full)
	switch {
	case dir != "" && (errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist)):
		return nil // unreadable, as git skips it, or gone since it was listed
	case err != nil:
		return fmt.Errorf("scan workspace: %w", err)
	}
	rules = append(rules[:len(rules):len(rules)], readIgnore(full, dir))
	for _, e := range entries {
		if t.ctx.Err() != nil {
			return context.Cause(t.ctx)
		}
		path := dir + e.Name()
		if t.watch.excluded(path) || e.IsDir() && prunedDirs[e.Name()] ||
			ignored(rules, path, e.IsDir()) {
			continue
		}
		if e.IsDir() {
			if err := t.directory(path+"/", rules); err != nil {
				return err
			}
			continue
		}
		if entry := t.watch.look(path, t.last); entry.Kind != kindOther { // git does not list pipes and sockets
			t.seen[path] = entry
		}
	}
	return nil
}

// ignored asks the directories' rules, the innermost first. What would take
// too long to tell is not ignored: rather a file too many than one missed.
func ignored(rules []gitignore.List, path string, isDir bool) bool {
	for _, list := range slices.Backward(rules) {
		if verdict := list.Match(path, isDir); verdict != gitignore.Silent {
			return verdict == gitignore.Ignored
		}
	}
	return false
}

// maxIgnoreFile is far above what people write.
const maxIgnoreFile = 4 << 20 // bytes

// readIgnore reads the .gitignore of one directory. One that cannot be read
// rules out nothing.
func readIgnore(full, dir string) gitignore.List {
	text, err := regular.ReadAll(filepath.Join(full, ".gitignore"), maxIgnoreFile)
	if err != nil {
		return gitignore.List{}
	}
	return gitignore.Parse(text, strings.TrimSuffix(dir, "/"))
}
