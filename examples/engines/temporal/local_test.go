package temporal_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	enums "go.temporal.io/api/enums/v1"
)

// engineOfHooks is the template for the engine of discobot-hooks.
const engineOfHooks = " engine --session-dir {session_dir} --pipeline {pipeline} --inputs {inputs} --dir {workspace}"

// The engine that comes with discobot-hooks runs a pipeline of one command,
// which answers with its inputs.
func TestWithTheLocalEngine(t *testing.T) {
	s := newStage(t)
	s.engine = s.discobotHooks() + engineOfHooks
	s.write("scripts/loops/echo/loop.yaml", "command: cat \"$INPUTS\"\n")
	s.worker("a")
	dir := s.session("child")
	s.wantExit(s.spawn(dir, "echo"), 0)
	if diff := cmp.Diff(`{"n":"child"}`, strings.TrimSpace(s.output(dir))); diff != "" {
		t.Errorf("output.json mismatch (-want +got):\n%s", diff)
	}
}

// A spawn hook of a pipeline has its child run on Temporal, and what that
// answers is SPAWN_OUTPUT to the hook after it.
func TestSpawnHook(t *testing.T) {
	s := newStage(t)
	hooks := s.discobotHooks()
	s.engine = hooks + engineOfHooks
	s.write("scripts/loops/echo/loop.yaml", "command: cat \"$INPUTS\"\n")
	s.write("scripts/loops/parent/loop.yaml", `command: "true"
hooks:
  on_session_start:
    - type: spawn
      pipeline: echo
      inputs: {n: child}
    - type: shell
      await: true
      command: printf '%s' "$SPAWN_OUTPUT" >'`+s.workspace+`/spawned'
`)
	s.worker("a")
	parent := exec.Command(hooks, "engine", "--dir", s.workspace, "--session-dir", filepath.Join(s.workspace, "parent"), "--pipeline", "parent")
	parent.Env = append(os.Environ(), "HOME="+t.TempDir(), "DISCOBOT_PIPELINE_ENGINE="+strings.Join([]string{
		program("temporal-engine"), "--session-dir", "{session_dir}", "--pipeline", "{pipeline}", "--inputs", "{inputs}", "--dir", "{workspace}",
		"--address", s.address, "--namespace", server.GetDefaultNamespace(), "--task-queue", s.queue,
	}, " "))
	if out, err := parent.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	spawned, err := os.ReadFile(filepath.Join(s.workspace, "spawned"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(`{"n":"child"}`, string(spawned)); diff != "" {
		t.Errorf("SPAWN_OUTPUT mismatch (-want +got):\n%s", diff)
	}
	status := s.status(filepath.Join(s.workspace, "parent", "children", "on_session_start-0"))
	if status != enums.WORKFLOW_EXECUTION_STATUS_COMPLETED {
		t.Errorf("the child's workflow: %v", status)
	}
}

// discobotHooks builds discobot-hooks from this repository; where it has no
// engine yet, the test is skipped.
func (s *stage) discobotHooks() string {
	s.Helper()
	binary := filepath.Join(s.TempDir(), "discobot-hooks")
	if out, err := exec.Command("go", "build", "-C", "../../..", "-o", binary, "./cmd/discobot-hooks").CombinedOutput(); err != nil {
		s.Fatalf("build discobot-hooks: %v\n%s", err, out)
	}
	if out, err := exec.Command(binary, "engine", "--help").CombinedOutput(); err != nil || !strings.Contains(string(out), "--session-dir") {
		s.Skipf("discobot-hooks has no engine command: %s", out)
	}
	return binary
}

// write puts a file into the workspace.
func (s *stage) write(name, content string) {
	s.Helper()
	path := filepath.Join(s.workspace, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		s.Fatal(err)
	}
}
