package gitinstall_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"discobot-hooks/gitinstall"
)

// That it works in linked work trees, submodules and with GIT_DIR, and leaves
// the configuration as it was, is TestPlaces's.
func TestAdvice(t *testing.T) {
	r := newRepo(t, "repo")
	r.wantAdvice("")
	if r.setAdvice("") {
		t.Error("nothing was set, and something was removed")
	}
	if !r.setAdvice("a") || !r.setAdvice("b") {
		t.Error("not changed")
	}
	r.wantAdvice("b")
	before := stats(t, r.dir+"/.git/config")[0]
	if r.setAdvice("b") || !os.SameFile(before, stats(t, r.dir+"/.git/config")[0]) {
		t.Error("written again")
	}
	if !r.setAdvice("") {
		t.Error("not removed")
	}
	r.wantAdvice("")
}

// Every git hook asks, so a repository without the setting must not cost a git
// process: here there is no git to start.
func TestAdviceNotSetTakesNoGit(t *testing.T) {
	r := newRepo(t, "repo")
	r.commit()
	r.git("worktree", "add", "-q", "../linked")
	linked := r.at(filepath.Dir(r.dir) + "/linked")
	for name, r := range map[string]*repo{
		"main": r, "GIT_DIR": r.with("GIT_DIR=.git"),
		"linked, as git runs its hooks": linked.with("GIT_DIR=" + r.dir + "/.git/worktrees/linked"),
	} {
		t.Run(name, func(t *testing.T) {
			r := r.with("PATH=/nonexistent")
			r.t = t
			r.wantAdvice("")
		})
	}
	r.setAdvice("a")
	if _, err := r.with("PATH=/nonexistent").installer().Advice(context.Background()); err == nil {
		t.Error("with an agent named, git was not asked")
	}
	linked.with("GIT_DIR=" + r.dir + "/.git/worktrees/linked").wantAdvice("a")
}

// One agent is named in the main work tree, another repository has its own.
func TestAdviceIsShared(t *testing.T) {
	r := newRepo(t, "repo")
	r.commit()
	r.git("worktree", "add", "-q", "../linked")
	r.git("init", "-q", "nested")
	r.at(filepath.Dir(r.dir) + "/linked").setAdvice("a")
	r.wantAdvice("a")
	r.at(r.dir + "/nested").wantAdvice("")
	r.at(r.dir + "/nested").with("GIT_DIR=" + r.dir + "/.git").wantAdvice("a")
}

// Only the repository's own configuration says who may run at its commits.
func TestAdviceOnlyOfTheRepository(t *testing.T) {
	const set = "[discobot-hooks]\n\tadvice = evil\n"
	tests := []struct {
		name  string
		setup func(r *repo) *repo
	}{
		{"global", func(r *repo) *repo {
			write(r.t, r.dir+"/../home/gitconfig", 0o644, set)
			return r
		}},
		{"system", func(r *repo) *repo {
			write(r.t, r.dir+"/system", 0o644, set)
			return r.with("GIT_CONFIG_NOSYSTEM=0", "GIT_CONFIG_SYSTEM="+r.dir+"/system")
		}},
		{"command", func(r *repo) *repo {
			return r.with("GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=discobot-hooks.advice", "GIT_CONFIG_VALUE_0=evil")
		}},
		{"GIT_CONFIG", func(r *repo) *repo {
			write(r.t, r.dir+"/planted", 0o644, set)
			return r.with("GIT_CONFIG=" + r.dir + "/planted")
		}},
		{"include of a file in the work tree", func(r *repo) *repo {
			write(r.t, r.dir+"/planted", 0o644, set)
			r.git("config", "include.path", "../planted")
			return r
		}},
		{"includeIf", func(r *repo) *repo {
			write(r.t, r.dir+"/planted", 0o644, set)
			r.git("config", "includeIf.gitdir:**.path", "../planted")
			return r
		}},
		{"one work tree's", func(r *repo) *repo {
			r.git("config", "extensions.worktreeConfig", "true")
			r.git("config", "--worktree", "discobot-hooks.advice", "evil")
			return r
		}},
		{"another key", func(r *repo) *repo {
			r.git("config", "discobot-hooks.advice.advice", "evil")
			return r
		}},
		{"no repository", func(r *repo) *repo { return r.at(filepath.Dir(r.dir)) }},
		{"GIT_DIR wrong", func(r *repo) *repo { return r.with("GIT_DIR=/nonexistent") }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRepo(t, "repo")
			r.t = t
			test.setup(r).wantAdvice("")
		})
	}
	t.Run("another owner's repository", func(t *testing.T) {
		if os.Getuid() != 0 {
			t.Skip("needs root")
		}
		r := newRepo(t, "repo")
		r.setAdvice("evil")
		must(t, os.Chown(r.dir+"/.git", 65534, 65534))
		must(t, os.Chown(r.dir, 65534, 65534))
		r.wantAdvice("")
	})
}

// What people write into the file themselves.
func TestAdviceByHand(t *testing.T) {
	tests := []struct{ name, config, want string }{
		{"no value", "[discobot-hooks]\n\tadvice\n", ""},
		{"empty", "[discobot-hooks]\n\tadvice =\n", ""},
		{"other case", "[Discobot-Hooks] Advice = a ; comment\n", "a"},
		{"CRLF", "[discobot-hooks]\r\n\tadvice = a\r\n", "a"},
		{"two", "[discobot-hooks]\nadvice=a\n[x]\n[discobot-hooks]\nadvice=b\n", "b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRepo(t, "repo")
			path := r.dir + "/.git/config"
			write(t, path, 0o644, read(t, path)+test.config)
			r.wantAdvice(test.want)
			if !r.setAdvice("new") {
				t.Error("SetAdvice: not changed")
			}
			if got := r.git("config", "--get-all", "discobot-hooks.advice"); got != "new" {
				t.Errorf("after SetAdvice: %q", got)
			}
			r.setAdvice("")
			if strings.Contains(strings.ToLower(read(t, path)), "advice") {
				t.Errorf("left behind: %q", read(t, path))
			}
		})
	}
	t.Run("line break", func(t *testing.T) {
		r := newRepo(t, "repo")
		r.git("config", "discobot-hooks.advice", "a\nb")
		_, err := r.installer().Advice(context.Background())
		refusal, ok := errors.AsType[*gitinstall.Error](err)
		if !ok {
			t.Fatalf("Advice: %v", err)
		}
		wantContains(t, err.Error(), `discobot-hooks.advice is "a\nb"`)
		wantContains(t, refusal.Hint(), "install --advice AGENT")
		r.setAdvice("a")
		r.wantAdvice("a")
	})
}

// An agent comes back as it was given, or is refused; git sees no option in it.
func FuzzAgent(f *testing.F) {
	for _, agent := range []string{
		"mayor", "a b", " a\u00a0", "-x", "--unset-all", "--", `"`, `\`, `a\nb`, "# ;", "*", "$(id)", "é", "[core]", "=",
		"a\nb", "\x00", "\x1b[2J", "\x7f", "\u0085", "\xff", "\u2028",
	} {
		f.Add(agent)
	}
	root := f.TempDir()
	in := gitinstall.Installer{Workspace: root, Env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + root, "GIT_CONFIG_GLOBAL=" + filepath.Join(root, "gitconfig"), "GIT_CONFIG_NOSYSTEM=1",
	}}
	cmd := exec.Command("git", "init", "-q")
	cmd.Dir, cmd.Env = root, in.Env
	must(f, cmd.Run())
	f.Fuzz(func(t *testing.T, agent string) {
		ctx := context.Background()
		_, err := in.SetAdvice(ctx, "before")
		must(t, err)
		want := agent
		_, err = in.SetAdvice(ctx, agent)
		if refusal, ok := errors.AsType[*gitinstall.Error](err); ok && strconv.Quote(agent) != `"`+agent+`"` {
			want = "before"
			wantContains(t, refusal.Error(), strconv.Quote(agent))
		} else {
			must(t, err)
			if strings.ContainsFunc(agent, func(r rune) bool { return r < ' ' || r == '\x7f' }) {
				t.Errorf("%q is accepted", agent)
			}
		}
		if got, err := in.Advice(ctx); err != nil || got != want {
			t.Errorf("Advice: %q, %v, want %q", got, err, want)
		}
	})
}

func TestSetAdviceRefusals(t *testing.T) {
	tests := []struct {
		name, agent string
		setup       func(r *repo) *repo
		err, hint   string
	}{
		{"line break", "a\nb", func(r *repo) *repo { return r }, `agent "a\nb": not plain text`, "control characters"},
		{"no repository", "a", func(r *repo) *repo { return r.at(filepath.Dir(r.dir)) }, "not a git repository", "--dir DIR"},
		{"GIT_DIR wrong", "a", func(r *repo) *repo { return r.with("GIT_DIR=/nonexistent") }, "GIT_DIR: not a git repository", "env -u GIT_DIR"},
		{"bare", "a", func(r *repo) *repo {
			r.git("init", "-q", "--bare", "../bare.git")
			return r.at(filepath.Dir(r.dir) + "/bare.git")
		}, "no work tree here", "--dir DIR"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := test.setup(newRepo(t, "repo"))
			changed, err := r.installer().SetAdvice(context.Background(), test.agent)
			refusal, ok := errors.AsType[*gitinstall.Error](err)
			if !ok || changed {
				t.Fatalf("SetAdvice: %v, %v", changed, err)
			}
			wantContains(t, err.Error(), test.err)
			wantContains(t, refusal.Hint(), test.hint)
		})
	}
	t.Run("not to be written", func(t *testing.T) {
		if os.Getuid() == 0 {
			t.Skip("needs a user other than root: root may write anywhere")
		}
		r := newRepo(t, "repo")
		must(t, os.Chmod(r.dir+"/.git", 0o555))
		t.Cleanup(func() { must(t, os.Chmod(r.dir+"/.git", 0o755)) })
		_, err := r.installer().SetAdvice(context.Background(), "a")
		refusal, ok := errors.AsType[*gitinstall.Error](err)
		if !ok {
			t.Fatalf("SetAdvice: %v", err)
		}
		wantContains(t, refusal.Hint(), "user who owns")
	})
}

func TestParallelSetAdvice(t *testing.T) {
	r := newRepo(t, "repo")
	agents := []string{"a", "b", "c", "", "d", "e", "f", ""}
	var wait sync.WaitGroup
	for _, agent := range agents {
		wait.Go(func() {
			if _, err := r.installer().SetAdvice(context.Background(), agent); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if got, err := r.installer().Advice(context.Background()); err != nil || !slices.Contains(agents, got) {
		t.Errorf("Advice: %q, %v", got, err)
	}
}

// Another git that writes the configuration is waited for.
func TestSetAdviceWaitsForTheLock(t *testing.T) {
	r := newRepo(t, "repo")
	git, err := exec.LookPath("git")
	must(t, err)
	lock := r.dir + "/.git/config.lock"
	write(t, lock, 0o644, "")
	// Its lock goes when it has been in our way once.
	write(t, r.dir+"/bin/git", 0o755, "#!/bin/sh\n'"+git+"' \"$@\"\ncode=$?\n[ $code != 255 ] || rm '"+lock+"'\nexit $code\n")
	if !r.with("PATH=" + r.dir + "/bin:" + os.Getenv("PATH")).setAdvice("a") {
		t.Error("not changed")
	}
	if exists(lock) {
		t.Error("the lock was not in the way")
	}
	r.wantAdvice("a")
}

// A lock that a killed git left behind is named, from a linked work tree too.
func TestSetAdviceNamesTheLock(t *testing.T) {
	r := newRepo(t, "it's")
	r.commit()
	r.git("worktree", "add", "-q", "../linked")
	write(t, r.dir+"/.git/config.lock", 0o644, "")
	linked := r.at(filepath.Dir(r.dir) + "/linked")
	_, err := linked.installer().SetAdvice(context.Background(), "a")
	refusal, ok := errors.AsType[*gitinstall.Error](err)
	if !ok {
		t.Fatalf("SetAdvice: %v", err)
	}
	wantContains(t, err.Error(), r.dir+"/.git/config.lock")
	_, command, ok := strings.Cut(refusal.Hint(), "with: ")
	if out, code := r.try("sh", "-c", command); !ok || code != 0 {
		t.Fatalf("%s: %s", refusal.Hint(), out)
	}
	linked.setAdvice("a")
	r.wantAdvice("a")
}

// Hooks that go because a workspace has none left do not take the owner's
// choice with them; an uninstall does, and before the hooks.
func TestUninstallRemovesAdvice(t *testing.T) {
	r := newRepo(t, "repo")
	r.setAdvice("a")
	r.install("pre-commit")
	r.install()
	r.wantAdvice("a")
	r.uninstall()
	r.wantAdvice("")

	r.setAdvice("a")
	r.install("pre-commit")
	write(t, r.dir+"/.git/config.lock", 0o644, "")
	if changes, err := r.installer().Uninstall(context.Background()); err == nil || len(changes) > 0 {
		t.Errorf("Uninstall: %v, %v", changes, err)
	}
	must(t, os.Remove(r.dir+"/.git/config.lock"))
	if got := r.uninstall()[0].Action; got != gitinstall.Removed {
		t.Errorf("Uninstall: %s", got)
	}
	r.wantAdvice("")
}
