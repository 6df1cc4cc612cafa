package temporal_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	enums "go.temporal.io/api/enums/v1"

	"discobot-hooks/examples/engines/temporal/internal/child"
)

func TestTwentyChildrenOnTwoWorkers(t *testing.T) {
	s := newStage(t)
	s.worker("a", "--max", "3")
	s.worker("b", "--max", "3")
	engines := make(map[string]*process)
	for i := range 20 {
		name := fmt.Sprintf("child-%d", i)
		engines[name] = s.spawn(s.session(name), "both")
	}
	shares := make(map[string]int)
	for name, engine := range engines {
		s.wantExit(engine, 0)
		ran := s.engines(name)
		if len(ran) != 1 {
			t.Errorf("%s: %d engines began, want 1", name, len(ran))
			continue
		}
		shares[ran[0].worker]++
		if diff := cmp.Diff(s.result(ran[0].worker, name), s.output(filepath.Join(s.workspace, "children", name))); diff != "" {
			t.Errorf("%s: output.json mismatch (-want +got):\n%s", name, diff)
		}
	}
	if got := slices.Sorted(maps.Keys(shares)); !cmp.Equal(got, []string{"a", "b"}) {
		t.Errorf("the children were run by %v, want both workers", shares)
	}
}

// However an engine exits, that is the child's result, and not repeated.
func TestChildThatFails(t *testing.T) {
	s := newStage(t)
	s.worker("a")
	tests := map[string]struct {
		exit         int
		says, output string
	}{
		"fails":   {1, "pipeline fails: engine: exit 1: no  [1mgood", `{"why":"tests"}`},
		"blocked": {1, "pipeline blocked: engine: exit 2", "no such file or directory"},
		"half":    {1, "pipeline half: " + s.workspace + "/children/half/output.json: not a JSON document", "no such file or directory"},
		"silent":  {0, "", "no such file or directory"},
	}
	engines := make(map[string]*process)
	for pipeline := range tests {
		engines[pipeline] = s.spawn(s.session(pipeline), pipeline)
	}
	for pipeline, want := range tests {
		s.wantExit(engines[pipeline], want.exit)
		says := strings.TrimPrefix(strings.TrimSuffix(engines[pipeline].said(), "\n"), "temporal-engine: ")
		if diff := cmp.Diff(want.says, says); diff != "" {
			t.Errorf("%s says mismatch (-want +got):\n%s", pipeline, diff)
		}
		if diff := cmp.Diff(want.output, s.output(filepath.Join(s.workspace, "children", pipeline))); diff != "" {
			t.Errorf("%s: output.json mismatch (-want +got):\n%s", pipeline, diff)
		}
		if got := s.engines(pipeline); len(got) != 1 {
			t.Errorf("%s: %d engines began, want 1", pipeline, len(got))
		}
	}
}

// The largest inputs and output pass through Temporal, and byte by byte: as JSON
// in JSON, these would be six times as long and too much for it.
func TestLargestDocuments(t *testing.T) {
	s := newStage(t)
	s.worker("a")
	document := `"` + strings.Repeat("<", child.MaxDocument-2) + `"`
	for pipeline, exit := range map[string]int{"large": 0, "large-fails": 1} {
		dir := s.session(pipeline)
		if err := os.WriteFile(filepath.Join(dir, "inputs.json"), []byte(document), 0o600); err != nil {
			t.Fatal(err)
		}
		engine := s.spawn(dir, pipeline)
		s.begun(pipeline, 1)
		s.wantExit(engine, exit)
		if got := s.output(dir); got != document {
			t.Errorf("%s: output.json has %d bytes: %.100q", pipeline, len(got), got)
		}
	}
}

func TestInterruptEndsTheChild(t *testing.T) {
	s := newStage(t)
	dir := s.session("child")
	s.worker("a")
	waiting := s.spawn(dir, "wait")
	engine := s.begun("child", 1)[0]
	s.signal(waiting, syscall.SIGTERM)
	s.wantExit(waiting, 1)
	if !strings.Contains(waiting.said(), "interrupted: cancelled") {
		t.Errorf("it says %q", waiting.said())
	}
	s.wait("the child's processes to end", func() bool { return !s.alive(engine.group) })
	s.wait("the workflow to be cancelled", func() bool {
		return s.status(dir) == enums.WORKFLOW_EXECUTION_STATUS_CANCELED
	})
	if got := s.engines("child"); len(got) != 1 {
		t.Errorf("%d engines began, want 1", len(got))
	}
}

// A hook that is retried, or a runtime that was restarted, finds its child at
// work; under what name it reaches the directory is all the same.
func TestSecondStartFindsTheFirst(t *testing.T) {
	s := newStage(t)
	dir := s.session("child")
	alias := filepath.Join(s.workspace, "alias")
	if err := os.Symlink(dir, alias); err != nil {
		t.Fatal(err)
	}
	s.worker("a")
	first := s.spawn(dir, "wait")
	s.begun("child", 1)
	second := s.spawn(alias, "wait", "--verbose")
	s.wait("the second to find it", func() bool { return strings.Contains(second.said(), "waiting for workflow") })
	s.letGo()
	s.wantExit(first, 0)
	s.wantExit(second, 0)
	if diff := cmp.Diff(s.result("a", "child"), s.output(dir)); diff != "" {
		t.Errorf("output.json mismatch (-want +got):\n%s", diff)
	}
	if got := s.engines("child"); len(got) != 1 {
		t.Errorf("%d engines began, want 1", len(got))
	}
}

// A result that was fetched is over: the next start is another child.
func TestStartAfterTheEndRunsAnew(t *testing.T) {
	s := newStage(t)
	dir := s.session("child")
	s.worker("a")
	for n := range 2 {
		s.wantExit(s.spawn(dir, "quick"), 0)
		if got := s.engines("child"); len(got) != n+1 {
			t.Errorf("after start %d: %d engines began", n+1, len(got))
		}
	}
}

// Another child in the same directory would get the first one's result, or
// end it when interrupted.
func TestAnotherChildInTheSameDirectoryIsRefused(t *testing.T) {
	s := newStage(t)
	dir := s.session("child")
	s.worker("a")
	first := s.spawn(dir, "wait")
	s.begun("child", 1)
	second := s.spawn(dir, "quick")
	s.wantExit(second, 1)
	if !strings.Contains(second.said(), "in use by another child") {
		t.Errorf("it says %q", second.said())
	}
	s.letGo()
	s.wantExit(first, 0)
	if got := s.engines("child"); len(got) != 1 {
		t.Errorf("%d engines began, want 1", len(got))
	}
}
