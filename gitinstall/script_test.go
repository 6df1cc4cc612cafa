package gitinstall_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

func TestScriptIsPOSIX(t *testing.T) {
	script := read(t, "managed-hook.sh")
	if lines := strings.Split(script, "\n"); lines[1] != "# discobot:managed" {
		t.Errorf("line 2: %q", lines[1])
	}
	if _, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(script), "managed-hook.sh"); err != nil {
		t.Error(err)
	}
}

func TestScriptShellcheck(t *testing.T) {
	if _, err := exec.LookPath("shellcheck"); err != nil {
		t.Skip("needs shellcheck in PATH")
	}
	// SC2015: `a && b || continue` is meant. SC2016: the inner shell expands it.
	// SC2086: the shebang is split on purpose. SC3013: -ef is in POSIX.1-2024.
	out, err := exec.Command("shellcheck", "-s", "sh", "-e", "SC2015,SC2016,SC2086,SC3013", "managed-hook.sh").CombinedOutput()
	if err != nil {
		t.Errorf("shellcheck: %v\n%s", err, out)
	}
}

// inShells runs fn once for each shell that may be /bin/sh somewhere; hook
// starts an installed hook with it as git would, in the work tree.
func inShells(t *testing.T, fn func(t *testing.T, r *repo, hook func(stdin, name string, args ...string) (string, int))) {
	for name, shell := range map[string][]string{
		"git": nil, "dash": {"dash"}, "bash": {"bash", "--posix"}, "busybox": {"busybox", "sh"},
	} {
		t.Run(name, func(t *testing.T) {
			if shell != nil {
				if _, err := exec.LookPath(shell[0]); err != nil {
					t.Skipf("needs %s in PATH", shell[0])
				}
			}
			r := newRepo(t, "re po")
			fn(t, r, func(stdin, name string, args ...string) (string, int) {
				t.Helper()
				argv := append(append([]string{}, shell...), ".git/hooks/"+name)
				return r.feed(stdin, append(argv, args...)...)
			})
		})
	}
}

// The user's own hook cannot tell that it is not called by git.
func TestOriginalIsCalledAsByGit(t *testing.T) {
	inShells(t, func(t *testing.T, r *repo, hook func(string, string, ...string) (string, int)) {
		const body = `printf '[%s]' "$0" "$#" "$@"; cat; exit 3`
		tests := []struct {
			name, needs, content string
			dollar0              string // added to git's; empty: unchanged
		}{
			{name: "sh", content: "#!/bin/sh\n" + body},
			{name: "sh with options", content: "#! /bin/sh -eu\n" + body},
			{name: "sh with a dash", content: "#!/bin/sh -\n" + body},
			{name: "bash", needs: "bash", content: "#!/bin/bash\na=(1 2)\n[[ ${#a[@]} = 2 ]] || exit 9\n" + body},
			{name: "env bash", needs: "bash", content: "#!/usr/bin/env bash\n[[ -n $BASH ]] || exit 9\n" + body},
			{name: "guarded main", needs: "bash", content: "#!/bin/bash\nmain() { " + body + "\n}\n[[ \"${BASH_SOURCE[0]}\" == \"$0\" ]] && main \"$@\"\n", dollar0: ".original"},
			{name: "no shebang", content: body, dollar0: ".original"},
			{name: "python", needs: "python3", content: "#!/usr/bin/env python3\nimport sys\nprint(''.join('[%s]' % a for a in [sys.argv[0], len(sys.argv) - 1] + sys.argv[1:]) + sys.stdin.read(), end='')\nsys.exit(3)\n", dollar0: ".original"},
		}
		r.install("pre-push")
		for _, test := range tests {
			write(t, r.hook("pre-push.original"), 0o755, test.content)
			if interpreter := test.needs; interpreter != "" {
				if _, err := exec.LookPath(interpreter); err != nil {
					t.Logf("%s: left out, needs %s in PATH", test.name, interpreter)
					continue
				}
			}
			out, code := hook("ref 1\nref 2\n", "pre-push", "origin", "a b", "", "*")
			want := "[.git/hooks/pre-push][4][origin][a b][][*]ref 1\nref 2\n"
			if test.dollar0 != "" {
				want = strings.Replace(want, ".git/hooks/pre-push", r.hook("pre-push")+test.dollar0, 1)
			}
			if out != want || code != 3 {
				t.Errorf("%s: exit %d, %q, want %q", test.name, code, out, want)
			}
		}
	})
}

func TestOursRunsAfterTheOriginal(t *testing.T) {
	inShells(t, func(t *testing.T, r *repo, hook func(string, string, ...string) (string, int)) {
		r.install("pre-commit", "pre-push")
		step := func(want string, wantCode int, name string, args ...string) {
			t.Helper()
			must(t, os.RemoveAll(r.binary+".log"))
			if out, code := hook("lines\n", name, args...); code != wantCode {
				t.Errorf("exit %d, want %d: %s", code, wantCode, out)
			}
			if got := r.log(); got != want {
				t.Errorf("binary: %q, want %q", got, want)
			}
		}
		r.env = append(r.env, "DISCOBOT_ORIGINAL_EXIT=7") // of an outer run
		step("argv <git-hook> <pre-commit>\noriginal=unset\n", 0, "pre-commit")
		r.writeBinary("exit 2")
		step("argv <git-hook> <pre-commit> <a b> <>\noriginal=unset\n", 2, "pre-commit", "a b", "")
		write(t, r.hook("pre-commit.original"), 0o755, "#!/bin/sh\nexit 0\n")
		step("argv <git-hook> <pre-commit>\noriginal=0\n", 2, "pre-commit")
		write(t, r.hook("pre-commit.original"), 0o755, "#!/bin/sh\nset -e\nfalse\nexit 0\n")
		write(t, r.hook("pre-commit.original.2"), 0o755, "#!/bin/sh\nexit 5\n")
		step("argv <git-hook> <pre-commit>\noriginal=1\n", 1, "pre-commit")
		must(t, os.Chmod(r.hook("pre-commit.original"), 0o644))
		step("argv <git-hook> <pre-commit>\noriginal=5\n", 5, "pre-commit")
		r.writeBinary(`cat >>"$0.log"; exit 4`)
		step("argv <git-hook> <pre-push> <origin>\noriginal=unset\nlines\n", 4, "pre-push", "origin")

		r.env = append(r.env, "DISCOBOT_HOOKS=0")
		step("", 5, "pre-commit")
		step("", 0, "pre-push")
	})
}

// The path noted by install comes first, then PATH.
func TestBinaryIsFound(t *testing.T) {
	r := newRepo(t, "repo")
	r.install("pre-commit")
	write(t, r.hook("discobot-hooks.path"), 0o644, "/nonexistent/discobot-hooks\n")
	r = r.with("PATH=" + strings.TrimSuffix(r.binary, "/discobot-hooks") + ":" + os.Getenv("PATH"))
	r.commit()
	wantContains(t, r.log(), "<git-hook> <pre-commit>")
}

// husky's and git-lfs's hooks ask their own name, and look beside themselves.
func TestDispatchers(t *testing.T) {
	t.Run("husky", func(t *testing.T) {
		r := newRepo(t, "repo")
		r.git("config", "core.hooksPath", ".husky/_")
		write(t, r.dir+"/.husky/_/h", 0o644, `#!/usr/bin/env sh
n=$(basename "$0")
s=$(dirname "$(dirname "$0")")/$n
[ ! -f "$s" ] && exit 0
sh -e "$s" "$@"
c=$?
[ $c != 0 ] && echo "husky - $n script failed (code $c)"
exit $c
`)
		write(t, r.dir+"/.husky/_/pre-commit", 0o755, "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"")
		write(t, r.dir+"/.husky/pre-commit", 0o644, "echo checked\nexit 4\n")
		r.install("pre-commit")
		out, ok := r.commit()
		if ok || out != "checked\nhusky - pre-commit script failed (code 4)\n" {
			t.Errorf("commit %v: %q", ok, out)
		}
	})
	t.Run("multi", func(t *testing.T) {
		r := newRepo(t, "repo")
		const multi = "#!/bin/sh\ncase ${0##*/} in\npre-commit) echo \"one $#\" ;;\ncommit-msg) echo \"two $# ${1##*/}\" ;;\n*) exit 9 ;;\nesac\n"
		write(t, r.hook("pre-commit"), 0o755, multi)
		write(t, r.hook("commit-msg"), 0o755, multi)
		r.install("pre-commit", "commit-msg")
		if out, ok := r.commit(); !ok || out != "one 0\ntwo 1 COMMIT_EDITMSG\n" {
			t.Errorf("commit %v: %q", ok, out)
		}
		wantContains(t, r.log(), "<commit-msg> <.git/COMMIT_EDITMSG>")
		if out, code := r.try("git", "hook", "run", "pre-commit", "--", "x", "y"); code != 0 || out != "one 2\n" {
			t.Errorf("git hook run: exit %d: %q", code, out)
		}
	})
}
