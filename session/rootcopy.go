package session

import (
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

// copyRootHooks decides which root hooks may run, and copies them where the
// user's identity differs from ours. What the user's side says of a hook is
// checked first; one that fails any check is refused, and the others go on.
func (s Stage) copyRootHooks(found loaded) copies {
	scripts := newCopies(makeCopyDir)
	for _, h := range found.Hooks {
		if h.Event != hook.Session || h.Action.RunAs != hook.AsRoot {
			continue
		}
		script := found.Scripts[h.ID]
		reason := s.refusal(h, script)
		if reason == "" && s.drops() {
			if err := scripts.add(h, script.Content); err != nil {
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
