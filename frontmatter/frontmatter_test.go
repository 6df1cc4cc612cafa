package frontmatter

import (
	"fmt"
	"io/fs"
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
		{"pattern and notify_llm of a git hook", withHeader("type: pre-commit\npattern: x\nnotify_llm: false"), with(file("x"), func(h *hook.Hook) { h.Event, h.NotifyLLM, h.Match = hook.PreCommit, false, hook.Match{} }),
			"x.sh:4: warning: pattern is not for type: pre-commit and does nothing here: take it out\n"},
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

func TestLoadProblems(t *testing.T) {
	t.Parallel()
	const ok = "type: session\n"
	for _, test := range []struct{ name, content, want string }{
		{"no type", withHeader("name: x"), "2: error: no type: write type: session, type: file or type: pre-commit"},
		{"bad type", withHeader("type: sesion"), "3: error: unknown type `sesion`: write session, file or pre-commit"},
		{"comment after the type", withHeader("type: session # once"), "3: error: unknown type `session # once`: write session, file or pre-commit; a comment must stand in a line of its own"},
		{"no pattern", withHeader("type: file"), `2: error: no pattern: write which files the hook is for, such as pattern: "*.go"`},
		{"empty pattern", withHeader("type: file\npattern:"), "4: error: pattern ``: an empty pattern matches nothing: write \"**\" for every file"},
		{"bad pattern in a list", withHeader("type: file\npattern:\n- a\n- [b"), "6: error: pattern `[b`: a [ without ]: close it, or write \\[ for the character itself"},
		{"only negations", withHeader("type: file\npattern: [!a, !b]"), `4: error: a list of only ! items matches nothing: add "**" before them`},
		{"run_as admin", withHeader(ok + "run_as: admin"), "4: error: run_as is `admin`: write root or user"},
		{"run_as User", withHeader(ok + "run_as: User"), "4: error: run_as is `User`: write root or user"},
		{"run_as empty", withHeader(ok + "run_as:"), "4: error: run_as is ``: write root or user"},
		{"run_as list", withHeader(ok + "run_as: [root, user]"), "4: error: run_as is a list: write one value"},
		{"run_as admin of a file hook", withHeader("type: file\npattern: x\nrun_as: admin"), "5: error: run_as is `admin`: write root or user\nx.sh:5: warning: run_as is not for type: file and does nothing here: take it out"},
		{"name a lone quote", withHeader(ok + "name: \""), "4: error: the quote is not closed: write it a second time after the value, in the same line"},
		{"name over two lines", withHeader(ok + "name: one\n  two"), "5: error: the value of name ends with its line 4: put all in one line, or write a list of - lines below an empty name:"},
		{"name with a bell", withHeader(ok + `name: "a\a"`), "4: error: name has control characters: write one line of plain text"},
		{"NUL", withHeader(ok + "description: a\x00b"), "4: error: a NUL character cannot be used: take it out"},
		{"escaped NUL", withHeader(ok + `description: "\0"`), "4: error: a NUL character cannot be used: take it out"},
		{"bad escape", withHeader(ok + `name: "\d"`), "4: error: not a YAML string: in double quotes \\ starts an escape, write \\\\ for the character itself or use single quotes"},
		{"text after a quote", withHeader(ok + `name: "a" b`), "4: error: text after the closing quote: take it in, or quote nothing"},
		{"anchor", withHeader(ok + "name: &a b"), "4: error: anchors (&name) are not supported: write the value itself, in quotes if it starts with &"},
		{"tag", withHeader(ok + "name: !!str b"), "4: error: tags (!!type) are not supported: put a value that starts with !! in quotes, else write it alone"},
		{"merge key", withHeader(ok + "<<: *a"), "4: error: merge keys (<<:) are not supported: write the keys themselves"},
		{"no key", withHeader(ok + "just text"), "4: error: `just text` is not a line such as name: value"},
		{"no space", withHeader(ok + "name:x"), "4: error: no space after the colon: write name: `x`"},
		{"twice", withHeader(ok + "name: a\nname: b"), "5: error: name is there already, in line 4: keep one of them"},
		{"boolean", withHeader(ok + "notify_llm: yes"), "4: error: notify_llm is `yes`: write true or false, without quotes"},
		{"quoted boolean", withHeader(ok + `blocking: "true"`), "4: error: blocking is `true`: write true or false, without quotes"},
		{"timeout", withHeader(ok + "timeout: 1d"), "4: error: timeout: `1d` is no time limit: write a duration such as 90s or 2m, or a number of seconds"},
		{"timeout zero", withHeader(ok + "timeout: 0"), "4: error: timeout: `0s` is no time limit: write more than zero, or leave it out for the default"},
		{"timeout long", withHeader(ok + "timeout: 25h"), "4: error: timeout: `25h` is too long: write 24h at most"},
		{"timeout NaN", withHeader(ok + "timeout: NaN"), "4: error: timeout: `NaN` is no time limit: write a duration such as 90s or 2m, or a number of seconds"},
		{"retries", withHeader(ok + "retries: 101"), "4: error: retries is `101`: write a whole number from 0 to 100, without quotes"},
		{"pass_env", withHeader(ok + "pass_env: A=b"), "4: error: pass_env `A=b` is no name of a variable: write names such as GITHUB_TOKEN, one an item"},
		{"nested list", withHeader(ok + "pass_env:\n  a: b"), "5: error: `a: b` is not an item of a list: start it with \"- \""},
		{"empty item", withHeader(ok + "pass_env: [A,,B]"), "4: error: an empty item in a list: write a value or take it out"},
		{"open quote in a list", withHeader(ok + `pass_env: ["A, B]`), "4: error: the quote in the list is not closed: write it a second time after the item"},
		{"several", withHeader("type: x\nrun_as: y\nretries: z"), "3: error: unknown type `x`: write session, file or pre-commit\n" +
			"x.sh:4: error: run_as is `y`: write root or user\n" +
			"x.sh:5: error: retries is `z`: write a whole number from 0 to 100, without quotes"},
		{"line without sign", "#!/bin/sh\n#---\n# type: session\nname: x\n#---\n", "4: error: a line of the header without #: start it with \"# \""},
		{"no shebang", "#---\n# type: session\n#---\n", "1: error: no #! line: write #!/bin/sh, or another interpreter, as the very first line"},
		{"no interpreter", "#! \n#---\n# type: session\n#---\n", "1: error: #! names no interpreter: write #!/bin/sh or another"},
		{"CR LF", "#!/bin/sh\r\n#---\r\n# type: session\r\n#---\r\n", "1: error: the #! line ends in CR LF, so the kernel looks for another interpreter: save with LF line ends"},
		{"byte order mark", "\ufeff#!/bin/sh\n#---\n# type: session\n#---\n", "1: error: a byte order mark stands before #!, so the kernel does not see it: save as UTF-8 without one"},
		{"shebang in line 2", "\n#!/bin/sh\n#---\n# type: session\n#---\n", "2: error: the #! line must be the very first: take out the lines before it"},
		{"long shebang", "#!/bin/sh" + strings.Repeat(" ", 300) + "\n#---\n# type: session\n#---\n", "1: error: the #! line is longer than 255 bytes, which is all that the kernel reads"},
		{"not closed", "#!/bin/sh\n#---\n# type: session\nexit\n", "2: error: the header is not closed: write #--- after its last line"},
		{"closed almost", "#!/bin/sh\n#---\n# type: session\n# ---\nexit\n", "2: error: the header is not closed: write #--- in line 4, where `# ---` is"},
		{"1 MiB header", "#!/bin/sh\n#---\n" + strings.Repeat("# a\n", 1<<18) + "#---\n", "2: error: the header is longer than 64 KiB, or not closed: write #--- after its last line"},
		{"no header", "#!/bin/sh\necho\n", "0: warning: no header, so not a hook: write one between two lines #--- after the #! line, or move the file out of this directory"},
		{"empty file", "", "0: warning: no header, so not a hook: write one between two lines #--- after the #! line, or move the file out of this directory"},
		{"header further down", "#!/bin/sh\nset -e\n#---\n# type: file\n#---\n", "2: warning: no header, so not a hook: the #--- must come first, right after the #! line"},
		{"near miss with a space", "#!/bin/sh\n# ---\n# type: file\n# ---\n", "2: warning: no header, so not a hook: `# ---` looks like one, write #---, //--- or --- and nothing else in the line"},
		{"near miss with a dash", "#!/bin/sh\n#----\n", "2: warning: no header, so not a hook: `#----` looks like one, write #---, //--- or --- and nothing else in the line"},
		{"near miss with a word", "#!/bin/sh\n#--- hook\n", "2: warning: no header, so not a hook: `#--- hook` looks like one, write #---, //--- or --- and nothing else in the line"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := mustLoad(t, workspace(t, map[string]string{"x.sh": test.content}))
			if diff := cmp.Diff("x.sh:"+test.want+"\n", lines(got.Problems)); diff != "" {
				t.Errorf("Load(%.200q) problems mismatch (-want +got):\n%s", test.content, diff)
			}
			if len(got.Hooks) > 0 {
				t.Errorf("Load(%.200q) has a hook: %v", test.content, got.Hooks)
			}
		})
	}
}

// TestLoadOddFiles has what is no plain file in a hooks directory: nothing
// hangs, each is named, and the hook beside them is there.
func TestLoadOddFiles(t *testing.T) {
	t.Parallel()
	const session = "#!/bin/sh\n#---\n# type: session\n#---\n"
	const root = "#!/bin/sh\n#---\n# type: session\n# run_as: root\n#---\n"
	dir := workspace(t, map[string]string{"ok.sh": session, ".hidden.sh": session, "plain it's.sh": session, "writable.sh": root})
	hooks := filepath.Join(dir, hook.Dir)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Chmod(filepath.Join(hooks, "plain it's.sh"), 0o644))
	must(os.Chmod(filepath.Join(hooks, "writable.sh"), 0o777))
	must(os.Mkdir(filepath.Join(hooks, "dir"), 0o755))
	must(syscall.Mkfifo(filepath.Join(hooks, "fifo"), 0o777))
	must(os.WriteFile(filepath.Join(dir, "target.sh"), []byte(session), 0o755))
	must(os.WriteFile(filepath.Join(dir, "root.sh"), []byte(root), 0o755))
	for name, target := range map[string]string{
		"link-in.sh": "../../target.sh", "link-root.sh": "../../root.sh", "link-dir": "dir", "link-fifo": "fifo",
		"link-loop": "link-loop", "link-nowhere": "nothing", "link-out": "/etc/passwd",
	} {
		must(os.Symlink(target, filepath.Join(hooks, name)))
	}
	got := mustLoad(t, dir)
	want := `dir:0: warning: directory: hooks are files of .discobot/hooks itself, put them there
fifo:0: error: not a regular file: move it out of .discobot/hooks
link-dir:0: error: symbolic link to a directory: hooks are files of .discobot/hooks itself
link-fifo:0: error: symbolic link to what is not a regular file: put a file here
link-loop:0: error: symbolic link that cannot be followed inside the workspace: put the file itself here (too many levels of symbolic links)
link-nowhere:0: error: symbolic link that cannot be followed inside the workspace: put the file itself here (no such file or directory)
link-out:0: error: symbolic link that cannot be followed inside the workspace: put the file itself here (path escapes from parent)
link-root.sh:4: error: run_as: root, but reached through a symbolic link: put the file itself in .discobot/hooks
plain it's.sh:0: error: not executable: run chmod +x '.discobot/hooks/plain it'\''s.sh'
writable.sh:4: error: run_as: root, but everyone may write the file: run chmod o-w .discobot/hooks/writable.sh
`
	if diff := cmp.Diff(want, lines(got.Problems)); diff != "" {
		t.Errorf("Load problems mismatch (-want +got):\n%s", diff)
	}
	var ids []string
	for _, h := range got.Hooks {
		ids = append(ids, h.ID)
	}
	if diff := cmp.Diff([]string{"link-in", "ok"}, ids); diff != "" {
		t.Errorf("Load ids mismatch (-want +got):\n%s", diff)
	}
}

// TestLoadLinkedDirectory keeps root from hooks that a link of the agent's
// leads to.
func TestLoadLinkedDirectory(t *testing.T) {
	t.Parallel()
	dir := workspace(t, documented)
	if err := os.Rename(filepath.Join(dir, ".discobot"), filepath.Join(dir, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("elsewhere", filepath.Join(dir, ".discobot")); err != nil {
		t.Fatal(err)
	}
	got := mustLoad(t, dir)
	want := "install-deps.sh:5: error: run_as: root, but reached through a symbolic link: put the file itself in .discobot/hooks\n"
	if diff := cmp.Diff(want, lines(got.Problems)); diff != "" {
		t.Errorf("Load problems mismatch (-want +got):\n%s", diff)
	}
	if len(got.Hooks) != 4 {
		t.Errorf("Load has %d hooks, want 4", len(got.Hooks))
	}
}

func TestLoadUnreadableFile(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	dir := workspace(t, documented)
	if err := os.Chmod(filepath.Join(dir, hook.Dir, "go-fmt.sh"), 0o111); err != nil {
		t.Fatal(err)
	}
	want := "go-fmt.sh:0: error: cannot be read: permission denied\n"
	if diff := cmp.Diff(want, lines(mustLoad(t, dir).Problems)); diff != "" {
		t.Errorf("Load problems mismatch (-want +got):\n%s", diff)
	}
	if err := os.Chmod(filepath.Join(dir, hook.Dir), 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Join(dir, hook.Dir), 0o755) // for t.TempDir to remove it
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), fs.ErrPermission.Error()) {
		t.Errorf("Load of a closed directory = %v, want %v", err, fs.ErrPermission)
	}
}

// TestLoadListsManyProblems has a limit, so that a hostile header costs no
// memory.
func TestLoadListsManyProblems(t *testing.T) {
	t.Parallel()
	got := mustLoad(t, workspace(t, map[string]string{"x.sh": withHeader("type: session\n" + strings.Repeat("junk\n", 500))}))
	if len(got.Problems) != maxProblems+1 {
		t.Fatalf("Load lists %d problems, want %d", len(got.Problems), maxProblems+1)
	}
	if want := "and 400 more problems"; got.Problems[maxProblems].Message != want {
		t.Errorf("the last problem is %q, want %q", got.Problems[maxProblems].Message, want)
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
