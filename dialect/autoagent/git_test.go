package autoagent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/internal/gittest"
)

// inRepo is a world whose workspace is a repository.
func inRepo(t *testing.T, hooks ...string) (*world, gittest.Repo) {
	t.Helper()
	repo := gittest.New(t)
	w := &world{t: t, workspace: repo.Dir, home: t.TempDir(), env: repo.Env}
	// The configuration is the home's, so that the tree is the test's alone.
	write(t, filepath.Join(w.home, ".autoagent", "config.json"), hooksAt("PostExecutionEnd", hooks...))
	return w, repo
}

const issue42 = `{"issueNumber": 42, "issueTitle": "Fix authentication", "success": true}`

func TestGitCommit(t *testing.T) {
	t.Parallel()
	const commit = `{"type": "git-commit", "message": "Complete issue #{{issueNumber}}: {{issueTitle}}"}`
	t.Run("1c.11 all that changed", func(t *testing.T) {
		t.Parallel()
		w, repo := inRepo(t, commit)
		for _, file := range []string{"changed", "deleted", "-n"} {
			repo.Write(file, "old\n")
		}
		repo.Write(".gitignore", "ignored\n")
		repo.Git("add", "-A")
		repo.Git("commit", "-qm", "first")
		repo.Write("changed", "new\n")
		repo.Remove("deleted")
		repo.Write("dir/new file", "")
		repo.Write("ignored", "")
		report := w.emit("PostExecutionEnd", issue42)
		want := "Commit created: " + strings.TrimSpace(repo.Git("rev-parse", "--short", "HEAD"))
		if summary(report) != "PostExecutionEnd-1=ok/0" || w.shown.String() != want {
			t.Errorf("%s: %q, want %q", summary(report), w.shown.String(), want)
		}
		if diff := cmp.Diff(map[string]any{"message": want}, report.Hooks[0].Judgement.Fields); diff != "" {
			t.Errorf("fields mismatch (-want +got):\n%s", diff)
		}
		if got := repo.Git("log", "-1", "--format=%B", "--name-status"); got != "Complete issue #42: Fix authentication\n\n\nM\tchanged\nD\tdeleted\nA\tdir/new file\n" {
			t.Errorf("commit %q", got)
		}
	})
	t.Run("1c.11 the first commit", func(t *testing.T) {
		t.Parallel()
		w, repo := inRepo(t, commit)
		repo.Write("a", "")
		w.emit("PostExecutionEnd", issue42)
		want := "Commit created: " + strings.TrimSpace(repo.Git("rev-parse", "--short", "HEAD"))
		if w.shown.String() != want {
			t.Errorf("%q, want %q", w.shown.String(), want)
		}
	})
	t.Run("1c.11 nothing to commit", func(t *testing.T) {
		t.Parallel()
		w, repo := inRepo(t, commit, running("echo on"))
		if got := summary(w.emit("PostExecutionEnd", issue42)); got != "PostExecutionEnd-1=ok/0 PostExecutionEnd-2=ok/0" {
			t.Error(got)
		}
		repo.Git("commit", "-q", "--allow-empty", "-m", "first")
		w.emit("PostExecutionEnd", issue42)
		if got := w.shown.String(); got != strings.Repeat("No changes to commit.on\n", 2) {
			t.Errorf("shown %q", got)
		}
	})
	t.Run("1c.11 a failure never blocks", func(t *testing.T) {
		t.Parallel()
		w, repo := inRepo(t, `{"type": "git-commit", "blocking": true}`, running("echo on"))
		repo.Write("a", "")
		repo.Write(".git/hooks/pre-commit", "#!/bin/sh\necho 'warning: x' >&2\necho 'lint: 5 errors' >&2\nexit 3\n")
		chmod(t, filepath.Join(repo.Dir, ".git/hooks/pre-commit"))
		report := w.emit("PostExecutionEnd", issue42)
		if got := summary(report); got != "PostExecutionEnd-1=failed/1 PostExecutionEnd-2=ok/0" || report.Blocked {
			t.Errorf("%s, blocked %v", got, report.Blocked)
		}
		if got := w.shown.String(); got != "Failed to create commit: lint: 5 errorson\n" {
			t.Errorf("shown %q", got)
		}
	})
	t.Run("1c.11 noVerify", func(t *testing.T) {
		t.Parallel()
		w, repo := inRepo(t, `{"type": "git-commit", "noVerify": true}`)
		repo.Write("a", "")
		repo.Write(".git/hooks/pre-commit", "#!/bin/sh\nexit 3\n")
		chmod(t, filepath.Join(repo.Dir, ".git/hooks/pre-commit"))
		if got := summary(w.emit("PostExecutionEnd", issue42)); got != "PostExecutionEnd-1=ok/0" {
			t.Error(got, w.shown.String())
		}
		if got := repo.Git("log", "-1", "--format=%s"); got != "feat: Auto-commit by AutoAgent\n" {
			t.Errorf("default message: %q", got)
		}
	})
	t.Run("1c.11 no repository", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, hooksAt("PostExecutionEnd", commit))
		w.env = append(w.env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(w.workspace))
		report := w.emit("PostExecutionEnd", issue42)
		if got := w.shown.String(); summary(report) != "PostExecutionEnd-1=failed/128" || !strings.HasPrefix(got, "Failed to create commit: fatal: not a git repository") {
			t.Errorf("%s: %q", summary(report), got)
		}
	})
	t.Run("a workspace below the top leaves the rest of the tree", func(t *testing.T) {
		t.Parallel()
		w, repo := inRepo(t, commit)
		repo.Write("sub/a", "")
		repo.Write("other", "")
		w.workspace = filepath.Join(repo.Dir, "sub")
		w.emit("PostExecutionEnd", issue42)
		if got := repo.Git("show", "--format=", "--name-only"); got != "sub/a\n" {
			t.Errorf("committed %q", got)
		}
	})
	t.Run("a time-out in the middle", func(t *testing.T) {
		t.Parallel()
		w, repo := inRepo(t, `{"type": "git-commit", "timeout": 300}`)
		repo.Write("a", "")
		repo.Write(".git/hooks/pre-commit", "#!/bin/sh\nexec sleep 60\n")
		chmod(t, filepath.Join(repo.Dir, ".git/hooks/pre-commit"))
		report := w.emit("PostExecutionEnd", issue42)
		if got := w.shown.String(); summary(report) != "PostExecutionEnd-1=timeout/124" || got != "Failed to create commit: hook timed out after 300ms and was killed" {
			t.Errorf("%s: %q", summary(report), got)
		}
	})
}

func TestCommitMessageIsText(t *testing.T) {
	t.Parallel()
	for _, title := range append([]string{"--amend", "-F/etc/passwd", "#5"}, hostile...) {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			w, repo := inRepo(t, `{"type": "git-commit", "message": "{{issueTitle}}"}`)
			repo.Write("a", "")
			ev := w.event("PostExecutionEnd", issue42)
			ev.Data["issueTitle"] = title
			if got := summary(w.emitEvent(ev)); got != "PostExecutionEnd-1=ok/0" {
				t.Fatal(got, w.shown.String())
			}
			// git takes white space off lines' ends and the message's.
			want := strings.Trim(title, "\n")
			if got := strings.TrimSpace(repo.Git("log", "-1", "--format=%B")); got != strings.TrimSpace(want) {
				t.Errorf("rule C: message %q, want %q", got, want)
			}
			if strings.Contains(w.files(), "canary") {
				t.Error("rule C: the message ran")
			}
		})
	}
	t.Run("an empty one is the default", func(t *testing.T) {
		t.Parallel()
		w, repo := inRepo(t, `{"type": "git-commit", "message": " {{t}}\n"}`)
		repo.Write("a", "")
		w.emit("PostExecutionEnd", `{"t": ""}`)
		if got := repo.Git("log", "-1", "--format=%s"); got != "feat: Auto-commit by AutoAgent\n" {
			t.Errorf("message %q", got)
		}
	})
	t.Run("a NUL cannot be passed", func(t *testing.T) {
		t.Parallel()
		w, repo := inRepo(t, `{"type": "git-commit", "message": "{{t}}"}`)
		repo.Write("a", "")
		if got := summary(w.emit("PostExecutionEnd", `{"t": "a\u0000"}`)); got != "PostExecutionEnd-1=invalid/0" {
			t.Error(got)
		}
	})
	t.Run("1 MiB cannot be passed", func(t *testing.T) {
		t.Parallel()
		w, repo := inRepo(t, `{"type": "git-commit", "message": "{{t}}"}`, running("true"))
		repo.Write("a", "")
		got := summary(w.emit("PostExecutionEnd", `{"t": "`+strings.Repeat("x", 1<<20)+`"}`))
		if got != "PostExecutionEnd-1=failed/127 PostExecutionEnd-2=ok/0" || !strings.Contains(w.shown.String(), "Failed to create commit: hook could not start") {
			t.Error(got, w.shown.String())
		}
	})
}

func TestGitPush(t *testing.T) {
	t.Parallel()
	// pushing has a commit, and a bare repository as origin.
	pushing := func(t *testing.T, hooks ...string) (*world, gittest.Repo, string) {
		w, repo := inRepo(t, hooks...)
		repo.Git("commit", "-q", "--allow-empty", "-m", "first")
		bare := filepath.Join(filepath.Dir(repo.Dir), "bare.git")
		repo.Git("init", "-q", "--bare", bare)
		repo.Git("remote", "add", "origin", bare)
		return w, repo, bare
	}
	t.Run("1c.12 the current branch, which follows from then on", func(t *testing.T) {
		t.Parallel()
		w, repo, bare := pushing(t, `{"type": "git-push", "branch": "main"}`)
		repo.Git("checkout", "-q", "-b", "feature/x")
		repo.Git("tag", "feature/x") // a tag of that name must not be in the way
		if got := summary(w.emit("PostExecutionEnd", issue42)); got != "PostExecutionEnd-1=ok/0" || w.shown.String() != "Pushed feature/x to origin" {
			t.Errorf("%s: %q", got, w.shown.String())
		}
		if got := repo.Git("--git-dir", bare, "for-each-ref", "--format=%(refname)"); got != "refs/heads/feature/x\n" {
			t.Errorf("pushed %q", got)
		}
		if got := repo.Git("for-each-ref", "--format=%(upstream)", "refs/heads/feature/x"); got != "refs/remotes/origin/feature/x\n" {
			t.Errorf("upstream %q", got)
		}
	})
	t.Run("1c.12 commit and push whichever was switched on first", func(t *testing.T) {
		t.Parallel()
		w, repo, bare := pushing(t, `{"type": "git-push"}`, `{"type": "git-commit", "message": "m"}`)
		repo.Write("a", "")
		if got := summary(w.emit("PostExecutionEnd", issue42)); got != "PostExecutionEnd-2=ok/0 PostExecutionEnd-1=ok/0" {
			t.Errorf("%s: %q", got, w.shown.String())
		}
		if got := repo.Git("--git-dir", bare, "log", "-1", "--format=%s", "main"); got != "m\n" {
			t.Errorf("pushed %q", got)
		}
	})
	t.Run("1c.12 a detached HEAD", func(t *testing.T) {
		t.Parallel()
		w, repo, _ := pushing(t, `{"type": "git-push", "blocking": true}`, running("true"))
		repo.Git("checkout", "-q", "--detach")
		if got := summary(w.emit("PostExecutionEnd", issue42)); got != "PostExecutionEnd-1=failed/1 PostExecutionEnd-2=ok/0" ||
			w.shown.String() != "Failed to push: HEAD is detached, not on a branch" {
			t.Errorf("%s: %q", got, w.shown.String())
		}
	})
	t.Run("1c.12 what the remote says", func(t *testing.T) {
		t.Parallel()
		w, repo, bare := pushing(t, `{"type": "git-push"}`)
		repo.Git("push", "-q", "origin", "main")
		repo.Git("commit", "-q", "--amend", "--allow-empty", "-m", "other")
		if w.emit("PostExecutionEnd", issue42); !strings.HasPrefix(w.shown.String(), "Failed to push: ! [rejected]") {
			t.Errorf("shown %q", w.shown.String())
		}
		w.shown.Reset()
		if err := os.RemoveAll(bare); err != nil {
			t.Fatal(err)
		}
		if w.emit("PostExecutionEnd", issue42); !strings.HasPrefix(w.shown.String(), "Failed to push: fatal: ") {
			t.Errorf("shown %q", w.shown.String())
		}
	})
	for _, remote := range []string{"upstream", "--all", "--receive-pack=touch canary;", "ext::sh -c 'touch canary'", "../bare.git", ".", "", "origin\n", "orig"} {
		t.Run("1c.12 rule C: remote "+remote, func(t *testing.T) {
			t.Parallel()
			w, repo, bare := pushing(t, strings.Replace(running(remote), `"command", "command"`, `"git-push", "remote"`, 1))
			report := w.emit("PostExecutionEnd", issue42)
			if got := w.shown.String(); summary(report) != "PostExecutionEnd-1=failed/1" || !strings.HasPrefix(got, "Failed to push: no remote is named ") {
				t.Errorf("%s: %q", summary(report), got)
			}
			if refs := repo.Git("--git-dir", bare, "for-each-ref"); refs != "" || strings.Contains(w.files(), "canary") {
				t.Errorf("pushed %q, files %s", refs, w.files())
			}
		})
	}
}

func chmod(t *testing.T, path string) {
	t.Helper()
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
}
