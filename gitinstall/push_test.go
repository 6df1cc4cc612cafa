package gitinstall_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/gitinstall"
)

// newRemote is a repository with a commit and a bare one to push to. The
// stand-in and the user's own pre-push hook note what they were given, both in
// the stand-in's log.
func newRemote(t *testing.T, dir string) (r *repo, remote string) {
	t.Helper()
	r = newRepo(t, dir)
	remote = filepath.Dir(r.dir) + "/remote.git"
	r.git("init", "-q", "--bare", remote)
	r.git("remote", "add", "origin", remote)
	r.commit()
	r.writeBinary(`cat >>"$0.log"`)
	r.ownPush(0)
	return r, remote
}

// ownPush makes the user's own hook, kept or not.
func (r *repo) ownPush(code int) {
	r.t.Helper()
	path := r.hook("pre-push")
	if exists(path + ".original") {
		path += ".original"
	}
	write(r.t, path, 0o755, "#!/bin/sh\n{ printf own; printf ' <%s>' \"$@\"; echo; cat; } >>'"+r.binary+".log'\nexit "+strconv.Itoa(code)+"\n")
}

// push tries a push and returns what the hooks noted, and whether it was made.
func (r *repo) push(args ...string) (log string, ok bool) {
	r.t.Helper()
	must(r.t, os.RemoveAll(r.binary+".log"))
	_, code := r.try(append([]string{"git", "push", "-q"}, args...)...)
	return r.log(), code == 0
}

// ref is what a remote has under a name, empty for nothing.
func (r *repo) ref(remote, name string) string {
	out, _ := r.try("git", "-C", remote, "rev-parse", "-q", "--verify", name)
	return strings.TrimSpace(out)
}

// The user's own hook and then ours see what git gives: the remote, its
// address, and a line for each ref.
func TestPush(t *testing.T) {
	const none = "0000000000000000000000000000000000000000"
	r, remote := newRemote(t, "re po")
	r.install("pre-commit", "pre-push")
	head := r.git("rev-parse", "HEAD")
	noted := func(name, lines string) string {
		args := " <" + name + "> <" + remote + ">\n"
		return "own" + args + lines + "argv <git-hook> <pre-push>" + args + "original=0\n" + lines
	}
	step := func(want string, wantOK bool, args ...string) {
		t.Helper()
		got, ok := r.push(args...)
		if diff := cmp.Diff(want, got); diff != "" || ok != wantOK {
			t.Errorf("push %v: %v, mismatch (-want +got):\n%s", args, ok, diff)
		}
	}
	created := "refs/heads/main " + head + " refs/heads/main " + none + "\n"
	r.writeBinary(`cat >>"$0.log"; exit 2`)
	step(noted("origin", created), false, "origin", "main")
	if got := r.ref(remote, "main"); got != "" {
		t.Errorf("pushed %s", got)
	}
	r.writeBinary(`cat >>"$0.log"`)
	r.ownPush(3)
	step(strings.Replace(noted("origin", created), "original=0", "original=3", 1), false, "origin", "main")
	if got := r.ref(remote, "main"); got != "" {
		t.Errorf("pushed %s", got)
	}
	r.ownPush(0)
	step(noted("origin", created), true, "origin", "main")
	if got := r.ref(remote, "main"); got != head {
		t.Errorf("pushed %s, want %s", got, head)
	}
	step(noted("origin", ""), true, "origin", "main") // up to date
	step(noted(remote, "refs/heads/main "+head+" refs/heads/a "+none+"\nrefs/heads/main "+head+" refs/heads/b "+none+"\n"), true, remote, "main:a", "main:b")
	step(noted("origin", "(delete) "+none+" refs/heads/a "+head+"\n"), true, "origin", ":a")
	step("", true, "--no-verify", "origin", "main:c")

	r.git("worktree", "add", "-q", "-b", "linked", "../linked")
	r = r.at(filepath.Dir(r.dir) + "/linked")
	step(noted("origin", "refs/heads/linked "+head+" refs/heads/linked "+none+"\n"), true, "origin", "linked")
}

// The lines may be more than a pipe holds, and ours may read none of them.
func TestPushOfManyRefs(t *testing.T) {
	r, remote := newRemote(t, "repo")
	r.install("pre-push")
	r.writeBinary("exit 0")
	var refs strings.Builder
	for i := range 1500 { // 100 bytes and more each
		refs.WriteString("create refs/heads/" + strings.Repeat("x", i%40+1) + "/" + strings.Repeat("y", i/40+1) + " HEAD\n")
	}
	if out, code := r.feed(refs.String(), "git", "update-ref", "--stdin"); code != 0 {
		t.Fatal(out)
	}
	log, ok := r.push("--all", "origin")
	if !ok || strings.Count(log, "refs/heads/") != 2*1501 {
		t.Errorf("push %v, %d bytes noted", ok, len(log))
	}
	if got := r.ref(remote, "x/y"); got != r.git("rev-parse", "HEAD") {
		t.Errorf("pushed %q", got)
	}
}

// Each hook comes and goes by itself; the other kept one is not touched.
func TestHooksComeAndGo(t *testing.T) {
	r, _ := newRemote(t, "repo")
	own := map[string]string{"pre-commit": "#!/bin/sh\necho own\n", "pre-push": read(t, r.hook("pre-push"))}
	write(t, r.hook("pre-commit"), 0o755, own["pre-commit"])
	const (
		ownPush  = "own <origin>\n"
		oursPush = "argv <git-hook> <pre-push> <origin>\noriginal=0\n"
		commit   = "argv <git-hook> <pre-commit>\noriginal=0\n"
	)
	steps := []struct {
		names        []string
		changes      string // hook and action
		commit, push string // what the stand-in notes
	}{
		{[]string{"pre-commit", "pre-push"}, "pre-commit installed, pre-push installed", commit, ownPush + oursPush},
		{[]string{"pre-push"}, "pre-commit restored, pre-push unchanged", "", ownPush + oursPush},
		{[]string{"pre-commit"}, "pre-commit installed, pre-push restored", commit, ownPush},
		{[]string{"pre-push", "pre-commit"}, "pre-commit unchanged, pre-push installed", commit, ownPush + oursPush},
		{nil, "pre-commit restored, pre-push restored", "", ownPush},
		{nil, " nothing", "", ownPush},
		{[]string{"pre-push"}, "pre-push installed", "", ownPush + oursPush},
		{[]string{"pre-commit"}, "pre-commit installed, pre-push restored", commit, ownPush},
	}
	r.git("remote", "set-url", "origin", "../remote.git")
	for i, step := range steps {
		var changes []string
		for _, change := range r.install(step.names...) {
			changes = append(changes, change.Hook+" "+change.Action)
			if kept := change.Preserved != ""; kept != (change.Action == gitinstall.Installed || change.Action == gitinstall.Unchanged) {
				t.Errorf("step %d: %s %s: preserved %q", i, change.Hook, change.Action, change.Preserved)
			}
		}
		if got := strings.Join(changes, ", "); got != step.changes {
			t.Errorf("step %d: %s, want %s", i, got, step.changes)
		}
		must(t, os.RemoveAll(r.binary+".log"))
		if out, ok := r.commit(); !ok || out != "own\n" || r.log() != step.commit {
			t.Errorf("step %d: commit %v: %q, noted %q, want %q", i, ok, out, r.log(), step.commit)
		}
		log, ok := r.push("--dry-run", "origin", "main")
		if got := noted(log); !ok || got != step.push {
			t.Errorf("step %d: push %v: %q, want %q", i, ok, got, step.push)
		}
	}
	r.install("pre-commit", "pre-push")
	r.uninstall()
	for name, content := range own {
		if read(t, r.hook(name)) != content {
			t.Errorf("%s is not what it was", name)
		}
	}
	if left, _ := filepath.Glob(r.hook("*.original*")); len(left) > 0 || exists(r.hook("discobot-hooks.path")) {
		t.Errorf("left behind: %q, or the note", left)
	}
}

// noted is a log without git's lines for refs and without the address.
func noted(log string) string {
	var kept strings.Builder
	for line := range strings.Lines(log) {
		if !strings.HasPrefix(line, "refs/") {
			kept.WriteString(strings.Replace(line, " <../remote.git>", "", 1))
		}
	}
	return kept.String()
}

// A hooks directory under version control is the user's to change: the hint
// names each hook.
func TestPushHookUnderVersionControl(t *testing.T) {
	r := newRepo(t, "repo")
	write(t, r.dir+"/team/commit-msg", 0o755, "#!/bin/sh\n")
	r.git("add", "team")
	r.git("config", "core.hooksPath", "team")
	_, err := r.installer().Install(context.Background(), []string{"pre-commit", "pre-push"})
	refusal, ok := errors.AsType[*gitinstall.Error](err)
	if !ok {
		t.Fatalf("Install: %v", err)
	}
	wantContains(t, refusal.Hint(),
		r.dir+`/team/pre-commit: discobot-hooks git-hook pre-commit "$@"; and to `+r.dir+`/team/pre-push: discobot-hooks git-hook pre-push "$@"`)
}
