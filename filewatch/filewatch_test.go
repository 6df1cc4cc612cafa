package filewatch_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/filewatch"
	"discobot-hooks/internal/gittest"
)

// evaluations looks at a repository again and again, each time with what the
// last look left, as it comes back from disk.
type evaluations struct {
	t     *testing.T
	watch filewatch.Watch
	last  *filewatch.Snapshot
	scan  *filewatch.Scan
}

func evaluate(t *testing.T, repo gittest.Repo) *evaluations {
	return &evaluations{t: t, watch: filewatch.Watch{Workspace: repo.Dir, Env: repo.Env}}
}

// changed is what the next evaluation finds; a deleted file has a minus.
func (e *evaluations) changed() []string {
	e.t.Helper()
	scan, err := e.watch.Scan(e.t.Context(), e.last)
	if err != nil {
		e.t.Fatal(err)
	}
	e.scan = scan
	data, err := json.Marshal(scan.Next)
	if err != nil {
		e.t.Fatal(err)
	}
	e.last = new(filewatch.Snapshot)
	if err := json.Unmarshal(data, e.last); err != nil {
		e.t.Fatal(err)
	}
	names := []string{}
	for _, file := range scan.Changed {
		name := file.Path
		if file.Deleted {
			name = "-" + name
		}
		names = append(names, name)
	}
	return names
}

func (e *evaluations) expect(what string, want ...string) {
	e.t.Helper()
	if want == nil {
		want = []string{}
	}
	if diff := cmp.Diff(want, e.changed()); diff != "" {
		e.t.Errorf("%s: changed mismatch (-want +got):\n%s", what, diff)
	}
}

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

func TestBeforeTheFirstCommit(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Write("staged", "x")
	repo.Write("untracked", "x")
	repo.Git("add", "staged")
	looks := evaluate(t, repo)
	looks.expect("first", "staged", "untracked")
	repo.Write("late", "x")
	repo.Write("staged", "y")
	repo.Git("add", ".")
	repo.Git("commit", "-qm", "first")
	looks.expect("committed within the turn", "late", "staged")
	looks.expect("nothing since")
}

// What go-git refuses is asked of git.
func TestRepositoriesThatGoGitRefuses(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t, "--object-format=sha256")
	looks := evaluate(t, repo)
	looks.expect("empty")
	repo.Write("a", "x")
	repo.Git("add", ".")
	repo.Git("commit", "-qm", "first")
	looks.expect("first commit", "a")
	repo.Write("a", "y")
	repo.Git("commit", "-qam", "second")
	looks.expect("committed", "a")
	repo.Git("rm", "-q", "--cached", "a")
	looks.expect("out of the index")
}

func TestSubmodule(t *testing.T) {
	t.Parallel()
	inner, repo := gittest.New(t), gittest.New(t)
	inner.Write("f", "x")
	inner.Git("add", ".")
	inner.Git("commit", "-qm", "x")
	repo.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.Dir, "sub")
	repo.Git("commit", "-qm", "x")
	looks := evaluate(t, repo)
	looks.expect("clean")
	repo.Write("sub/f", "y")
	looks.expect("edited inside", "sub")
	looks.expect("nothing since")
	repo.Write("sub/f", "z")
	looks.expect("edited again", "sub")
}

// A hook that stays pending is given all candidates since it became so, also
// those that a commit has hidden since, and none that were reverted.
func TestSince(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Write("a", "1")
	repo.Write("reverted", "1")
	repo.Git("add", ".")
	repo.Git("commit", "-qm", "base")
	looks := evaluate(t, repo)
	looks.changed()
	repo.Write("a", "2")
	repo.Write("reverted", "2")
	looks.changed()
	origin := looks.scan.Origin
	repo.Git("checkout", "-q", "--", "reverted")
	repo.Git("commit", "-qam", "hide a")
	looks.changed()
	repo.Write("b", "3")
	looks.changed()
	files, err := looks.scan.Since(t.Context(), origin.Extend(looks.scan))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]filewatch.File{{Path: "a"}, {Path: "b"}}, files); diff != "" {
		t.Errorf("Since() mismatch (-want +got):\n%s", diff)
	}
}

// However history is rewritten, a hook that failed is not got rid of while its
// file is as it was when it failed.
func TestSinceAfterRewrittenHistory(t *testing.T) {
	t.Parallel()
	rewrite := map[string]func(gittest.Repo){
		"amend":        func(r gittest.Repo) { r.Git("commit", "-qa", "--amend", "-m", "x") },
		"reset --soft": func(r gittest.Repo) { r.Git("reset", "-q", "--soft", "HEAD~1"); r.Git("commit", "-qam", "y") },
		"rebase": func(r gittest.Repo) {
			r.Git("commit", "-qam", "bad")
			r.Git("switch", "-q", "-c", "topic")
			r.Git("switch", "-q", "-c", "other", "HEAD~2")
			r.Write("elsewhere", "x")
			r.Git("add", ".")
			r.Git("commit", "-qm", "other")
			r.Git("switch", "-q", "topic")
			r.Git("rebase", "-q", "other")
		},
	}
	for name, rewrite := range rewrite {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := gittest.New(t)
			for _, content := range []string{"1", "2"} {
				repo.Write("a", content)
				repo.Git("add", ".")
				repo.Git("commit", "-qm", content)
			}
			looks := evaluate(t, repo)
			looks.changed()
			repo.Write("a", "bad")
			looks.expect("edit", "a")
			origin := looks.scan.Origin
			rewrite(repo)
			looks.changed()
			files, err := looks.scan.Since(t.Context(), origin.Extend(looks.scan))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(files, filewatch.File{Path: "a"}) {
				t.Errorf("Since() = %v: a is lost", files)
			}
			repo.Git("checkout", "-q", origin.Head, "--", "a")
			repo.Git("commit", "-qm", "as it was")
			looks.changed()
			files, err = looks.scan.Since(t.Context(), origin.Extend(looks.scan))
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(files, filewatch.File{Path: "a"}) {
				t.Errorf("Since() = %v: a is as it was before", files)
			}
		})
	}
}

// Where the state lies in the workspace, by whatever path, it is no change.
func TestOwnStateBehindALink(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	link := repo.Dir + "-link"
	if err := os.Symlink(repo.Dir, link); err != nil {
		t.Fatal(err)
	}
	repo.Write(".discobot/s1/hooks/status.json", "{}")
	repo.Write(".discobot/hooks/h.sh", "")
	for _, dirs := range [][2]string{{repo.Dir, link}, {link, repo.Dir}} {
		looks := evaluate(t, repo)
		looks.watch.Workspace, looks.watch.StateRoot = dirs[0], filepath.Join(dirs[1], ".discobot")
		looks.expect("first", ".discobot/hooks/h.sh")
	}
}

// A workspace that is a link into a repository is in it.
func TestWorkspaceIsALinkIntoARepository(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Write("sub/a", "x")
	repo.Write("b", "x")
	link := repo.Dir + "-link"
	if err := os.Symlink(filepath.Join(repo.Dir, "sub"), link); err != nil {
		t.Fatal(err)
	}
	looks := evaluate(t, repo)
	looks.watch.Workspace = link
	looks.expect("first", "a")
	if !looks.last.Git {
		t.Error("the repository was not found")
	}
}

// A pipe would block the hook that reads it.
func TestPipesAreNoFiles(t *testing.T) {
	t.Parallel()
	for _, git := range []bool{true, false} {
		repo := gittest.New(t)
		if err := syscall.Mkfifo(filepath.Join(repo.Dir, "p"), 0o600); err != nil {
			t.Fatal(err)
		}
		if !git {
			repo.Remove(".git")
		}
		looks := evaluate(t, repo)
		looks.expect("first")
	}
}

// Snapshots of a tree without git carry every name through JSON.
func TestWithoutGit(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Remove(".git")
	repo.Write("\xff", "x")
	repo.Write("base64:x", "x")
	repo.Write("d/f", "x")
	repo.Write("node_modules/f", "x")
	repo.Write(".gitignore", "/ig/\n")
	repo.Write("ig/f", "x")
	looks := evaluate(t, repo)
	looks.expect("first", ".gitignore", "base64:x", "d/f", "\xff")
	looks.expect("nothing since")
	repo.Remove("d")
	repo.Write("\xff", "y")
	looks.expect("changes", "-d/f", "\xff")
	origin := looks.scan.Origin
	repo.Write("e", "x")
	looks.expect("more", "e")
	files, err := looks.scan.Since(t.Context(), origin.Extend(looks.scan))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]filewatch.File{{Path: "d/f", Deleted: true}, {Path: "e"}, {Path: "\xff"}}, files); diff != "" {
		t.Errorf("Since() mismatch (-want +got):\n%s", diff)
	}
}
