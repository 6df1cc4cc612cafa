package frontmatter

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/hook"
)

func TestLoadProblems(t *testing.T) {
	t.Parallel()
	const ok = "type: session\n"
	for _, test := range []struct{ name, content, want string }{
		{"no type", withHeader("name: x"), "2: error: no type: write type: session, type: file or type: pre-commit"},
		{"bad type", withHeader("type: sesion"), "3: error: unknown type `sesion`: write session, file, pre-commit, prepare-commit-msg, commit-msg, post-commit, post-merge, post-checkout or pre-push"},
		{"comment after the type", withHeader("type: session # once"), "3: error: unknown type `session # once`: write session, file, pre-commit, prepare-commit-msg, commit-msg, post-commit, post-merge, post-checkout or pre-push; a comment must stand in a line of its own"},
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
		{"timeout zero", withHeader(ok + "timeout: 0"), "4: error: timeout: `0` is no time limit: write more than zero, or leave it out for the default"},
		{"timeout long", withHeader(ok + "timeout: 25h"), "4: error: timeout: `25h` is too long: write 24h at most"},
		{"timeout NaN", withHeader(ok + "timeout: NaN"), "4: error: timeout: `NaN` is no time limit: write a duration such as 90s or 2m, or a number of seconds"},
		{"retries", withHeader(ok + "retries: 101"), "4: error: retries is `101`: write a whole number from 0 to 100, without quotes"},
		{"pass_env", withHeader(ok + "pass_env: A=b"), "4: error: pass_env `A=b` is no name of a variable: write names such as GITHUB_TOKEN, one an item"},
		{"nested list", withHeader(ok + "pass_env:\n  a: b"), "5: error: `a: b` is not an item of a list: start it with \"- \""},
		{"empty item", withHeader(ok + "pass_env: [A,,B]"), "4: error: an empty item in a list: write a value or take it out"},
		{"open quote in a list", withHeader(ok + `pass_env: ["A, B]`), "4: error: the quote in the list is not closed: write it a second time after the item"},
		{"several", withHeader("type: x\nrun_as: y\nretries: z"), "3: error: unknown type `x`: write session, file, pre-commit, prepare-commit-msg, commit-msg, post-commit, post-merge, post-checkout or pre-push\n" +
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
