package session

import (
	"bytes"
	"context"
	"fmt"

	"discobot-hooks/frontmatter"
	"discobot-hooks/hook"
	"discobot-hooks/internal/git"
	"discobot-hooks/internal/regular"
	"discobot-hooks/internal/workspace"
)

// Root hooks' files are held in memory, root's in the end: no sensible script
// comes near these.
const (
	maxScriptBytes = 1 << 20
	maxAllBytes    = 16 << 20
)

// loaded is what the workspace holds, read once and before the first hook
// runs, so that no hook can change what a later one is.
type loaded struct {
	Hooks    []hook.Hook
	Problems []hook.Problem
	Scripts  map[string]script // of root hooks, by id
	Git      bool              // the workspace is in a git work tree
	Warnings []string
}

// A script is the file of a root hook as it was read.
type script struct {
	Content   []byte
	Committed bool   // HEAD holds the same bytes
	Unread    string // why Content is empty, if it could not be read
}

// load reads the workspace with the identity of this process.
func load(ctx context.Context, ws workspace.Workspace, env []string) (loaded, error) {
	set, err := frontmatter.Load(ws.Dir)
	if err != nil {
		return loaded{}, err
	}
	_, inGit := git.TopLevel(ws.Dir)
	found := loaded{Hooks: set.Hooks, Problems: set.Problems, Scripts: make(map[string]script), Git: inGit}
	room := maxAllBytes
	for _, h := range set.For(hook.Session) {
		if h.Action.RunAs != hook.AsRoot {
			continue
		}
		content, err := regular.ReadAll(h.Action.Path, int64(min(room, maxScriptBytes)))
		if err != nil {
			found.Scripts[h.ID] = script{Unread: fmt.Sprintf("root hook: %v", err)}
			continue
		}
		room -= len(content)
		found.Scripts[h.ID] = script{Content: content, Committed: inGit && committed(ctx, ws, env, h, content)}
	}
	return found, nil
}

// committed tells whether HEAD holds the file with these bytes.
func committed(ctx context.Context, ws workspace.Workspace, env []string, h hook.Hook, content []byte) bool {
	blob, err := git.Run(ctx, ws.Dir, env, "cat-file", "blob", "HEAD:./"+h.File)
	return err == nil && bytes.Equal(blob, content)
}
