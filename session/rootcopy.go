package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"discobot-hooks/hook"
	"discobot-hooks/internal/account"
)

// rootScripts are the root hooks that may run, as copies in a directory that
// only root can enter. Root runs these: the files in the workspace can be
// exchanged between our reading them and the kernel's.
type rootScripts struct {
	dir     string              // empty where there are no copies
	paths   map[string]string   // by hook id
	heads   map[string][]string // interpreter and its argument, by hook id
	refused map[string]string   // why a hook must not run, by hook id
}

// copyRootHooks decides which root hooks may run, and copies them where the
// user's identity differs from ours. What the user's side says of a hook is
// checked first; one that fails any check is refused, and the others go on.
func (s Stage) copyRootHooks(found loaded) rootScripts {
	scripts := rootScripts{paths: make(map[string]string), heads: make(map[string][]string), refused: make(map[string]string)}
	for _, h := range found.Hooks {
		if h.Event != hook.Session || h.Action.RunAs != hook.AsRoot {
			continue
		}
		script := found.Scripts[h.ID]
		reason := s.refusal(h, script)
		if reason == "" && s.drops() {
			if err := scripts.add(h, script); err != nil {
				reason = fmt.Sprintf("copy root hook: %v", err)
			}
		}
		if reason != "" {
			scripts.refused[h.ID] = reason
		}
	}
	return scripts
}

// refusal is why a root hook must not run, or nothing.
func (s Stage) refusal(h hook.Hook, script script) string {
	switch {
	case !s.Root:
		return "run_as: root, but we do not run as root"
	case !plainName(h.ID) || path.Dir(h.File) != hook.Dir || !plainName(path.Base(h.File)):
		return "its id or name is none" // frontmatter makes no such thing
	case script.Unread != "":
		return script.Unread
	}
	sum := sha256.Sum256(script.Content)
	sha := hex.EncodeToString(sum[:])
	s.Log.Info().Str("hook", h.ID).Str("sha256", sha).Bool("differs_from_head", !script.Committed).Msg("root hook")
	return s.RootHooks.refusal(sha, script.Committed)
}

func plainName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.Contains(name, "/")
}

// add copies one script under its own name, which it may ask for as $0.
func (r *rootScripts) add(h hook.Hook, s script) error {
	head, err := interpreter(s.Content)
	if err != nil {
		return err
	}
	if r.dir == "" {
		if r.dir, err = makeCopyDir(); err != nil {
			return err
		}
	}
	file := filepath.Join(r.dir, h.ID, path.Base(h.File))
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(file, s.Content, 0o700); err != nil {
		return err
	}
	r.paths[h.ID], r.heads[h.ID] = file, head
	return nil
}

const copyPrefix = "discobot-hooks-"

// makeCopyDir makes the directory of the copies in /run or, in an image
// without it, in /tmp: never where a variable of the environment says, since
// whoever owns a directory can exchange what lies in it.
func makeCopyDir() (string, error) {
	var all error
	for _, parent := range []string{"/run", "/tmp"} {
		if !account.KeepsNames(parent) {
			all = errors.Join(all, fmt.Errorf("%s: not root's alone to rename in", parent))
			continue
		}
		sweepCopies(parent)
		dir, err := os.MkdirTemp(parent, copyPrefix+strconv.Itoa(os.Getpid())+"-")
		if err == nil {
			return dir, nil
		}
		all = errors.Join(all, err)
	}
	return "", all
}

// sweepCopies removes what stages that were killed have left.
func sweepCopies(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return // the next start tries again
	}
	for _, entry := range entries {
		rest, ours := strings.CutPrefix(entry.Name(), copyPrefix)
		text, _, _ := strings.Cut(rest, "-")
		pid, err := strconv.Atoi(text)
		if !ours || err != nil || pid <= 0 || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			continue
		}
		dir := filepath.Join(parent, entry.Name())
		if account.OwnedByRoot(dir) {
			_ = os.RemoveAll(dir) // likewise
		}
	}
}

// argv is how the kernel would run the copy: interpreter, its one argument,
// the script (execve(2), "Interpreter scripts"). Doing it ourselves works on
// a /run that is mounted noexec, too.
func (r rootScripts) argv(h hook.Hook) (file string, args []string) {
	head := r.heads[h.ID]
	return head[0], append(head[1:len(head):len(head)], r.paths[h.ID])
}

func (r rootScripts) remove() {
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
