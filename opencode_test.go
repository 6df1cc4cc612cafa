package discobothooks_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The real OpenCode, our plugin, the real eval-turn and a model of our own: each
// scenario is two turns of a user's, so that what the first leaves behind shows in the second.
func TestOpenCode(t *testing.T) {
	t.Parallel()
	opencode := openCodeProgram(t)
	always := []string{"1/3", "2/3", "3/3", ""}
	tests := []struct {
		name     string
		hook     string
		dirty    bool
		fix      bool // the model repairs the file when it is first asked to
		subagent bool // the model has a subagent do the work first
		answers  []string
		runs     int // of the hook
	}{
		{"fails for ever", "exit 1", true, false, false, append(always, always...), 8},
		{"fixed after the first", "grep -q fixed a.txt", true, true, false, []string{"1/3", "", ""}, 2},
		{"nothing changed", "exit 1", false, false, false, []string{"", ""}, 0},
		{"a subagent's end is no end of a turn", "true", true, false, true, []string{"", ""}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { // one after another: each is a whole OpenCode
			stage := newOpenCodeStage(t, test.hook, test.dirty)
			stage.model.subagent = test.subagent
			stage.model.asked = func() {
				if test.fix {
					write(t, filepath.Join(stage.project, "a.txt"), "fixed\n", 0o644)
				}
			}
			stage.serve(t, opencode)
			id := stage.session(t)
			half := (len(test.answers) + 1) / 2
			stage.turn(t, id)
			stage.evaluations(t, half)
			stage.turn(t, id)

			calls := stage.evaluations(t, len(test.answers))
			if diff := cmp.Diff(test.answers, openCodeAttempts(calls)); diff != "" {
				t.Errorf("answers mismatch (-want +got):\n%s\n%s", diff, strings.Join(calls, "\n"))
			}
			for _, call := range calls {
				if !strings.Contains(call, id) {
					t.Errorf("evaluation of another session than %s: %s", id, call)
				}
			}
			want := 0
			for _, answer := range test.answers {
				if answer != "" {
					want++
				}
			}
			if got := stage.model.prompted(); got != want {
				t.Errorf("the model read %d re-prompts, want %d", got, want)
			}
			if got := len(stage.lines(t, "runs")); got != test.runs {
				t.Errorf("the hook ran %d times, want %d", got, test.runs)
			}
			if test.subagent && stage.model.subagents() != 1 {
				t.Errorf("%d subagents, want 1", stage.model.subagents())
			}
			if starts := stage.lines(t, "starts"); len(starts) != 1 || !strings.Contains(starts[0], `"source":"startup"`) {
				t.Errorf("session starts = %q, want one", starts)
			}
		})
	}
}

// `opencode run` exits when the model has stopped, so nothing can be re-prompted;
// an evaluation that has begun must not go on without it.
func TestOpenCodeRunEndsItsEvaluation(t *testing.T) {
	t.Parallel()
	opencode := openCodeProgram(t)
	stage := newOpenCodeStage(t, "echo $$ >>\"$HOME/../pids\"; exec sleep 300", true)
	if out, err := stage.command(t, opencode, "run", "hello").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if prompted := stage.model.prompted(); prompted != 0 {
		t.Errorf("the model read %d re-prompts, want none", prompted)
	}
	for _, pid := range stage.lines(t, "pids") {
		if !ended(pid) {
			t.Errorf("process %s still runs", pid)
		}
	}
}

// ended waits until no process has that id, and tells whether it came to that.
func ended(pid string) bool {
	id, err := strconv.Atoi(pid)
	if err != nil {
		return false
	}
	for range 1000 {
		state, err := os.ReadFile("/proc/" + pid + "/stat")
		if syscall.Kill(id, 0) == syscall.ESRCH || err == nil && strings.Contains(string(state), ") Z ") { // nobody may be there to reap it
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}
