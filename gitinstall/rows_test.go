package gitinstall_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"discobot-hooks/gitinstall"
)

// check is a hook of a workspace that the script runs itself where the binary
// is gone, so that nothing but the script and git is tested here.
const check = "#!/bin/sh\n#---\n# type: pre-commit\n#---\n"

// withCheck is a repository whose binary is gone, with a check and a commit.
func withCheck(t *testing.T, body string) *repo {
	t.Helper()
	r := newRepo(t, "repo")
	write(t, r.dir+"/.discobot/hooks/check.sh", 0o755, check+body)
	write(t, r.dir+"/file", 0o644, "1\n")
	r.git("add", ".")
	r.commit()
	withoutBinary(t, r, "pre-commit")
	return r
}

// A path that was noted stays right where the repository itself is moved.
func TestMovedClone(t *testing.T) {
	r := newRepo(t, "repo")
	write(t, r.hook("pre-commit"), 0o755, "#!/bin/sh\necho mine\n")
	r.install("pre-commit")
	must(t, os.Rename(r.dir, r.dir+" moved"))
	r = r.at(r.dir + " moved")
	if out, ok := r.commit(); !ok || out != "mine\n" {
		t.Errorf("commit %v: %q", ok, out)
	}
	wantContains(t, r.log(), "argv <git-hook> <pre-commit>\n")
	if got := r.install("pre-commit")[0]; got.Action != gitinstall.Unchanged || got.Path != r.hook("pre-commit") {
		t.Errorf("Install: %+v", got)
	}
}

// Each work tree runs the checks of what it has checked out, and needs no
// install: a new check runs, a missing one does not block.
func TestChecksAreThoseOfTheWorkTree(t *testing.T) {
	r := withCheck(t, "exit 1\n")
	r.git("worktree", "add", "-q", "-b", "other", "../linked")
	linked := r.at(filepath.Dir(r.dir) + "/linked")
	write(t, linked.dir+"/.discobot/hooks/check.sh", 0o755, check+"echo the branch\\'s own\n")
	if out, ok := linked.commit(); !ok || out != missing+"the branch's own\n" {
		t.Errorf("linked: commit %v: %q", ok, out)
	}
	if out, ok := r.commit(); ok {
		t.Errorf("main: commit made: %q", out)
	}
	for _, step := range []struct{ name, from, to string }{
		{"renamed", r.dir + "/.discobot/hooks/check.sh", r.dir + "/.discobot/hooks/renamed.sh"},
		{"removed", r.dir + "/.discobot/hooks/renamed.sh", r.dir + "/elsewhere"},
	} {
		must(t, os.Rename(step.from, step.to))
		if out, ok := r.commit(); ok != (step.name == "removed") {
			t.Errorf("%s: commit %v: %q", step.name, ok, out)
		}
	}
}

func TestSparseCheckout(t *testing.T) {
	for _, args := range [][]string{{"--cone"}, {"--cone", "--sparse-index"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			r := withCheck(t, "exit 1\n")
			write(t, r.dir+"/src/a", 0o644, "1\n")
			r.git("add", "src")
			r.git("commit", "-q", "--no-verify", "-m", "src")
			r.git(append([]string{"sparse-checkout", "init"}, args...)...)
			r.git("sparse-checkout", "set", "src")
			if exists(r.dir + "/.discobot") {
				t.Fatal("the checks are checked out")
			}
			write(t, r.dir+"/src/a", 0o644, "2\n")
			if out, ok := r.commit("-a"); !ok || out != "" {
				t.Errorf("commit %v: %q", ok, out)
			}
		})
	}
}

// A template directory with our hook, as a user may make one: every clone has
// it, without a note, and it finds the binary in PATH or does itself what it can.
func TestTemplateDirectory(t *testing.T) {
	r := newRepo(t, "repo")
	r.install("pre-commit")
	template := filepath.Dir(r.dir) + "/template"
	write(t, template+"/hooks/pre-commit", 0o755, read(t, r.hook("pre-commit")))
	r.git("init", "-q", "--template", template, "../new")
	r = r.at(filepath.Dir(r.dir) + "/new")
	if out, ok := r.commit(); !ok || out != "" {
		t.Errorf("commit %v: %q", ok, out)
	}
	write(t, r.dir+"/.discobot/hooks/check.sh", 0o755, check+"exit 1\n")
	if out, ok := r.commit(); ok || !strings.HasPrefix(out, missing) {
		t.Errorf("commit %v: %q", ok, out)
	}
	if got := r.install("pre-commit")[0].Action; got != gitinstall.Refreshed && got != gitinstall.Unchanged {
		t.Errorf("Install: %s", got)
	}
	if exists(r.hook("pre-commit.original")) {
		t.Error("ours was kept as the user's")
	}
}

// Any umask, and a repository that a group shares: git runs it for all.
func TestModeUnderUmask(t *testing.T) {
	r := newRepo(t, "repo")
	r.git("config", "core.sharedRepository", "group")
	old := syscall.Umask(0o077)
	r.install("pre-commit")
	syscall.Umask(old)
	for name, want := range map[string]os.FileMode{"pre-commit": 0o755, "discobot-hooks.path": 0o644} {
		if got := stats(t, r.hook(name))[0].Mode(); got != want {
			t.Errorf("%s: mode %v, want %v", name, got, want)
		}
	}
}

// A check that is killed blocks: a signal is no success.
func TestSignalBlocks(t *testing.T) {
	r := withCheck(t, "kill -9 $$\n")
	out, ok := r.commit()
	if ok {
		t.Error("commit made")
	}
	wantContains(t, out, "check.sh failed (exit 137)", "nothing was committed")
	write(t, r.hook("pre-commit.original"), 0o755, "#!/bin/sh\nkill -TERM $$\n")
	r.env = append(r.env, "DISCOBOT_HOOKS=0")
	if out, ok := r.commit(); ok {
		t.Errorf("commit made: %q", out)
	}
}

func TestNoVerify(t *testing.T) {
	r := withCheck(t, "exit 1\n")
	if out, ok := r.commit("--no-verify"); !ok || out != "" {
		t.Errorf("commit %v: %q", ok, out)
	}
}

// Where git runs pre-commit (a merge that is concluded by hand), it runs; where
// it does not (rebase, cherry-pick without conflict), nothing comes in between.
func TestMergeRebaseCherryPick(t *testing.T) {
	r := withCheck(t, "echo checked\n")
	change := func(branch, content string) {
		t.Helper()
		r.git("checkout", "-q", "-b", branch, "main")
		write(t, r.dir+"/file", 0o644, content)
		r.git("commit", "-q", "-n", "-a", "-m", branch)
	}
	change("a", "a\n")
	change("b", "b\n")
	if _, code := r.try("git", "merge", "-q", "a"); code == 0 {
		t.Fatal("no conflict")
	}
	write(t, r.dir+"/file", 0o644, "ab\n")
	r.git("add", "file")
	if out, ok := r.commit(); !ok || out != missing+"checked\n" {
		t.Errorf("merge: commit %v: %q", ok, out)
	}
	r.git("checkout", "-q", "main")
	write(t, r.dir+"/other", 0o644, "1\n")
	r.git("add", "other")
	r.git("commit", "-q", "-n", "-m", "other")
	if out, code := r.try("git", "cherry-pick", "a"); code != 0 {
		t.Errorf("cherry-pick: exit %d: %s", code, out)
	}
	r.git("checkout", "-q", "-B", "c", "a")
	if out, code := r.try("git", "rebase", "-q", "main"); code != 0 {
		t.Errorf("rebase: exit %d: %s", code, out)
	}
}

// Nothing is stashed: what is not staged stays in the work tree and the stash
// list as it was, whether the commit is made or blocked.
func TestPartiallyStagedIsLeftAlone(t *testing.T) {
	for name, code := range map[string]string{"passes": "0", "blocks": "1"} {
		t.Run(name, func(t *testing.T) {
			r := withCheck(t, "exit "+code+"\n")
			write(t, r.dir+"/file", 0o644, "staged\n")
			r.git("add", "file")
			write(t, r.dir+"/file", 0o644, "not staged\n")
			write(t, r.dir+"/untracked", 0o644, "u\n")
			if out, ok := r.commit(); ok != (code == "0") {
				t.Errorf("commit %v: %q", ok, out)
			}
			if read(t, r.dir+"/file") != "not staged\n" || read(t, r.dir+"/untracked") != "u\n" || r.git("stash", "list") != "" {
				t.Error("the work tree is not as it was")
			}
			if got := r.git("show", ":file"); got != "staged" {
				t.Errorf("staged: %q", got)
			}
		})
	}
}

// What a hook of ours says has no colours: agents and logs read it.
func TestNoColours(t *testing.T) {
	r := withCheck(t, "exit 1\n")
	r.env = append(r.env, "TERM=xterm-256color", "CLICOLOR_FORCE=1")
	if out, _ := r.commit(); strings.Contains(out, "\x1b") || !strings.Contains(out, "failed") {
		t.Errorf("output: %q", out)
	}
}

// Configurations by condition and from the user: the value is another's, and so
// is the refusal.
func TestHooksPathByInclude(t *testing.T) {
	r := newRepo(t, "repo")
	include := filepath.Dir(r.dir) + "/include"
	write(t, include, 0o644, "[core]\n\thooksPath = "+filepath.Dir(r.dir)+"/shared\n")
	r.git("config", "--global", "includeIf.gitdir:"+r.dir+"/.path", include)
	_, err := r.installer().Install(context.Background(), []string{"pre-commit"})
	if err == nil {
		t.Fatal("no error")
	}
	wantContains(t, err.Error(), "in the global configuration (file:"+include+")")
}

// The script says so itself; what was added to it is no hook of the user's.
func TestHandEditsAreReplaced(t *testing.T) {
	r := newRepo(t, "repo")
	r.install("pre-commit")
	script := read(t, r.hook("pre-commit"))
	wantContains(t, script, "Edits here are lost at the next install")
	write(t, r.hook("pre-commit"), 0o755, script+"echo edited\n")
	if got := r.install("pre-commit")[0].Action; got != gitinstall.Refreshed || read(t, r.hook("pre-commit")) != script {
		t.Errorf("Install: %s", got)
	}
}

// A hook that is a program runs as one, and comes back to the byte.
func TestForeignBinary(t *testing.T) {
	r := newRepo(t, "repo")
	echo, code := r.try("sh", "-c", `command -v /bin/echo`)
	if code != 0 {
		t.Skip("needs /bin/echo")
	}
	program := read(t, strings.TrimSpace(echo))
	write(t, r.hook("commit-msg"), 0o755, program)
	r.install("commit-msg")
	if out, ok := r.commit(); !ok || out != ".git/COMMIT_EDITMSG\n" {
		t.Errorf("commit %v: %q", ok, out)
	}
	r.uninstall()
	if read(t, r.hook("commit-msg")) != program {
		t.Error("not as it was")
	}
}

// Two clones have the same bytes: nothing of the repository is written in.
func TestSameBytesEverywhere(t *testing.T) {
	a, b := newRepo(t, "a"), newRepo(t, "it's b")
	a.install("pre-commit")
	b.install("pre-push")
	if read(t, a.hook("pre-commit")) != read(t, b.hook("pre-push")) {
		t.Error("they differ")
	}
}
