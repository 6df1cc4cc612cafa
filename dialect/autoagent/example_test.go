package autoagent_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// withScript is a world in which the document's script runs as a hook, as it
// is written there.
func withScript(t *testing.T, point, script string) *world {
	t.Helper()
	for _, program := range []string{"bash", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the document's script needs %s: %v", program, err)
		}
	}
	w := newWorld(t, hooksAt(point, running("bash .autoagent/hooks/"+script, `"blocking": true`, `"timeout": 60000`)))
	content, err := os.ReadFile(filepath.Join("testdata", script))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(w.workspace, ".autoagent", "hooks", script), string(content))
	return w
}

func TestValidateExecution(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, data, npm string
		reason          string
	}{
		{"a failed issue is not looked at", `{"success": false}`, "false", ""},
		{"tests were changed, lint passes", `{"success": true, "filesModified": ["src/auth.ts", "tests/auth.test.ts"]}`, "true", ""},
		{"no tests were changed", `{"success": true, "filesModified": ["src/auth.ts"]}`, "true", "ERROR: No test files were modified\nPlease add tests for the implemented functionality"},
		{"lint fails", `{"success": true, "filesModified": ["a.spec.ts"]}`, "false", "ERROR: Linting failed"},
	}
	for _, test := range tests {
		t.Run("1c.6 "+test.name, func(t *testing.T) {
			t.Parallel()
			w := withScript(t, "PreExecutionEnd", "validate-execution.sh")
			// The document's `npm run lint --silent`, with a result of ours.
			bin := t.TempDir()
			if err := os.Symlink("/bin/"+test.npm, filepath.Join(bin, "npm")); err != nil {
				t.Fatal(err)
			}
			w.env[0] = "PATH=" + bin + ":" + os.Getenv("PATH")
			report := w.emit("PreExecutionEnd", test.data)
			if report.Blocked != (test.reason != "") || report.Reason != test.reason {
				t.Errorf("blocked %v for %q, want %q\n%s", report.Blocked, report.Reason, test.reason, w.shown.String())
			}
		})
	}
}

func TestCheckIncompleteTodos(t *testing.T) {
	t.Parallel()
	w := withScript(t, "Stop", "check-incomplete-todos.sh")
	write(t, filepath.Join(w.workspace, "TODO.md"), "- [ ] one\n- [x] two\n- [ ] three\n")
	report := w.emit("Stop", `{"reason": "completed"}`)
	want := "There are 2 incomplete todos remaining. Please complete them or mark this as intentional."
	if !report.Blocked || report.Reason != want {
		t.Errorf("1c.7 blocked %v for %q, want %q", report.Blocked, report.Reason, want)
	}
	if shown := w.shown.String(); strings.Count(shown, "incomplete todos") != 1 {
		t.Errorf("1c.5 shown %q", shown)
	}
	w.shown.Reset()
	write(t, filepath.Join(w.workspace, "TODO.md"), "- [x] one\n")
	if report := w.emit("Stop", ""); report.Blocked || w.shown.String() != "All todos completed, safe to stop\n" {
		t.Errorf("blocked %v, shown %q", report.Blocked, w.shown.String())
	}
}

// The document's first hook, with the shell in `~` and a title that bites.
func TestExecutionLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t, documented)
	write(t, filepath.Join(w.home, ".autoagent", "x"), "")
	ev := w.event("PreExecutionStart", `{"issueNumber": 7}`)
	ev.Data["issueTitle"] = `Don't "$(touch canary)"`
	if got := summary(w.emitEvent(ev)); got != "PreExecutionStart-1=ok/0" {
		t.Fatal(got, w.shown.String())
	}
	log, err := os.ReadFile(filepath.Join(w.home, ".autoagent", "execution.log"))
	if want := "About to start issue 7: Don't \"$(touch canary)\"\n"; err != nil || string(log) != want {
		t.Errorf("log %q, %v, want %q", log, err, want)
	}
}
