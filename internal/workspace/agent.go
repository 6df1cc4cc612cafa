package workspace

import (
	"os"
	"path/filepath"
	"strings"

	"discobot-hooks/hook"
	"discobot-hooks/internal/git"
	"discobot-hooks/internal/regular"
)

// OfAgent is the workspace that an agent works in, by the directories that it names:
// where it is first, then those of its project. Where it is, its `cd` may have led: to a
// dependency that has hooks of its own, say. So a project with hooks that holds that
// directory comes first, then the first directory of a workspace with hooks,
// then the first that is there. Empty: none is.
func OfAgent(dirs []string) string {
	first := ""
	for i, dir := range dirs {
		around := Around(dir)
		with := around != "" && HasHooks(around)
		if with && i > 0 && holds(around, dirs[0]) {
			return around
		}
		if first == "" || with && !HasHooks(first) {
			first = around
		}
	}
	return first
}

// holds tells whether a directory is part of a project: at or below it, and not in
// a linked work tree (git-worktree(1)), which has the project's files once more.
func holds(project, dir string) bool {
	project, dir = real(project), real(dir)
	if dir != project && !strings.HasPrefix(dir, strings.TrimSuffix(project, "/")+"/") {
		return false
	}
	top, ok := git.TopLevel(dir)
	return !ok || len(top) <= len(project) || !linked(top)
}

func real(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// maxGitFile is more than a path and what stands before it.
const maxGitFile = 8 << 10

func linked(top string) bool {
	content, err := regular.ReadAll(filepath.Join(top, ".git"), maxGitFile)
	return err == nil && strings.Contains(string(content), "/worktrees/") // else a repository or a submodule
}

// Around is the workspace that a directory of an agent's belongs to: the nearest
// one at or above it that has hooks, within its git work tree; else that work
// tree, else the directory itself. It is empty where there is no such directory.
func Around(dir string) string {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	top, ok := git.TopLevel(dir)
	if !ok {
		return dir
	}
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		if HasHooks(at) {
			return at
		}
		if at == top {
			break
		}
	}
	return top
}

// HasHooks tells whether a directory has a place for hooks.
func HasHooks(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(hook.Dir)))
	return err == nil && info.IsDir()
}
