package git

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/internal/gittest"
)

// What git itself would commit, in repositories of every kind.
func TestStagedIn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		make func(gittest.Repo) (dir string, env []string)
		want []Staged
	}{
		{"nothing", func(r gittest.Repo) (string, []string) { return r.Dir, nil }, nil},
		{"before the first commit", func(r gittest.Repo) (string, []string) {
			r.Write("b c", "1")
			r.Write("a\n\"", "1")
			r.Write("untracked", "1")
			r.Git("add", "b c", "a\n\"")
			return r.Dir, nil
		}, []Staged{{Path: "a\n\"", File: true}, {Path: "b c", File: true}}},
		{"edited, deleted, renamed, only edited", func(r gittest.Repo) (string, []string) {
			withFiles(r, "deleted", "old", "edited", "only-edited", "staged-only", "gone")
			r.Git("config", "status.renames", "copies")
			r.Git("config", "status.showUntrackedFiles", "all")
			r.Git("config", "status.branch", "true")
			r.Git("config", "status.showStash", "true")
			r.Git("mv", "old", "new")
			r.Git("rm", "-q", "deleted")
			for _, name := range []string{"edited", "staged-only", "gone"} {
				r.Write(name, "2")
				r.Git("add", name)
			}
			r.Write("edited", "3")
			r.Write("only-edited", "3")
			r.Remove("gone")
			return r.Dir, nil
		}, []Staged{
			{Path: "deleted"}, {Path: "edited", File: true, Edited: true}, {Path: "gone", Edited: true},
			{Path: "new", File: true}, {Path: "old"}, {Path: "staged-only", File: true},
		}},
		{"a directory of the work tree", func(r gittest.Repo) (string, []string) {
			r.Write("sub/x", "1")
			r.Write("y", "1")
			r.Git("add", ".")
			return filepath.Join(r.Dir, "sub"), nil
		}, []Staged{{Path: "x", File: true}}},
		{"sparse", func(r gittest.Repo) (string, []string) {
			withFiles(r, "in/a", "out/a")
			r.Git("checkout", "-q", "-b", "side")
			r.Write("out/a", "2")
			r.Write("out/b", "2")
			r.Git("add", ".")
			r.Git("commit", "-q", "-m", "side")
			r.Git("checkout", "-q", "main")
			r.Git("sparse-checkout", "set", "in")
			r.Git("merge", "-q", "--no-ff", "--no-commit", "side")
			return r.Dir, nil
		}, []Staged{{Path: "out/a"}, {Path: "out/b"}}},
		{"a name that is a directory now", func(r gittest.Repo) (string, []string) {
			withFiles(r, "a")
			r.Write("a", "2")
			r.Git("add", "a")
			r.Remove("a")
			r.Write("a/b", "1")
			return r.Dir, nil
		}, []Staged{{Path: "a", Edited: true}}},
		{"SHA-256", func(r gittest.Repo) (string, []string) {
			r.Remove(".git")
			r.Git("init", "-q", "--object-format=sha256")
			withFiles(r, "a")
			r.Write("a", "2")
			r.Git("add", ".")
			return r.Dir, nil
		}, []Staged{{Path: "a", File: true}}},
		{"the index that the environment names", func(r gittest.Repo) (string, []string) {
			withFiles(r, "a")
			r.Write("b", "1")
			private := "GIT_INDEX_FILE=" + filepath.Join(r.Dir, ".git/private")
			r.Env = append(slices.Clone(r.Env), private)
			r.Git("read-tree", "HEAD")
			r.Git("add", "b")
			return r.Dir, []string{private}
		}, []Staged{{Path: "b", File: true}}},
		{"the repository that the environment names", func(r gittest.Repo) (string, []string) {
			r.Write("tree/b", "1")
			tree := filepath.Join(r.Dir, "tree")
			r.Git("-C", "tree", "--git-dir=../.git", "--work-tree=.", "add", "b")
			if err := os.Rename(filepath.Join(r.Dir, ".git"), filepath.Join(r.Dir, "dotfiles")); err != nil {
				panic(err)
			}
			return tree, []string{"GIT_DIR=" + filepath.Join(r.Dir, "dotfiles"), "GIT_WORK_TREE=" + tree}
		}, []Staged{{Path: "b", File: true}}},
		{"a conflict cannot be committed", func(r gittest.Repo) (string, []string) {
			withFiles(r, "a")
			r.Git("checkout", "-q", "-b", "side")
			r.Write("a", "2")
			r.Git("commit", "-qam", "2")
			r.Git("checkout", "-q", "main")
			r.Write("a", "3")
			r.Git("commit", "-qam", "3")
			r.Git("-c", "alias.m=!git merge -q side || :", "m")
			return r.Dir, nil
		}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			repo := gittest.New(t)
			dir, env := test.make(repo)
			got, err := StagedIn(t.Context(), dir, append(env, repo.Env...))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("StagedIn() mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// withFiles commits files of that name.
func withFiles(r gittest.Repo, names ...string) {
	for _, name := range names {
		r.Write(name, "1")
	}
	r.Git("add", ".")
	r.Git("commit", "-q", "-m", "base")
}

func TestStagedInNoRepository(t *testing.T) {
	t.Parallel()
	if got, err := StagedIn(t.Context(), t.TempDir(), os.Environ()); got != nil || err != nil {
		t.Errorf("StagedIn() = %v, %v", got, err)
	}
}
