package githook

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"discobot-hooks/run"
)

// Environ is git's environment for a hook, less what would make a git that a
// hook runs, in a test say, commit to the repository that is committing.
//
// One variable stays where it matters: `git commit -a` and `git commit FILE`
// build an index of their own, and a check of what is being committed must
// look there. The default index is found without help.
func Environ(env []string) []string {
	kept := run.InheritedEnv(env)
	for _, entry := range env {
		index, ok := strings.CutPrefix(entry, "GIT_INDEX_FILE=")
		if !ok {
			continue
		}
		if absolute, err := filepath.Abs(index); err == nil && !isDefaultIndex(absolute) {
			kept = append(kept, "GIT_INDEX_FILE="+absolute)
		}
	}
	return kept
}

// isDefaultIndex tells a repository's own index: it is named so and lies
// beside a HEAD, in linked work trees too (gitrepository-layout(5)).
func isDefaultIndex(path string) bool {
	_, err := os.Lstat(filepath.Join(filepath.Dir(path), "HEAD"))
	return err == nil && filepath.Base(path) == "index"
}

// askEnviron is git's environment for a question of our own: just as git gave
// it, since it says which repository and which index the commit is made from,
// but seen from any directory.
func askEnviron(env []string) []string {
	env = slices.Clone(env)
	dir, tree := false, false
	for i, entry := range env {
		name, path, _ := strings.Cut(entry, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE":
			if absolute, err := filepath.Abs(path); err == nil {
				env[i] = name + "=" + absolute
			}
			dir, tree = dir || name == "GIT_DIR", tree || name == "GIT_WORK_TREE"
		}
	}
	// git runs its hooks at the top of the work tree, and would take any other
	// directory for that.
	if here, err := os.Getwd(); err == nil && dir && !tree {
		env = append(env, "GIT_WORK_TREE="+here)
	}
	return env
}
