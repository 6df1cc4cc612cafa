package session

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"discobot-hooks/hook"
)

// rootScripts are copies of the root hooks in a directory that only root can
// enter. Root runs these: the files in the workspace can be exchanged between
// our reading them and the kernel's.
type rootScripts struct {
	dir   string // empty where there are none
	paths map[string]string
	heads map[string][]string // interpreter and its argument
}

var errNoInterpreter = errors.New("no interpreter in the first line")

// copyRootHooks writes the copies where the user's identity differs from
// ours, else nothing.
func (s Stage) copyRootHooks(found loaded) (rootScripts, error) {
	if !s.drops() || len(found.Scripts) == 0 {
		return rootScripts{}, nil
	}
	scripts := rootScripts{paths: make(map[string]string), heads: make(map[string][]string)}
	var err error
	if scripts.dir, err = os.MkdirTemp("/run", "discobot-hooks-"); err != nil {
		scripts.dir, err = os.MkdirTemp("", "discobot-hooks-") // an image without /run
	}
	if err != nil {
		return rootScripts{}, fmt.Errorf("copy root hooks: %w", err)
	}
	for _, h := range found.Hooks {
		if script, ok := found.Scripts[h.ID]; ok {
			if err := scripts.add(h, script); err != nil {
				return scripts, fmt.Errorf("copy root hook %s: %w", h.File, err)
			}
		}
	}
	return scripts, nil
}

// add copies one script under its own name, which it may ask for as $0.
func (r rootScripts) add(h hook.Hook, s script) error {
	head, err := interpreter(s.Content)
	if err != nil {
		return err
	}
	file := filepath.Join(r.dir, h.ID, path.Base(h.File))
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	r.paths[h.ID], r.heads[h.ID] = file, head
	return os.WriteFile(file, s.Content, 0o700)
}

// argv is how the kernel would run the copy: interpreter, its one argument,
// the script (execve(2), "Interpreter scripts"). Doing it ourselves works on
// a /run that is mounted noexec, too.
func (r rootScripts) argv(h hook.Hook) (file string, args []string) {
	head, ok := r.heads[h.ID]
	if !ok {
		return "", nil // cannot start, and is recorded so
	}
	return head[0], append(head[1:len(head):len(head)], r.paths[h.ID])
}

func (r rootScripts) remove() {
	if r.dir != "" {
		_ = os.RemoveAll(r.dir) // root's own; at worst it stays until /run is cleared
	}
}

// interpreter reads the first line as the kernel does: a path and at most
// one argument, which may hold spaces.
func interpreter(content []byte) ([]string, error) {
	line, _, _ := bytes.Cut(content, []byte{'\n'})
	text, ok := strings.CutPrefix(string(line), "#!")
	if !ok {
		return nil, errNoInterpreter
	}
	text = strings.Trim(text, " \t")
	end := strings.IndexAny(text, " \t")
	switch {
	case text == "":
		return nil, errNoInterpreter
	case end < 0:
		return []string{text}, nil
	}
	return []string{text[:end], strings.Trim(text[end:], " \t")}, nil
}
