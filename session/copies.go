package session

import (
	"bytes"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"

	"discobot-hooks/hook"
)

// copies are hooks that run from a copy: their files in the workspace can be
// exchanged between our reading them and the kernel's.
type copies struct {
	makeDir func() (string, error)
	dir     string              // empty where there are no copies
	paths   map[string]string   // by hook id
	heads   map[string][]string // interpreter and its argument, by hook id
	refused map[string]string   // why a hook must not run, by hook id
}

func newCopies(makeDir func() (string, error)) copies {
	return copies{makeDir: makeDir, paths: make(map[string]string), heads: make(map[string][]string), refused: make(map[string]string)}
}

// add copies one script under its own name, which it may ask for as $0.
func (r *copies) add(h hook.Hook, content []byte) error {
	head, err := interpreter(content)
	if err != nil {
		return err
	}
	if r.dir == "" {
		if r.dir, err = r.makeDir(); err != nil {
			return err
		}
	}
	file := filepath.Join(r.dir, h.ID, path.Base(h.File))
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(file, content, 0o700); err != nil {
		return err
	}
	r.paths[h.ID], r.heads[h.ID] = file, head
	return nil
}

// argv is how the kernel would run the copy: interpreter, its one argument,
// the script (execve(2), "Interpreter scripts"). Doing it ourselves works on
// a /run that is mounted noexec, too.
//
// A hook without a copy is its own file.
func (r copies) argv(h hook.Hook) (file string, args []string) {
	head := r.heads[h.ID]
	if head == nil {
		return h.Action.Path, nil
	}
	return head[0], append(head[1:len(head):len(head)], r.paths[h.ID])
}

func (r copies) remove() {
	if r.dir != "" {
		_ = os.RemoveAll(r.dir) // the next start tries again
	}
}

var errNoInterpreter = errors.New("no interpreter with an absolute path in the first line")

// interpreter reads the first line as the kernel does: a path and at most
// one argument, which may hold spaces. A relative path would mean a file of
// the workspace, the user's.
func interpreter(content []byte) ([]string, error) {
	line, _, _ := bytes.Cut(content, []byte{'\n'})
	text, ok := strings.CutPrefix(string(line), "#!")
	text = strings.Trim(text, " \t")
	if !ok || !strings.HasPrefix(text, "/") {
		return nil, errNoInterpreter
	}
	end := strings.IndexAny(text, " \t")
	if end < 0 {
		return []string{text}, nil
	}
	return []string{text[:end], strings.Trim(text[end:], " \t")}, nil
}
