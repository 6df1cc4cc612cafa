package frontmatter

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"discobot-hooks/hook"
)

// workspace makes one with these hook files, all executable.
func workspace(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	hooks := filepath.Join(dir, hook.Dir)
	if err := os.MkdirAll(hooks, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(hooks, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func mustLoad(t testing.TB, dir string) Set {
	t.Helper()
	set, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// lines gives problems as `name:line: severity: message`.
func lines(problems []hook.Problem) string {
	var b strings.Builder
	for _, p := range problems {
		fmt.Fprintf(&b, "%s:%d: %s: %s\n", strings.TrimPrefix(p.File, hook.Dir+"/"), p.Line, p.Severity, p.Message)
	}
	return b.String()
}

// The examples of the hooks document, to the letter.
var documented = map[string]string{
	"install-deps.sh": `#!/bin/bash
#---
# name: Install system deps
# type: session
# run_as: root
#---
apt-get update && apt-get install -y postgresql-client redis-tools
`,
	"setup.sh": `#!/bin/bash
#---
# name: Setup environment
# type: session
#---
pnpm install
cp .env.example .env
`,
	"go-fmt.sh": `#!/bin/bash
#---
# name: Go format check
# type: file
# pattern: "*.go"
#---
gofmt -l $DISCOBOT_CHANGED_FILES
`,
	"eslint-fix.sh": `#!/bin/bash
#---
# name: ESLint autofix
# type: file
# pattern: "*.{ts,tsx}"
# notify_llm: false
#---
npx eslint --fix $DISCOBOT_CHANGED_FILES
`,
	"typecheck.sh": `#!/bin/bash
#---
# name: Type check
# type: pre-commit
#---
pnpm typecheck
`,
}

func TestLoadDocumentedExamples(t *testing.T) {
	t.Parallel()
	dir := workspace(t, documented)
	at := func(name string) string { return filepath.Join(dir, ".discobot", "hooks", name) }
	want := Set{Broken: map[string]bool{}, Hooks: []hook.Hook{
		{ID: "eslint-fix", Name: "ESLint autofix", Event: hook.File, File: ".discobot/hooks/eslint-fix.sh",
			Match: hook.Match{Patterns: []string{"*.{ts,tsx}"}}, Action: hook.Action{Path: at("eslint-fix.sh"), RunAs: hook.AsUser}},
		{ID: "go-fmt", Name: "Go format check", Event: hook.File, File: ".discobot/hooks/go-fmt.sh",
			Match: hook.Match{Patterns: []string{"*.go"}}, Action: hook.Action{Path: at("go-fmt.sh"), RunAs: hook.AsUser}, NotifyLLM: true},
		{ID: "install-deps", Name: "Install system deps", Event: hook.Session, File: ".discobot/hooks/install-deps.sh",
			Action: hook.Action{Path: at("install-deps.sh"), RunAs: hook.AsRoot}, NotifyLLM: true, Blocking: true},
		{ID: "setup", Name: "Setup environment", Event: hook.Session, File: ".discobot/hooks/setup.sh",
			Action: hook.Action{Path: at("setup.sh"), RunAs: hook.AsUser}, NotifyLLM: true, Blocking: true},
		{ID: "typecheck", Name: "Type check", Event: hook.PreCommit, File: ".discobot/hooks/typecheck.sh",
			Action: hook.Action{Path: at("typecheck.sh"), RunAs: hook.AsUser}, NotifyLLM: true},
	}}
	got := mustLoad(t, dir)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Load(%q) mismatch (-want +got):\n%s", dir, diff)
	}
	if diff := cmp.Diff(want.Hooks[2:4], got.For(hook.Session)); diff != "" {
		t.Errorf("For(session) mismatch (-want +got):\n%s", diff)
	}
}

func TestLoadWithoutHooks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if got := mustLoad(t, dir); len(got.Hooks)+len(got.Problems) > 0 {
		t.Errorf("Load(%q) = %v, want nothing", dir, got)
	}
}

func TestLoadErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		make func(dir string) error
		want string
	}{
		{"no workspace", os.Remove, "no such file or directory"},
		{"a file for .discobot", func(dir string) error { return os.WriteFile(filepath.Join(dir, ".discobot"), nil, 0o644) }, "not a directory"},
		{"a file for the directory", func(dir string) error {
			_ = os.Mkdir(filepath.Join(dir, ".discobot"), 0o755)
			return os.WriteFile(filepath.Join(dir, hook.Dir), nil, 0o644)
		}, "not a directory"},
		{"a FIFO for the directory", func(dir string) error {
			_ = os.Mkdir(filepath.Join(dir, ".discobot"), 0o755)
			return syscall.Mkfifo(filepath.Join(dir, hook.Dir), 0o644)
		}, "not a directory"},
		{"a link out of the workspace", func(dir string) error { return os.Symlink("/tmp", filepath.Join(dir, ".discobot")) }, "escapes"},
		{"a link to nothing", func(dir string) error { return os.Symlink("nothing", filepath.Join(dir, ".discobot")) }, "leads nowhere"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "w")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := test.make(dir); err != nil {
				t.Fatal(err)
			}
			_, err := Load(dir)
			if err == nil || !strings.HasPrefix(err.Error(), "read hooks: ") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Load = %v, want read hooks: … %s", err, test.want)
			}
		})
	}
}

// withHeader makes a hook file in the `#---` style.
func withHeader(body string) string {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n#---\n")
	for l := range strings.Lines(body) {
		b.WriteString("# " + l)
	}
	return b.String() + "\n#---\nexit 0\n"
}

func TestLoadFields(t *testing.T) {
	t.Parallel()
	file := func(patterns ...string) hook.Hook {
		return hook.Hook{Event: hook.File, Match: hook.Match{Patterns: patterns}, NotifyLLM: true, Action: hook.Action{RunAs: hook.AsUser}}
	}
	session := hook.Hook{Event: hook.Session, NotifyLLM: true, Blocking: true, Action: hook.Action{RunAs: hook.AsUser}}
	with := func(h hook.Hook, change func(*hook.Hook)) hook.Hook { change(&h); return h }
	for _, test := range []struct {
		name, content string
		want          hook.Hook
		warnings      string
	}{
		{"bare star", withHeader("type: file\npattern: *.go"), file("*.go"), ""},
		{"bare braces", withHeader("type: file\npattern: {a,b}.ts"), file("{a,b}.ts"), ""},
		{"bare negation", withHeader("type: file\npattern: !x"), file("!x"), ""},
		{"bare class", withHeader("type: file\npattern: [a-z]*.go"), file("[a-z]*.go"), ""},
		{"two classes", withHeader("type: file\npattern: [a,b]*[c]"), file("[a,b]*[c]"), ""},
		{"quoted", withHeader("type: 'file'\npattern: '*.go' # ours"), file("*.go"), ""},
		{"quote escapes", withHeader(`type: file` + "\n" + `pattern: "a\\*\u00e9\"" `), file(`a\*é"`), ""},
		{"single quote escapes", withHeader(`type: file` + "\n" + `pattern: 'it''s'`), file("it's"), ""},
		{"flow list", withHeader(`type: file` + "\n" + `pattern: [*.go, "a,b", {c,d}.ts, [x,y]z, it's, ] # list`), file("*.go", "a,b", "{c,d}.ts", "[x,y]z", "it's"), ""},
		{"block list", withHeader("type: file\npattern: # these\n- *.go\n- '*.s' # asm\n\n# not\n- !x.go"), file("*.go", "*.s", "!x.go"), ""},
		{"indented block list", withHeader("type: file\npattern:\n\t- *.go\n\t- a b"), file("*.go", "a b"), ""},
		{"ignore", withHeader("type: file\npattern: **\nignore: [gen/**, *.pb.go]"), with(file("**"), func(h *hook.Hook) { h.Match.Ignore = []string{"gen/**", "*.pb.go"} }), ""},
		{"block text", withHeader("type: session\ndescription: >-\n  one\n  two\n\n  # three\nname: x"), with(session, func(h *hook.Hook) { h.Description, h.Name = "one two\n# three", "x" }), ""},
		{"literal text", withHeader("type: session\ndescription: |\n  one: x\n  - two"), with(session, func(h *hook.Hook) { h.Description = "one: x\n- two\n" }), ""},
		{"raw text", withHeader("type: session\nname: Fix #12: a \"b\" & c\ndescription: &"), with(session, func(h *hook.Hook) { h.Name, h.Description = `Fix #12: a "b" & c`, "&" }), ""},
		{"all of a session hook", withHeader("type: session\nrun_as: user\ntimeout: 90s\nblocking: FALSE\nretries: 3\npass_env: [A, b_1]"), with(session, func(h *hook.Hook) {
			h.Blocking = false
			h.Action = hook.Action{RunAs: hook.AsUser, Timeout: 90 * time.Second, Retries: 3, PassEnv: []string{"A", "b_1"}}
		}), ""},
		{"seconds", withHeader("type: session\ntimeout: 1.5\npass_env: HOME"), with(session, func(h *hook.Hook) {
			h.Action.Timeout, h.Action.PassEnv = 1500*time.Millisecond, []string{"HOME"}
		}), ""},
		{"indented keys", withHeader("  type: file\n  pattern: x"), file("x"), ""},
		{"blank lines before", "#!/bin/sh\n\n\n#---\n#type: file\n#pattern: x\n\n#---   \n", file("x"), ""},
		{"closed at the end of the file", "#!/bin/sh\n#---\n#type: file\n#pattern: x\n#---", file("x"), ""},
		{"slashes", "#!/usr/bin/env node\n//---\n// type: file\n// pattern: x\n//---\n", file("x"), ""},
		{"dashes", "#!/bin/sh\n---\ntype: file\npattern: x\n---\n", file("x"), "x.sh:2: warning: the interpreter runs the lines between --- as well: write #--- instead of ---, and start each line with #\n"},
		{"dashes for node", "#!/usr/bin/env node\n---\ntype: file\npattern: x\n---\n", file("x"), "x.sh:2: warning: the interpreter runs the lines between --- as well: write //--- instead of ---, and start each line with //\n"},
		{"CR LF in the header", "#!/bin/sh\n#---\r\n# type: file\r\n# pattern: *.go\r\n#---\r\nexit\r\n", file("*.go"), ""},
		{"unknown keys", withHeader("type: file\npattern: x\nnotifyLlm: false\nnotify-llm: false\npatterns: y\nruntas: x\nengine:\n  - &a x\n  \"\nmy.key: \""), file("x"),
			"x.sh:5: warning: unknown key notifyLlm: did you mean notify_llm?\n" +
				"x.sh:6: warning: unknown key notify-llm: did you mean notify_llm?\n" +
				"x.sh:7: warning: unknown key patterns: did you mean pattern?\n" +
				"x.sh:8: warning: unknown key runtas: did you mean run_as?\n" +
				"x.sh:9: warning: unknown key engine, which does nothing: take it out\n" +
				"x.sh:12: warning: unknown key my.key, which does nothing: take it out\n"},
		{"keys of other types", withHeader("type: file\npattern: x\nrun_as: root\nblocking: false"), file("x"),
			"x.sh:5: warning: run_as is not for type: file and does nothing here: take it out\n" +
				"x.sh:6: warning: blocking is not for type: file and does nothing here: take it out\n"},
		{"pattern of a session hook", withHeader("type: session\npattern: ["), session, "x.sh:4: warning: pattern is not for type: session and does nothing here: take it out\n"},
		{"pattern and notify_llm of a pre-commit hook", withHeader("type: pre-commit\npattern: x\nignore: y\nnotify_llm: false"), with(file("x"), func(h *hook.Hook) {
			h.Event, h.NotifyLLM, h.Match.Ignore = hook.PreCommit, false, []string{"y"}
		}), ""},
		{"only ignore of a pre-commit hook", withHeader("type: pre-commit\nignore: y"), with(file(), func(h *hook.Hook) { h.Event, h.Match.Ignore = hook.PreCommit, []string{"y"} }), ""},
		{"prepare-commit-msg", withHeader("type: prepare-commit-msg"), with(file(), func(h *hook.Hook) { h.Event = hook.PrepareCommitMsg }), ""},
		{"commit-msg", withHeader("type: commit-msg"), with(file(), func(h *hook.Hook) { h.Event = hook.CommitMsg }), ""},
		{"post-commit", withHeader("type: post-commit"), with(file(), func(h *hook.Hook) { h.Event = hook.PostCommit }), ""},
		{"post-merge", withHeader("type: post-merge"), with(file(), func(h *hook.Hook) { h.Event = hook.PostMerge }), ""},
		{"post-checkout", withHeader("type: post-checkout"), with(file(), func(h *hook.Hook) { h.Event = hook.PostCheckout }), ""},
		{"pattern of another git hook", withHeader("type: pre-push\npattern: x"), with(file(), func(h *hook.Hook) { h.Event = hook.PrePush }),
			"x.sh:4: warning: pattern is not for type: pre-push and does nothing here: take it out\n"},
		{"comment after a bare value", withHeader("type: file\npattern: *.go # go"), file("*.go # go"),
			"x.sh:4: warning: pattern has a # in it, which starts no comment here: put a comment in a line of its own, or the value in quotes\n"},
		{"list of one in brackets", withHeader("type: file\npattern: [*.go]"), file("[*.go]"),
			"x.sh:4: warning: pattern `[*.go]` is one character of those in brackets: for a list of one write the item without them\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := mustLoad(t, workspace(t, map[string]string{"x.sh": test.content}))
			if diff := cmp.Diff(test.warnings, lines(got.Problems)); diff != "" {
				t.Errorf("Load(%q) problems mismatch (-want +got):\n%s", test.content, diff)
			}
			want := test.want
			want.ID, want.File = "x", ".discobot/hooks/x.sh"
			if want.Name == "" {
				want.Name = "x.sh"
			}
			if diff := cmp.Diff([]hook.Hook{want}, got.Hooks, cmpopts.IgnoreFields(hook.Action{}, "Path")); diff != "" {
				t.Errorf("Load(%q) mismatch (-want +got):\n%s", test.content, diff)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	files := map[string]string{}
	for i := range 10_000 {
		files[fmt.Sprintf("hook-%d.sh", i)] = documented["go-fmt.sh"]
	}
	dir := workspace(b, files)
	for b.Loop() {
		if len(mustLoad(b, dir).Hooks) != len(files) {
			b.Fatal("hooks are missing")
		}
	}
}
