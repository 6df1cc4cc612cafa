package filewatch_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"discobot-hooks/filewatch"
	"discobot-hooks/internal/gittest"
)

// Each is a way in which a look at modification times, or at what git calls
// dirty alone, is wrong.
func TestTraps(t *testing.T) {
	t.Parallel()
	old := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	touch := func(t *testing.T, r gittest.Repo, path string, when time.Time) {
		t.Helper()
		if err := os.Chtimes(filepath.Join(r.Dir, path), when, when); err != nil {
			t.Fatal(err)
		}
	}
	rename := func(t *testing.T, r gittest.Repo, from, to string) {
		t.Helper()
		if err := os.Rename(filepath.Join(r.Dir, from), filepath.Join(r.Dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name string
		do   func(*testing.T, gittest.Repo)
		want []string
	}{
		{"edit", func(t *testing.T, r gittest.Repo) { r.Write("a", "new") }, []string{"a"}},
		{"new file", func(t *testing.T, r gittest.Repo) { r.Write("n", "new") }, []string{"n"}},
		{"touch", func(t *testing.T, r gittest.Repo) { touch(t, r, "a", time.Now()) }, nil},
		{"touch of a dirty file", func(t *testing.T, r gittest.Repo) { touch(t, r, "dirty", time.Now()) }, nil},
		{"identical rewrite", func(t *testing.T, r gittest.Repo) { r.Write("a", "a\n"); r.Write("dirty", "dirty\n") }, nil},
		{"same size and time set back", func(t *testing.T, r gittest.Repo) {
			r.Write("a", "b\n")
			touch(t, r, "a", old)
			r.Write("dirty", "dirtx\n")
			touch(t, r, "dirty", old)
		}, []string{"a", "dirty"}},
		{"time in the future", func(t *testing.T, r gittest.Repo) { touch(t, r, "dirty", time.Now().Add(time.Hour)) }, nil},
		{"mv keeps the time", func(t *testing.T, r gittest.Repo) { rename(t, r, "a", "z") }, []string{"-a", "z"}},
		{"mv over another", func(t *testing.T, r gittest.Repo) { rename(t, r, "a", "b") }, []string{"-a", "b"}},
		{"directory renamed", func(t *testing.T, r gittest.Repo) { rename(t, r, "d", "e") }, []string{"-d/x", "-d/y", "e/x", "e/y"}},
		{"deletion", func(t *testing.T, r gittest.Repo) { r.Remove("a") }, []string{"-a"}},
		{"deletion of an untracked file", func(t *testing.T, r gittest.Repo) { r.Remove("dirty") }, nil},
		{"chmod +x", func(t *testing.T, r gittest.Repo) {
			if err := os.Chmod(filepath.Join(r.Dir, "a"), 0o755); err != nil {
				t.Fatal(err)
			}
		}, []string{"a"}},
		{"chmod of other bits", func(t *testing.T, r gittest.Repo) {
			if err := os.Chmod(filepath.Join(r.Dir, "a"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, nil},
		{"symlink retargeted", func(t *testing.T, r gittest.Repo) {
			r.Remove("link")
			if err := os.Symlink("b", filepath.Join(r.Dir, "link")); err != nil {
				t.Fatal(err)
			}
		}, []string{"link"}},
		{"target of a symlink changed outside", func(t *testing.T, r gittest.Repo) {
			if err := os.WriteFile(filepath.Join(r.Dir, "..", "outside"), []byte("new"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, nil},
		{"file becomes a directory", func(t *testing.T, r gittest.Repo) { r.Remove("a"); r.Write("a/in", "x") }, []string{"-a", "a/in"}},
		{"directory becomes a symlink", func(t *testing.T, r gittest.Repo) {
			r.Remove("d")
			if err := os.Symlink("..", filepath.Join(r.Dir, "d")); err != nil {
				t.Fatal(err)
			}
		}, []string{"d", "-d/x", "-d/y"}},
		{"staging alone", func(t *testing.T, r gittest.Repo) { r.Git("add", ".") }, nil},
		{"stash", func(t *testing.T, r gittest.Repo) { r.Git("stash", "-q", "-u") }, nil},
		{"checkout of a file", func(t *testing.T, r gittest.Repo) {
			r.Write("a", "x")
			r.Git("checkout", "-q", "--", "a")
		}, nil},
		{"reset --soft", func(t *testing.T, r gittest.Repo) { r.Git("reset", "-q", "--soft", "HEAD~1") }, nil},
		{"rm --cached", func(t *testing.T, r gittest.Repo) { r.Git("rm", "-q", "--cached", "a") }, nil},
		{"rm --cached and an edit", func(t *testing.T, r gittest.Repo) {
			r.Git("rm", "-q", "--cached", "a")
			r.Write("a", "new")
		}, []string{"a"}},
		{"commit of what was seen", func(t *testing.T, r gittest.Repo) {
			r.Git("add", ".")
			r.Git("commit", "-qm", "x")
		}, nil},
		{"edit and commit", func(t *testing.T, r gittest.Repo) {
			r.Write("a", "new")
			r.Git("commit", "-qam", "x")
		}, []string{"a"}},
		{"deletion and commit", func(t *testing.T, r gittest.Repo) {
			r.Remove("a")
			r.Git("commit", "-qam", "x")
		}, []string{"-a"}},
		{"edit, commit and back again", func(t *testing.T, r gittest.Repo) {
			r.Write("a", "new")
			r.Git("commit", "-qam", "x")
			r.Write("a", "a\n")
			r.Git("commit", "-qam", "y")
		}, nil},
		{"amend", func(t *testing.T, r gittest.Repo) {
			r.Write("a", "new")
			r.Git("commit", "-qa", "--amend", "-m", "x")
		}, []string{"a"}},
		{"commit, then amend it", func(t *testing.T, r gittest.Repo) {
			r.Write("a", "new")
			r.Git("commit", "-qam", "x")
			r.Write("b", "new")
			r.Git("commit", "-qa", "--amend", "-m", "x")
		}, []string{"a", "b"}},
		{"reset --hard", func(t *testing.T, r gittest.Repo) { r.Git("reset", "-q", "--hard", "HEAD~1") }, nil},
		{"switch to another line of history", func(t *testing.T, r gittest.Repo) { r.Git("switch", "-q", "other") }, nil},
		{"new ignored file", func(t *testing.T, r gittest.Repo) { r.Write("x.log", "x") }, nil},
		{"un-ignored", func(t *testing.T, r gittest.Repo) { r.Write(".gitignore", "") }, []string{".gitignore", "old.log"}},
		{"ignored but tracked", func(t *testing.T, r gittest.Repo) { r.Write("tracked.log", "new") }, []string{"tracked.log"}},
		{"newline, quotes, not UTF-8", func(t *testing.T, r gittest.Repo) {
			r.Write("new\nline", "x")
			r.Write("\"q\"", "x")
			r.Write("\xff", "x")
		}, []string{"\"q\"", "new\nline", "\xff"}},
		{"core.fileMode is false", func(t *testing.T, r gittest.Repo) {
			r.Git("config", "core.fileMode", "false")
			for _, f := range []string{"a", "dirty"} {
				if err := os.Chmod(filepath.Join(r.Dir, f), 0o755); err != nil {
					t.Fatal(err)
				}
			}
		}, nil},
		{"line endings that a filter maps", func(t *testing.T, r gittest.Repo) {
			r.Git("config", "core.autocrlf", "input")
			r.Write("a", "a\r\n")
		}, nil},
		{"repository inside", func(t *testing.T, r gittest.Repo) {
			r.Git("init", "-q", "inner")
			r.Write("inner/f", "x")
		}, []string{"inner"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			repo := gittest.New(t)
			repo.Write(".gitignore", "*.log\n")
			repo.Git("add", ".")
			repo.Git("commit", "-qm", "first")
			repo.Git("branch", "other")
			for path, content := range map[string]string{
				"a": "a\n", "b": "b\n", "d/x": "x", "d/y": "y", "tracked.log": "t", "old.log": "o",
			} {
				repo.Write(path, content)
			}
			err := errors.Join(os.WriteFile(filepath.Join(repo.Dir, "..", "outside"), nil, 0o600), os.Symlink("../outside", filepath.Join(repo.Dir, "link")))
			if err != nil {
				t.Fatal(err)
			}
			repo.Git("add", ".")
			repo.Git("add", "-f", "tracked.log")
			repo.Git("commit", "-qm", "second")
			repo.Write("dirty", "dirty\n")
			looks := evaluate(t, repo)
			looks.expect("first", "dirty")
			test.do(t, repo)
			looks.expect(test.name, test.want...)
			looks.expect("nothing since")
		})
	}
}

// Gigabytes of untracked files take longer to read than an agent waits.
func TestScanEndsWithItsContext(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Write("a", "1")
	tree := t.TempDir()
	if err := os.WriteFile(filepath.Join(tree, "a"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"git": repo.Dir, "no git": tree} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := filewatch.Watch{Workspace: dir, Env: repo.Env}.Scan(doneLate{t.Context()}, nil)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("Scan() = %v, want %v", err, context.Canceled)
			}
		})
	}
}

// doneLate ends no git command, and is done by the time that one has answered.
type doneLate struct{ context.Context }

func (doneLate) Done() <-chan struct{} { return nil }

func (doneLate) Err() error { return context.Canceled }
