package gitinstall_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/gitinstall"
)

// pretend puts a git into PATH that says it is of another version, and is the
// real one in all else.
func (r *repo) pretend(version string) *repo {
	return r.wrapGit("case \"$*\" in *' version') echo 'git version " + version + "'; exit ;; esac\n")
}

func (r *repo) configInstall(names ...string) ([]gitinstall.Change, error) {
	in := r.installer()
	in.Config = true
	return in.Install(context.Background(), names)
}

func TestConfigIsRefusedByOlderGit(t *testing.T) {
	for _, version := range []string{"2.39.5", "2.53.0.windows.1", "1.99"} {
		r := newRepo(t, "repo")
		before := read(t, r.dir+"/.git/config")
		_, err := r.pretend(version).configInstall("pre-commit")
		refusal, ok := errors.AsType[*gitinstall.Error](err)
		if !ok {
			t.Fatalf("%s: %v", version, err)
		}
		wantContains(t, err.Error(), "does not run hooks from its configuration: that begins with 2.54")
		wantContains(t, refusal.Hint(), "without --config")
		if read(t, r.dir+"/.git/config") != before || exists(r.hook("pre-commit")) {
			t.Errorf("%s: something was written", version)
		}
	}
}

// The configuration takes the place of the files, a plain install keeps that,
// and uninstall ends it. core.hooksPath does not matter.
func TestConfigInstall(t *testing.T) {
	r := newRepo(t, "it's repo").pretend("2.54.0.rc1")
	r.binary = strings.TrimSuffix(r.dir, "repo") + "bin"
	before := read(t, r.dir+"/.git/config")
	write(t, r.hook("pre-commit"), 0o755, "#!/bin/sh\necho mine\n")
	r.install("pre-commit")
	config := r.dir + "/.git/config"
	step := func(want []gitinstall.Change, got []gitinstall.Change, err error) {
		t.Helper()
		must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("changes mismatch (-want +got):\n%s", diff)
		}
	}
	change := func(name, path, action string) gitinstall.Change {
		return gitinstall.Change{Hook: name, Path: path, Action: action}
	}
	got, err := r.configInstall("pre-commit", "commit-msg")
	step([]gitinstall.Change{
		change("pre-commit", config, gitinstall.Installed), change("commit-msg", config, gitinstall.Installed),
		change("pre-commit", r.hook("pre-commit"), gitinstall.Restored),
	}, got, err)
	if got := r.git("config", "hook.discobot-pre-commit.event"); got != "pre-commit" {
		t.Errorf("event: %q", got)
	}
	command := r.git("config", "hook.discobot-commit-msg.command")
	if out, code := r.try("sh", "-c", `eval "set -- $0"; printf '[%s]' "$@"`, command); code != 0 || out != "["+r.binary+"][git-hook][commit-msg]" {
		t.Errorf("command %s: exit %d: %s", command, code, out)
	}
	r.git("config", "--global", "core.hooksPath", "/elsewhere")
	step([]gitinstall.Change{change("pre-commit", config, gitinstall.Unchanged), change("commit-msg", config, gitinstall.Unchanged)},
		r.install("pre-commit", "commit-msg"), nil)
	r.git("config", "--global", "--unset", "core.hooksPath")
	step([]gitinstall.Change{change("pre-commit", config, gitinstall.Unchanged), change("commit-msg", config, gitinstall.Removed)},
		r.install("pre-commit"), nil)
	if s := r.check(); !s.Config || cmp.Diff([]string{"pre-commit"}, s.Running) != "" || len(s.Displaced) > 0 {
		t.Errorf("Check: %+v", s)
	}
	r.git("config", "hook.discobot-pre-commit.enabled", "false")
	if s := r.check(); len(s.Running) > 0 || len(s.Displaced) != 1 || !strings.Contains(s.Displaced[0].Message, "switches it off") {
		t.Errorf("Check: %+v", s)
	}
	r.git("config", "--unset", "hook.discobot-pre-commit.enabled")
	older := r.pretend("2.50.1")
	if s := older.check(); len(s.Running) > 0 || len(s.Displaced) != 1 || s.Displaced[0].Message != "git 2.50 does not run hooks from its configuration" {
		t.Errorf("Check: %+v", s)
	}
	// The older git needs the file; the newer one must not run both.
	step([]gitinstall.Change{
		{Hook: "pre-commit", Path: r.hook("pre-commit"), Action: gitinstall.Installed, Preserved: r.hook("pre-commit.original")},
		change("pre-commit", config, gitinstall.Removed),
	}, older.install("pre-commit"), nil)
	_, err = r.configInstall("pre-commit")
	must(t, err)
	r.uninstall()
	if diff := cmp.Diff(before, read(t, config)); diff != "" {
		t.Errorf("configuration mismatch (-want +got):\n%s", diff)
	}
	if got := read(t, r.hook("pre-commit")); got != "#!/bin/sh\necho mine\n" {
		t.Errorf("restored %q", got)
	}
}

// The real one: git runs ours beside the hook of the hooks directory.
func TestConfiguredHookRuns(t *testing.T) {
	r := newRepo(t, "re po")
	version, err := r.installer().GitVersion(context.Background())
	must(t, err)
	if !version.RunsConfigured() {
		t.Skipf("needs git 2.54, which runs hooks from its configuration: this is %s", version)
	}
	write(t, r.hook("pre-commit"), 0o755, "#!/bin/sh\necho mine\n")
	changes, err := r.configInstall("pre-commit", "commit-msg")
	if err != nil || len(changes) != 2 {
		t.Fatalf("Install: %v, %v", changes, err)
	}
	if out, ok := r.commit(); !ok || out != "mine\n" {
		t.Errorf("commit %v: %q", ok, out)
	}
	wantContains(t, r.log(), "argv <git-hook> <pre-commit>\n", "argv <git-hook> <commit-msg> <.git/COMMIT_EDITMSG>\n")
	r.writeBinary("exit 2")
	if out, ok := r.commit(); ok {
		t.Errorf("commit made: %q", out)
	}
}
