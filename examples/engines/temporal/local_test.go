package temporal_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The engine that comes with discobot-hooks runs a pipeline of one command,
// which answers with its inputs.
func TestWithTheLocalEngine(t *testing.T) {
	s := newStage(t)
	binary := filepath.Join(t.TempDir(), "discobot-hooks")
	if out, err := exec.Command("go", "build", "-C", "../../..", "-o", binary, "./cmd/discobot-hooks").CombinedOutput(); err != nil {
		t.Fatalf("build discobot-hooks: %v\n%s", err, out)
	}
	if out, err := exec.Command(binary, "engine", "--help").CombinedOutput(); err != nil || !strings.Contains(string(out), "--session-dir") {
		t.Skipf("discobot-hooks has no engine command: %s", out)
	}
	pipeline := filepath.Join(s.workspace, "scripts", "loops", "echo", "loop.yaml")
	if err := os.MkdirAll(filepath.Dir(pipeline), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(pipeline, []byte("command: cat \"$INPUTS\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.engine = binary + " engine --session-dir {session_dir} --pipeline {pipeline} --inputs {inputs} --dir {workspace}"
	s.worker("a")
	dir := s.session("child")
	s.wantExit(s.spawn(dir, "echo"), 0)
	if diff := cmp.Diff(`{"n":"child"}`, strings.TrimSpace(s.output(dir))); diff != "" {
		t.Errorf("output.json mismatch (-want +got):\n%s", diff)
	}
}
