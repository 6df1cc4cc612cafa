package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"syscall"

	"discobot-hooks/frontmatter"
	"discobot-hooks/hook"
	"discobot-hooks/internal/git"
	"discobot-hooks/internal/workspace"
)

// maxScriptBytes bounds the file of a root hook, which is held in memory.
const maxScriptBytes = 16 << 20

// loaded is what the workspace holds, read once and before the first hook
// runs, so that no hook can change what a later one is.
type loaded struct {
	Hooks    []hook.Hook
	Problems []hook.Problem
	Scripts  map[string]script // of root hooks, by id
	Git      bool              // the workspace is in a git work tree
}

// A script is the file of a root hook as it was read.
type script struct {
	Content   []byte
	SHA256    string // in hex
	Committed bool   // HEAD holds the same bytes
}

// load reads the workspace with the identity of this process.
func load(ctx context.Context, ws workspace.Workspace, env []string) (loaded, error) {
	set, err := frontmatter.Load(ws.Dir)
	if err != nil {
		return loaded{}, err
	}
	_, inGit := git.TopLevel(ws.Dir)
	found := loaded{Hooks: set.Hooks, Problems: set.Problems, Scripts: make(map[string]script), Git: inGit}
	for _, h := range set.For(hook.Session) {
		if h.Action.RunAs != hook.AsRoot {
			continue
		}
		content, err := readScript(h.Action.Path)
		if err != nil {
			found.Problems = append(found.Problems, hook.Problem{File: h.File, Severity: hook.Error, Message: err.Error()})
			continue
		}
		sum := sha256.Sum256(content)
		found.Scripts[h.ID] = script{
			Content: content, SHA256: hex.EncodeToString(sum[:]),
			Committed: inGit && committed(ctx, ws, env, h, content),
		}
	}
	return found, nil
}

func readScript(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("read root hook: %w", err)
	}
	defer f.Close() // read only
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxScriptBytes {
		return nil, fmt.Errorf("read root hook: not a regular file of at most %d bytes", maxScriptBytes)
	}
	if info.Mode()&0o002 != 0 {
		return nil, fmt.Errorf("read root hook: anybody may write to it: run chmod o-w on it")
	}
	return io.ReadAll(io.LimitReader(f, maxScriptBytes))
}

// committed tells whether HEAD holds the file with these bytes.
func committed(ctx context.Context, ws workspace.Workspace, env []string, h hook.Hook, content []byte) bool {
	blob, err := git.Run(ctx, ws.Dir, env, "cat-file", "blob", "HEAD:./"+h.File)
	return err == nil && bytes.Equal(blob, content)
}
