package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"discobot-hooks/frontmatter"
	"discobot-hooks/hook"
	"discobot-hooks/internal/regular"
	"discobot-hooks/internal/trust"
	"discobot-hooks/internal/workspace"
)

// A Seen is a session hook and its file's content, read once: what is checked
// and what runs must be the same bytes.
type Seen struct {
	Hook    hook.Hook
	Content []byte
	Sum     string // its SHA-256, as package trust has it
	Unread  string // why there is neither, if the file could not be read
}

// Look reads a workspace's session hooks, in their order, and what is wrong
// with any hook.
func Look(ws workspace.Workspace) ([]*Seen, []hook.Problem, error) {
	set, err := frontmatter.Load(ws.Dir)
	if err != nil {
		return nil, nil, err
	}
	hooks := set.For(hook.Session)
	if len(hooks) == 0 {
		return nil, set.Problems, nil
	}
	root, err := os.OpenRoot(ws.Dir)
	if err != nil {
		return nil, nil, fmt.Errorf("read hooks: %w", err)
	}
	defer root.Close() // read only
	seen, room := make([]*Seen, 0, len(hooks)), maxAllBytes
	for _, h := range hooks {
		content, err := readIn(root, h.File, int64(min(room, maxScriptBytes)))
		if err == nil && !frontmatter.Makes(h, content) {
			err = errors.New("changed while we read it: try again")
		}
		if err != nil {
			seen = append(seen, &Seen{Hook: h, Unread: err.Error()})
			continue
		}
		seen = append(seen, &Seen{Hook: h, Content: content, Sum: trust.Sum(content)})
		room -= len(content)
	}
	return seen, set.Problems, nil
}

// readIn reads a regular file below root, also through links that stay there.
func readIn(root *os.Root, name string, limit int64) ([]byte, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, regular.ErrNotRegular)
	}
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fmt.Errorf("read %s: %w: more than %d bytes", name, regular.ErrTooLarge, limit)
	}
	return content, err
}
