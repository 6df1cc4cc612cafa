package githook

import (
	"os"
	"path/filepath"
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
