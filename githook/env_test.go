package githook

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A hook's tests must not commit to the repository that is committing; but an
// index that git built for `commit -a` or `commit FILE` is what is committed.
func TestHookEnv(t *testing.T) {
	t.Parallel()
	gitDir := t.TempDir()
	if err := os.WriteFile(filepath.Join(gitDir, "HEAD"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	next, err := filepath.Abs("next-index-1.lock")
	if err != nil {
		t.Fatal(err)
	}
	git := []string{"PATH=/bin", "GIT_DIR=.git", "GIT_WORK_TREE=.", "GIT_PREFIX=sub/", "GIT_AUTHOR_NAME=A", "GIT_EDITOR=:"}
	kept := []string{"PATH=/bin", "GIT_AUTHOR_NAME=A", "GIT_EDITOR=:"}
	tests := []struct {
		name, index string
		want        []string
	}{
		{"the repository's own", "GIT_INDEX_FILE=" + gitDir + "/index", kept},
		{"a caller's own of that name", "GIT_INDEX_FILE=/ci/index", append(append([]string{}, kept...), "GIT_INDEX_FILE=/ci/index")},
		{"git commit FILE", "GIT_INDEX_FILE=next-index-1.lock", append(append([]string{}, kept...), "GIT_INDEX_FILE="+next)},
		{"commit -a", "GIT_INDEX_FILE=/r/.git/index.lock", append(append([]string{}, kept...), "GIT_INDEX_FILE=/r/.git/index.lock")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := Environ(append(append([]string{}, git...), test.index))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Environ() mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// What git says of repository and index holds for our own question too, from
// whichever directory it is asked.
func TestAskEnviron(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name      string
		env, want []string
	}{
		{"an ordinary commit", []string{"A=1", "GIT_INDEX_FILE=.git/index", "GIT_PREFIX=sub/"}, []string{"A=1", "GIT_INDEX_FILE=" + here + "/.git/index", "GIT_PREFIX=sub/"}},
		{"a linked work tree", []string{"GIT_DIR=/r/.git/worktrees/x"}, []string{"GIT_DIR=/r/.git/worktrees/x", "GIT_WORK_TREE=" + here}},
		{"--git-dir and --work-tree", []string{"GIT_DIR=../dot", "GIT_WORK_TREE=."}, []string{"GIT_DIR=" + filepath.Dir(here) + "/dot", "GIT_WORK_TREE=" + here}},
		{"by hand", []string{"A=1"}, []string{"A=1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, askEnviron(test.env)); diff != "" {
				t.Errorf("askEnviron() mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
