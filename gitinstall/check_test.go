package gitinstall_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/gitinstall"
)

func (r *repo) check() gitinstall.State {
	r.t.Helper()
	state, err := r.installer().Check(context.Background())
	must(r.t, err)
	return state
}

// wrapGit puts a git into PATH that runs shell text before the real one.
func (r *repo) wrapGit(text string) *repo {
	r.t.Helper()
	real, _ := r.try("sh", "-c", "command -v git")
	dir := r.t.TempDir()
	write(r.t, dir+"/git", 0o755, "#!/bin/sh\n"+text+"exec "+strings.TrimSpace(real)+" \"$@\"\n")
	return r.with("PATH=" + dir + ":" + os.Getenv("PATH"))
}

// What has come between git and our hook is named, with what to do.
func TestCheckNamesWhatDisplacedUs(t *testing.T) {
	tests := []struct {
		name     string
		displace func(r *repo)
		message  string // %s is the hooks directory
		called   bool
		again    bool // installing again mends it
	}{
		{"lefthook moves it to .old", func(r *repo) {
			must(r.t, os.Rename(r.hook("pre-commit"), r.hook("pre-commit.old")))
			write(r.t, r.hook("pre-commit"), 0o755, "#!/bin/sh\nexit 0\n")
		}, "another manager's hook has its place, %s/pre-commit; ours was moved to %s/pre-commit.old", false, true},
		{"pre-commit moves it to .legacy", func(r *repo) {
			must(r.t, os.Rename(r.hook("pre-commit"), r.hook("pre-commit.legacy")))
			write(r.t, r.hook("pre-commit"), 0o755, "#!/bin/sh\nexit 0\n")
		}, "another manager's hook has its place, %s/pre-commit; ours was moved to %s/pre-commit.legacy", true, true},
		{"and goes", func(r *repo) {
			must(r.t, os.Rename(r.hook("pre-commit"), r.hook("pre-commit.legacy")))
		}, "there is none at %s/pre-commit; ours was moved to %s/pre-commit.legacy", false, true},
		{"hk overwrites it", func(r *repo) {
			write(r.t, r.hook("pre-commit"), 0o755, "#!/bin/sh\nexit 0\n")
		}, "another manager's hook has its place, %s/pre-commit; the hook that ours kept is %s/pre-commit.original", false, true},
		{"somebody removes it", func(r *repo) {
			must(r.t, os.Remove(r.hook("pre-commit")))
		}, "there is none at %s/pre-commit; the hook that ours kept is %s/pre-commit.original", false, true},
		{"somebody switches it off", func(r *repo) {
			must(r.t, os.Chmod(r.hook("pre-commit"), 0o644))
		}, "%s/pre-commit is not executable, so git does not run it", false, true},
		{"husky sets core.hooksPath", func(r *repo) {
			r.git("config", "core.hooksPath", ".husky/_")
		}, `core.hooksPath is set to ".husky/_" in the local configuration (file:.git/config): git looks for hooks in `, false, true},
		{"a global core.hooksPath", func(r *repo) {
			r.git("config", "--global", "core.hooksPath", "/elsewhere")
		}, `core.hooksPath is set to "/elsewhere" in the global configuration`, false, false},
		{"an agent sets one for the work tree", func(r *repo) {
			r.git("config", "extensions.worktreeConfig", "true")
			r.git("config", "--worktree", "core.hooksPath", "/elsewhere")
		}, `core.hooksPath is set to "/elsewhere" in the worktree configuration`, false, false},
		{"an empty core.hooksPath", func(r *repo) {
			r.git("config", "core.hooksPath", "")
		}, `core.hooksPath is set to "" in the local configuration (file:.git/config): git runs none, and ours is %s/pre-commit`, false, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRepo(t, "repo")
			write(t, r.hook("pre-commit"), 0o755, "#!/bin/sh\necho mine\n")
			r.install("pre-commit")
			want := gitinstall.State{Dir: filepath.Dir(r.hook("x")), Running: []string{"pre-commit"}, Binary: r.binary}
			if diff := cmp.Diff(want, r.check()); diff != "" {
				t.Fatalf("Check mismatch (-want +got):\n%s", diff)
			}
			test.displace(r)
			before := listing(t, filepath.Dir(r.hook("x")))
			got := r.check()
			if len(got.Displaced) != 1 || len(got.Running) > 0 {
				t.Fatalf("Check: %+v", got)
			}
			d := got.Displaced[0]
			wantContains(t, d.Message, strings.ReplaceAll(test.message, "%s", filepath.Dir(r.hook("x"))))
			if d.Called != test.called || d.Hook != "pre-commit" || d.Hint == "" || !exists(d.Path) {
				t.Errorf("Check: %+v", d)
			}
			if len(listing(t, filepath.Dir(r.hook("x")))) != len(before) {
				t.Error("something was written")
			}
			if !test.again {
				return
			}
			r.install("pre-commit")
			if got := r.check(); len(got.Displaced) > 0 || len(got.Running) != 1 {
				t.Errorf("installed again: %+v", got)
			}
		})
	}
}

func TestCheckWithoutOurs(t *testing.T) {
	r := newRepo(t, "repo")
	write(t, r.hook("pre-commit"), 0o755, "#!/bin/sh\n# discobot:managed, they say\n")
	write(t, r.hook("pre-push.original"), 0o755, "#!/bin/sh\n")
	if diff := cmp.Diff(gitinstall.State{Dir: filepath.Dir(r.hook("x"))}, r.check()); diff != "" {
		t.Errorf("Check mismatch (-want +got):\n%s", diff)
	}
	if _, err := r.at(filepath.Dir(r.dir)).installer().Check(context.Background()); err == nil {
		t.Error("no repository: no error")
	}
}

// An agent installs at every start: two git calls, and hardly any time beside.
func TestGitCalls(t *testing.T) {
	r := newRepo(t, "repo")
	write(t, r.hook("pre-commit"), 0o755, "#!/bin/sh\necho mine\n")
	log := r.binary + ".calls"
	r = r.wrapGit("echo \"$*\" >>'" + log + "'\n")
	calls := func(want int, what string, fn func()) {
		t.Helper()
		must(t, os.RemoveAll(log))
		fn()
		if got := strings.Count(read(t, log), "\n"); got != want {
			t.Errorf("%s: %d git calls, want %d:\n%s", what, got, want, read(t, log))
		}
	}
	calls(2, "install", func() { r.install("pre-commit", "pre-push") })
	calls(2, "again", func() { r.install("pre-commit", "pre-push") })
	calls(2, "check", func() { r.check() })
}

// The time beside the two git calls, the best of several against other tests'
// load. What is allowed is 15 ms.
func TestReinstallCost(t *testing.T) {
	r := newRepo(t, "repo")
	write(t, r.hook("pre-commit"), 0o755, "#!/bin/sh\necho mine\n")
	r.install("pre-commit", "pre-push")
	best := func(fn func()) time.Duration {
		least := time.Hour
		for range 15 {
			began := time.Now()
			fn()
			least = min(least, time.Since(began))
		}
		return least
	}
	floor := best(func() {
		r.git("config", "--get", "core.bare")
		r.git("rev-parse", "--show-toplevel")
	})
	whole := best(func() { r.install("pre-commit", "pre-push") })
	t.Logf("two git calls %v, reinstall %v", floor, whole)
	if whole > floor+15*time.Millisecond {
		t.Errorf("reinstall takes %v, two git calls %v", whole, floor)
	}
}
