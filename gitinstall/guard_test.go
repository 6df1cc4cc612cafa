package gitinstall_test

import (
	"os"
	"strings"
	"testing"
)

// Two managers that each call the other as the hook that was there before.
func TestRecursionGuard(t *testing.T) {
	inShells(t, func(t *testing.T, r *repo, hook func(string, string, ...string) (string, int)) {
		r.install("pre-commit")
		script := read(t, r.hook("pre-commit"))
		write(t, r.hook("pre-commit.legacy"), 0o755, script)
		write(t, r.hook("pre-commit.original"), 0o755, "#!/bin/sh\necho other\nexec '"+r.hook("pre-commit.legacy")+"' \"$@\"\n")
		if out, code := hook("", "pre-commit"); code != 0 || out != "other\n" {
			t.Errorf("exit %d: %q", code, out)
		}
		if got := strings.Count(r.log(), "argv"); got != 1 {
			t.Errorf("ours ran %d times", got)
		}
	})
}

func TestRecursionGuardWithNewlineInThePath(t *testing.T) {
	r := newRepo(t, "new\nline")
	r.install("pre-commit")
	write(t, r.hook("pre-commit.original"), 0o755, "#!/bin/sh\necho other\nexec .git/hooks/pre-commit\n")
	if out, ok := r.commit(); !ok || out != "other\n" {
		t.Errorf("commit %v: %q", ok, out)
	}
}

// A daemon that the user's own hook starts has the guard in its environment.
// Once that run of the hook is over, or where the daemon is not below it any
// more, its commits are checked like any other.
func TestGuardOfAnotherProcessIsIgnored(t *testing.T) {
	inShells(t, func(t *testing.T, r *repo, hook func(string, string, ...string) (string, int)) {
		r.install("pre-commit")
		write(t, r.hook("pre-commit.original"), 0o755, "#!/bin/sh\nprintf '%s.' \"$DISCOBOT_HOOK_GUARD\" >\""+r.binary+".guard\"\n")
		if out, code := hook("", "pre-commit"); code != 0 || out != "" {
			t.Fatalf("exit %d: %q", code, out)
		}
		guard := strings.TrimSuffix(read(t, r.binary+".guard"), ".")
		wantContains(t, guard, r.hook("pre-commit"))
		must(t, os.Remove(r.hook("pre-commit.original")))
		place := "\n" + r.hook("pre-commit") + "\n"
		for name, value := range map[string]string{
			"process gone": guard, "process 1": place + "1\n", "not a process": place + "x\n", "empty": place, "old form": place[:len(place)-1],
		} {
			must(t, os.RemoveAll(r.binary+".log"))
			r.env = append(r.env, "DISCOBOT_HOOK_GUARD="+value)
			if out, code := hook("", "pre-commit"); code != 0 || out != "" {
				t.Errorf("%s: exit %d: %q", name, code, out)
			}
			if got := strings.Count(r.log(), "argv"); got != 1 {
				t.Errorf("%s: ours ran %d times", name, got)
			}
		}
	})
}

// The whole way: the daemon commits after the commit that it was started in.
func TestDaemonOfTheUsersHookIsChecked(t *testing.T) {
	r := newRepo(t, "repo")
	r.install("pre-commit")
	fifo := r.binary + ".fifo"
	if out, code := r.try("mkfifo", fifo, fifo+".done"); code != 0 {
		t.Fatal(out)
	}
	write(t, r.hook("pre-commit.original"), 0o755, `#!/bin/sh
rm -f "$0.original"
{ read -r go <'`+fifo+`'; git commit -q --allow-empty -m daemon; echo "$?" >'`+fifo+`.done'; } </dev/null >/dev/null 2>&1 &
`)
	if out, ok := r.commit(); !ok || out != "" {
		t.Fatalf("commit %v: %q", ok, out)
	}
	r.writeBinary("exit 3")
	if out, code := r.try("sh", "-c", `echo go >"$0"; read -r code <"$0.done"; exit "$code"`, fifo); code != 1 {
		t.Errorf("the daemon's commit: exit %d: %s", code, out)
	}
	if got := strings.Count(r.log(), "argv"); got != 2 {
		t.Errorf("ours ran %d times: %q", got, r.log())
	}
}
