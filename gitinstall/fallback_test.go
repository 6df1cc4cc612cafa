package gitinstall_test

import (
	"os"
	"strings"
	"testing"
)

// withoutBinary installs, then takes the binary away.
func withoutBinary(t *testing.T, r *repo, names ...string) {
	t.Helper()
	r.install(names...)
	must(t, os.Remove(r.binary))
}

const missing = "discobot-hooks: the binary is missing, this script runs the hooks; to restore it: discobot-hooks install\n"

// The checks hold where the binary is gone, and it is said.
func TestFallbackRunsTheHooks(t *testing.T) {
	inShells(t, func(t *testing.T, r *repo, hook func(string, string, ...string) (string, int)) {
		withoutBinary(t, r, "pre-commit", "pre-push")
		if out, code := hook("", "pre-commit"); out != "" || code != 0 {
			t.Errorf("no hooks: exit %d: %q", code, out)
		}
		add := func(name string, mode os.FileMode, content string) {
			write(t, r.dir+"/.discobot/hooks/"+name, mode, content)
		}
		add("a.sh", 0o755, "#!/bin/sh\n#---\n# name: A\n# type: pre-commit\n#---\necho a; cat\n")
		add("B.sh", 0o755, "#!/bin/sh\r\n#---\r\n#type: \"pre-commit\"\r\n#---\r\n") // its interpreter is not found
		add("c d.py", 0o755, "#!/usr/bin/env python3\n#---\n# type: 'pre-commit' # comment\n#---\nimport sys\nsys.exit(2)\n")
		add("e.js", 0o755, "#!/bin/sh\n//---\n// type: pre-commit\n//---\n")
		add("plain", 0o755, "#!/bin/sh\n---\nname: x\ntype: pre-commit\n---\n")
		add("file.sh", 0o755, "#!/bin/sh\n#---\n# type: file\n#---\n# type: pre-commit\n#---\necho no\n")
		add("push.sh", 0o755, "#!/bin/sh\n#---\n# type: pre-push\n#---\necho \"push $1\"; cat\n")
		add("off.sh", 0o644, "#!/bin/sh\n#---\n# type: pre-commit\n#---\necho no\n")
		add(".hidden.sh", 0o755, "#!/bin/sh\n#---\n# type: pre-commit\n#---\necho no\n")
		add("none.sh", 0o755, "#!/bin/sh\n# type: pre-commit\necho no\n")
		add("open.sh", 0o755, "#!/bin/sh\n#---\n# type: pre-commit\n# echo no\n")
		add("dir/x.sh", 0o755, "#!/bin/sh\n#---\n# type: pre-commit\n#---\necho no\n")
		r.env = append(r.env, "LC_ALL=C.UTF-8")
		out, code := hook("not for checks\n", "pre-commit")
		if code != 1 {
			t.Errorf("exit %d", code)
		}
		var said []string
		for line := range strings.Lines(out) {
			if strings.HasPrefix(line, "discobot-hooks: ") || line == "a\n" || strings.HasPrefix(line, "no") {
				said = append(said, line)
			}
		}
		// The wording of a missing interpreter is the shell's; its status is 126 or 127.
		got := strings.ReplaceAll(strings.Join(said, ""), "B.sh failed (exit 126)", "B.sh failed (exit 127)")
		got = strings.ReplaceAll(got, "plain failed (exit 2)", "plain failed (exit 127)")
		want := missing +
			"discobot-hooks: pre-commit hook .discobot/hooks/B.sh failed (exit 127)\n" +
			"a\n" +
			"discobot-hooks: pre-commit hook .discobot/hooks/c d.py failed (exit 2)\n"
		wantContains(t, got, want, "nothing was committed; failed: B.sh c d.py")
		if out, code := hook("ref\n", "pre-push", "origin"); code != 0 || out != missing+"push origin\nref\n" {
			t.Errorf("pre-push: exit %d: %q", code, out)
		}
		r.env = append(r.env, "DISCOBOT_HOOKS=0")
		if out, code := hook("", "pre-commit"); out != "" || code != 0 {
			t.Errorf("switched off: exit %d: %q", code, out)
		}
	})
}

func TestFallbackBlocksTheCommit(t *testing.T) {
	r := newRepo(t, "repo")
	withoutBinary(t, r, "pre-commit")
	write(t, r.hook("pre-commit.original"), 0o755, "#!/bin/sh\nexit 6\n")
	write(t, r.dir+"/.discobot/hooks/x.sh", 0o755, "#!/bin/sh\n#---\n# type: pre-commit\n#---\nexit 2\n")
	out, ok := r.commit()
	want := missing +
		"discobot-hooks: your own pre-commit hook failed (exit 6)\n" +
		"discobot-hooks: pre-commit hook .discobot/hooks/x.sh failed (exit 2)\n" +
		"discobot-hooks: nothing was committed; failed: x.sh\n"
	if ok || out != want {
		t.Errorf("commit %v: %q, want %q", ok, out, want)
	}
	if _, code := r.try("git", "rev-parse", "-q", "--verify", "HEAD"); code == 0 {
		t.Error("something was committed")
	}
}

// A check that makes repositories of its own must not commit into the user's;
// one that looks at the index must see what is being committed.
func TestFallbackEnvironment(t *testing.T) {
	const header = "#!/bin/sh\n#---\n# type: pre-commit\n#---\n"
	setup := func(t *testing.T, linked bool, body string) *repo {
		r := newRepo(t, "repo")
		write(t, r.dir+"/tracked", 0o644, "1\n")
		r.git("add", "tracked")
		r.commit()
		withoutBinary(t, r, "pre-commit")
		if linked {
			r.git("worktree", "add", "-q", "../linked")
			r = r.at(strings.TrimSuffix(r.dir, "repo") + "linked")
		}
		write(t, r.dir+"/.discobot/hooks/x.sh", 0o755, header+body)
		return r
	}
	for name, linked := range map[string]bool{"main": false, "linked": true} {
		t.Run(name, func(t *testing.T) {
			r := setup(t, linked, `cd "$TMPDIR" && git init -q other && cd other && git commit -q --no-verify --allow-empty -m theirs`)
			if out, ok := r.commit(); !ok || out != missing {
				t.Errorf("commit %v: %q", ok, out)
			}
			if got := r.git("log", "--format=%s"); got != "m\nm" {
				t.Errorf("log: %q", got)
			}
			write(t, r.dir+"/.discobot/hooks/x.sh", 0o755, header+`git diff --cached --name-only`)
			write(t, r.dir+"/tracked", 0o644, "2\n")
			if out, ok := r.commit("-a"); !ok || out != missing+"tracked\n" {
				t.Errorf("commit -a %v: %q", ok, out)
			}
			write(t, r.dir+"/tracked", 0o644, "3\n")
			if out, ok := r.commit("tracked"); !ok || out != missing+"tracked\n" {
				t.Errorf("commit FILE %v: %q", ok, out)
			}
		})
	}
	t.Run("git dir of the caller", func(t *testing.T) {
		r := setup(t, false, `git rev-parse --absolute-git-dir`)
		must(t, os.Rename(r.dir+"/.git", r.dir+".git"))
		out, code := r.try("git", "--git-dir="+r.dir+".git", "--work-tree=.", "commit", "-q", "--allow-empty", "-m", "m")
		if code != 0 || out != missing+r.dir+".git\n" {
			t.Errorf("exit %d: %q", code, out)
		}
	})
}

// Advice hooks need the binary. That they did not run is said, and nothing is
// blocked: nobody knows here whether there are any.
func TestFallbackSaysThatNoAdviceRan(t *testing.T) {
	const want = "discobot-hooks: the binary is missing, so no advice hook ran; to restore it: discobot-hooks install\n"
	inShells(t, func(t *testing.T, r *repo, hook func(string, string, ...string) (string, int)) {
		withoutBinary(t, r, "pre-commit", "commit-msg", "pre-push")
		step := func(want, name string) {
			t.Helper()
			if out, code := hook("", name); code != 0 || out != want {
				t.Errorf("%s: exit %d: %q, want %q", name, code, out, want)
			}
		}
		r.git("config", "--global", "discobot-hooks.advice", "a")
		step("", "pre-push")
		r.setAdvice("a")
		step(want, "pre-push")
		step(want, "pre-commit")
		step("", "commit-msg")
		if out, ok := r.commit(); !ok || out != want {
			t.Errorf("commit %v: %q", ok, out)
		}
		r.env = append(r.env, "DISCOBOT_HOOKS=0")
		step("", "pre-push")
	})
}

// A hook that wants the list of staged files finds it, and what is done cannot
// be blocked.
func TestFallbackStagedFilesAndPostHooks(t *testing.T) {
	inShells(t, func(t *testing.T, r *repo, hook func(string, string, ...string) (string, int)) {
		withoutBinary(t, r, "pre-commit", "post-commit")
		write(t, r.dir+"/.discobot/hooks/a.sh", 0o755, "#!/bin/sh\n#---\n# type: pre-commit\n#---\ntr '\\0' '\\n' <\"$DISCOBOT_STAGED_FILES_FILE\"\n")
		write(t, r.dir+"/.discobot/hooks/b.sh", 0o755, "#!/bin/sh\n#---\n# type: post-commit\n#---\nexit 3\n")
		write(t, r.dir+"/a file", 0o644, "x")
		r.git("add", "a file")
		out, code := hook("", "pre-commit")
		if code != 0 || out != missing+"a file\n" {
			t.Errorf("pre-commit: exit %d: %q", code, out)
		}
		if out, code := hook("", "post-commit"); code != 0 || !strings.Contains(out, "post-commit hook .discobot/hooks/b.sh failed (exit 3)") {
			t.Errorf("post-commit: exit %d: %q", code, out)
		}
	})
}
