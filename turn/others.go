package turn

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"discobot-hooks/filewatch"
	"discobot-hooks/internal/regular"
)

// sessionLife is how long after its last evaluation a session counts as live:
// its agent may have been left alone overnight, hardly for longer.
const sessionLife = 24 * time.Hour

// disown takes out of the scan what other sessions of this workspace edited: a
// changed file that is as another session's last evaluation saw it was edited
// before that one looked. It is that session's to mend, unless that one disowned it
// in turn. Whoever edits it next owns it.
//
// What snapshots cannot tell: a file of ours that another session's evaluation
// happened to see first is taken for that session's.
func (e Evaluator) disown(ctx context.Context, scan *filewatch.Scan, before state) (filewatch.Seen, error) {
	foreign := scan.Unchanged(before.Foreign)
	moved := before.Snapshot == nil || scan.Next.Head != before.Snapshot.Head
	for path := range foreign {
		if _, dirty := scan.Next.Seen[path]; !dirty && len(before.Pending) == 0 && !moved {
			delete(foreign, path) // committed before the last evaluation: only a pending hook could still be given it
		}
	}
	var open []string
	for _, file := range scan.Changed {
		if _, known := foreign[file.Path]; !known {
			open = append(open, file.Path)
		}
	}
	if len(open) == 0 {
		return foreign, nil
	}
	for _, other := range e.otherSessions() {
		seen, err := other.owns(ctx, scan, open)
		if err != nil {
			return nil, err
		}
		for path, entry := range seen {
			foreign[path] = entry
		}
	}
	scan.Changed = notIn(foreign, scan.Changed)
	return foreign, nil
}

// notIn are the files that are not another session's.
func notIn(foreign filewatch.Seen, files []filewatch.File) []filewatch.File {
	return slices.DeleteFunc(files, func(f filewatch.File) bool {
		_, theirs := foreign[f.Path]
		return theirs
	})
}

// A session is what another session's last evaluation left that concerns us.
type session struct {
	Workspace string              `json:"workspace"`
	Snapshot  *filewatch.Snapshot `json:"snapshot"`
	Foreign   filewatch.Seen      `json:"foreign"`
}

// owns are those of the paths that the session saw as they are now and did not
// disown. What it disowned may be ours, where our own state is gone: taken for
// its, nobody would check it.
func (s session) owns(ctx context.Context, scan *filewatch.Scan, paths []string) (filewatch.Seen, error) {
	seen, err := scan.SeenBy(ctx, s.Snapshot, paths)
	for path := range scan.Unchanged(s.Foreign) {
		delete(seen, path)
	}
	return seen, err
}

// otherSessions are the other live sessions of this workspace. One whose state
// cannot be read has no say.
func (e Evaluator) otherSessions() (sessions []session) {
	for _, dir := range stateDirs(e.Workspace.StateRoot) {
		at, err := filewatch.MarkedAt(dir)
		if err != nil || dir == e.Store.Dir() || time.Since(at) > sessionLife {
			continue
		}
		var other session
		if decodeJSON(dir, &other) == nil && other.Workspace == e.root() && other.Snapshot != nil {
			sessions = append(sessions, other)
		}
	}
	return sessions
}

// stateDirs are the directories of all sessions' states.
func stateDirs(root string) (dirs []string) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		dirs = append(dirs, filepath.Join(root, entry.Name(), "hooks"))
	}
	return dirs
}

func decodeJSON(dir string, into any) error {
	content, err := regular.ReadAll(filepath.Join(dir, stateName), maxStateBytes)
	if err != nil {
		return err
	}
	return json.Unmarshal(content, into)
}

// root is the workspace's real path: two names of one directory are one.
func (e Evaluator) root() string {
	if real, err := filepath.EvalSymlinks(e.Workspace.Dir); err == nil {
		return real
	}
	return e.Workspace.Dir
}
