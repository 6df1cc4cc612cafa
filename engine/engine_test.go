package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/engine"
)

// bench is a workspace, a session directory, and hooks that remember.
type bench struct {
	workspace, dir string
	log            bytes.Buffer
	points         []string // point stage>next iteration/most decision
	data           []map[string]any
	reply          func(point string, data map[string]any) (engine.Reply, error) // nil: nothing
}

// newBench writes the files, whose names are relative to the workspace.
func newBench(t *testing.T, files map[string]string) *bench {
	t.Helper()
	root := t.TempDir()
	b := &bench{workspace: filepath.Join(root, "ws"), dir: filepath.Join(root, "s1")}
	for name, content := range files {
		write(t, filepath.Join(b.workspace, name), content)
	}
	return b
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) emit(_ context.Context, point string, data map[string]any) (engine.Reply, error) {
	b.points = append(b.points, strings.TrimSpace(fmt.Sprintf("%s %v>%v %v/%v %v", point, data["stage"], data["next_stage"], data["iteration"], data["max_iterations"], data["last_decision"])))
	b.data = append(b.data, data)
	if b.reply == nil {
		return engine.Reply{}, nil
	}
	return b.reply(point, data)
}

func (b *bench) options(pipeline string) engine.Options {
	return engine.Options{
		Workspace: b.workspace, SessionDir: b.dir, Pipeline: pipeline,
		Env: os.Environ(), Emit: b.emit, Log: &b.log,
	}
}

// run runs the pipeline p, of which nothing of ours may go wrong.
func (b *bench) run(t *testing.T) engine.Outcome {
	t.Helper()
	outcome, err := engine.Run(t.Context(), b.options("p"))
	if err != nil {
		t.Fatalf("Run: %v\n%s", err, &b.log)
	}
	return outcome
}

// alone is a pipeline of one stage with this command.
func alone(t *testing.T, command string, more ...string) *bench {
	t.Helper()
	text := "command: |\n  " + strings.ReplaceAll(command, "\n", "\n  ") + "\n" + strings.Join(more, "\n")
	return newBench(t, map[string]string{"scripts/loops/p/loop.yaml": text})
}

func (b *bench) read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		t.Errorf("%v\n%s", err, &b.log)
	}
	return string(content)
}

const twoStages = `
name: p
stages:
  - {name: plan, command: "true"}
  - {name: work, loop: work, max_iterations: 5}
hooks: {on_error: [{type: shell, command: x}]}
`

const work = `
name: other
termination: {type: queue}
max_iterations: 9
command: |
  echo "$ITERATION"
  if [ "$ITERATION" = 2 ]; then echo '{"decision": "stop"}' >"$STATUS"
  else echo '{"decision": "continue", "more": [1]}' >"$STATUS"; fi
`

func TestPoints(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"scripts/pipelines/p.yaml": twoStages, "scripts/stages/work/stage.yaml": work})
	outcome := b.run(t)
	want := []string{
		"on_session_start plan>work 0/1",
		"on_iteration_start plan>work 1/1",
		"on_iteration_complete plan>work 1/1",
		"on_stage_complete plan>work 1/1",
		"on_iteration_start work> 1/5",
		"on_iteration_complete work> 1/5 continue",
		"on_iteration_start work> 2/5 continue",
		"on_iteration_complete work> 2/5 stop",
		"on_stage_complete work> 2/5 stop",
		"on_session_complete work> 2/5 stop",
	}
	if diff := cmp.Diff(want, b.points); diff != "" {
		t.Errorf("points mismatch (-want +got):\n%s", diff)
	}
	wantOutcome := engine.Outcome{
		Session: "s1", Output: json.RawMessage("2\n"),
		Stages: []engine.Stage{{Name: "plan", Iterations: 1}, {Name: "work", Iterations: 2, Decision: "stop"}},
	}
	if diff := cmp.Diff(wantOutcome, outcome); diff != "" {
		t.Errorf("outcome mismatch (-want +got):\n%s", diff)
	}
	last := b.data[len(b.data)-1]
	for key, want := range map[string]any{
		"session": "s1", "stage_outputs": "[1,2]", "error": "", "session_dir": b.dir,
		"stage_file":    filepath.Join(b.workspace, "scripts/stages/work/stage.yaml"),
		"pipeline_file": filepath.Join(b.workspace, "scripts/pipelines/p.yaml"),
	} {
		if diff := cmp.Diff(want, last[key]); diff != "" {
			t.Errorf("%s mismatch (-want +got):\n%s", key, diff)
		}
	}
}

// What hooks leave is there for the next command, which leaves it alone, and
// for the points that follow.
func TestCarried(t *testing.T) {
	t.Parallel()
	b := alone(t, `printf '%s|%s|%s' "$LAST_HOOK_STATUS" "$HOOK_RESPONSE" "$SPAWN_OUTPUT"`)
	b.reply = func(point string, _ map[string]any) (engine.Reply, error) {
		switch point {
		case "on_session_start":
			return engine.Reply{Result: map[string]any{"last_hook_status": "success", "spawn_output": `{"a":1}`, "stage": "no"}}, nil
		case "on_iteration_start":
			return engine.Reply{Result: map[string]any{"last_hook_status": "failed", "hook_response": map[string]any{"action": "approve"}}}, nil
		}
		return engine.Reply{}, nil
	}
	outcome := b.run(t)
	if got, want := string(outcome.Output), `"failed|{\"action\":\"approve\"}|{\"a\":1}"`; got != want {
		t.Errorf("the command has %s, want %s", got, want)
	}
	last := b.data[len(b.data)-1]
	if last["last_hook_status"] != "failed" || last["spawn_output"] != `{"a":1}` || last["stage"] != "p" {
		t.Errorf("the last point has %v", last)
	}
}

func TestBlockedPointEndsThePipeline(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"on_session_start", "on_iteration_start", "on_iteration_complete", "on_stage_complete", "on_session_complete"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			b := alone(t, "true")
			b.reply = func(point string, _ map[string]any) (engine.Reply, error) {
				return engine.Reply{Blocked: point == at, Reason: "not now"}, nil
			}
			outcome := b.run(t)
			if !outcome.Blocked || outcome.Failed || outcome.Reason != "not now" || outcome.Point != at {
				t.Errorf("outcome %+v, want it blocked at %s", outcome, at)
			}
			if last := b.points[len(b.points)-1]; !strings.HasPrefix(last, at+" ") {
				t.Errorf("the last point is %s, want %s", last, at)
			}
			_, err := os.Stat(filepath.Join(b.dir, "output.json"))
			if ran := err == nil; ran == strings.HasSuffix(at, "_start") {
				t.Errorf("the command ran: %v", ran)
			}
		})
	}
}

func TestFailedIteration(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, command, want string }{
		{"exit code", "echo out; echo err >&2; exit 3", "exit code 3: err"},
		{"quiet", "exit 4", "exit code 4"},
		{"signal", "kill -KILL $$", "exit code 137"},
		{"decision", `echo '{"decision": "error", "reason": "no plan"}' >"$STATUS"`, "it decided on error: no plan"},
		{"decision without reason", `echo '{"decision": "error"}' >"$STATUS"`, "it decided on error"},
		{"exit code and decision", `echo '{"decision": "stop"}' >"$STATUS"; exit 1`, "exit code 1"},
		{"not shell", `if`, "exit code 2: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := alone(t, test.command, "max_iterations: 3")
			b.reply = func(point string, _ map[string]any) (engine.Reply, error) {
				return engine.Reply{Blocked: point == "on_error", Reason: "blocked as well"}, nil
			}
			outcome := b.run(t)
			want := "stage p: iteration 1: " + test.want
			if !outcome.Failed || outcome.Blocked || !strings.HasPrefix(outcome.Reason, want) {
				t.Errorf("outcome %+v, want it failed for %q", outcome, want)
			}
			if got := len(b.points); got != 3 || !strings.HasPrefix(b.points[2], "on_error p> 1/3") || b.data[2]["error"] != outcome.Reason {
				t.Errorf("points %q with error %v, want the last to be on_error", b.points, b.data[2]["error"])
			}
		})
	}
}

// An error of the hooks' own ends the pipeline, and takes no failure's place.
func TestEmitFails(t *testing.T) {
	t.Parallel()
	b := alone(t, "exit 3")
	broken := errors.New("hooks are broken")
	b.reply = func(point string, _ map[string]any) (engine.Reply, error) {
		if point == "on_error" {
			return engine.Reply{}, broken
		}
		return engine.Reply{}, nil
	}
	_, err := engine.Run(t.Context(), b.options("p"))
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "exit code 3") {
		t.Errorf("Run = %v, want the failure and the hooks' error", err)
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	b := alone(t, "echo started >&2; sleep 60")
	o := b.options("p")
	o.Timeout = 100 * time.Millisecond
	outcome, err := engine.Run(t.Context(), o)
	if err != nil || !outcome.Failed || !strings.Contains(outcome.Reason, "timed out after 100ms: started") {
		t.Errorf("Run = %+v, %v, want it to time out", outcome, err)
	}
}

// A command that ignores TERM is killed, and so is what it started.
func TestCommandThatIgnoresTERM(t *testing.T) {
	t.Parallel()
	b := alone(t, "trap '' TERM; sleep 300 & echo $! >child; mkfifo never; echo ready >ready.tmp; mv ready.tmp ready; while :; do read -r x <never; done")
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	go func() {
		for {
			if _, err := os.Stat(filepath.Join(b.dir, "ready")); err == nil || ctx.Err() != nil {
				cancel(stopped)
				return
			}
			time.Sleep(5 * time.Millisecond) // it asks again
		}
	}()
	if _, err := engine.Run(ctx, b.options("p")); !errors.Is(err, stopped) {
		t.Fatalf("Run = %v, want the cause", err)
	}
	child := strings.TrimSpace(b.read(t, "child"))
	awaitEnd(t, child)
	if got := len(b.points); got != 2 {
		t.Errorf("points %q, want none after the start", b.points)
	}
}

// awaitEnd waits until a killed process is gone, or only its parent has not
// noticed.
func awaitEnd(t *testing.T, pid string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; {
		out, err := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
		if err != nil || strings.HasPrefix(string(out), "Z") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %s runs on: %s", pid, out)
		}
		time.Sleep(5 * time.Millisecond) // it asks again
	}
}

// A session directory has one engine at a time.
func TestTwoEnginesInOneDirectory(t *testing.T) {
	t.Parallel()
	b := alone(t, "true")
	other := alone(t, "true")
	other.dir = b.dir
	b.reply = func(point string, _ map[string]any) (engine.Reply, error) {
		if point == "on_session_start" {
			_, err := engine.Run(t.Context(), other.options("p"))
			if err == nil || !strings.Contains(err.Error(), "another engine runs in") {
				t.Errorf("the second Run = %v, want that the first is there", err)
			}
		}
		return engine.Reply{}, nil
	}
	b.run(t)
}
