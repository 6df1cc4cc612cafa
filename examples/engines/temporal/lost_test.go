package temporal_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A worker is killed in the middle. Its engine, which ignores TERM, is gone
// before that of the next worker begins, and the engine that waits for the
// result gets it.
func TestResultOutlivesAKilledWorker(t *testing.T) {
	s := newStage(t)
	dir := s.session("child")
	first := s.worker("a")
	waiting := s.spawn(dir, "stubborn")
	one := s.begun("child", 1)[0]
	s.worker("b")
	s.signal(first, syscall.SIGKILL)
	two := s.begun("child", 2)[1]
	if s.alive(one.group) {
		t.Error("the killed worker's engine works beside the next one's")
	}
	if got := []string{one.worker, two.worker}; !cmp.Equal(got, []string{"a", "b"}) {
		t.Errorf("the engines' workers are %v, want a and b", got)
	}
	s.letGo()
	s.wantExit(waiting, 0)
	if diff := cmp.Diff(s.result("b", "child"), s.output(dir)); diff != "" {
		t.Errorf("output.json mismatch (-want +got):\n%s", diff)
	}
	if got := s.engines("child"); len(got) != 2 {
		t.Errorf("%d engines began, want 2", len(got))
	}
	if trouble, err := os.ReadFile(filepath.Join(s.workspace, "child.trouble")); err == nil {
		t.Errorf("the second engine found: %s", trouble)
	}
}

// The only worker is killed, and comes back later.
func TestResultOutlivesARestartedWorker(t *testing.T) {
	s := newStage(t)
	dir := s.session("child")
	first := s.worker("a")
	waiting := s.spawn(dir, "wait")
	one := s.begun("child", 1)[0]
	s.signal(first, syscall.SIGKILL)
	s.wait("the lost worker's engine to end", func() bool { return !s.alive(one.group) })
	s.letGo()
	s.worker("a")
	s.wantExit(waiting, 0)
	if diff := cmp.Diff(s.result("a", "child"), s.output(dir)); diff != "" {
		t.Errorf("output.json mismatch (-want +got):\n%s", diff)
	}
}

// A worker that is told to stop ends its engine and leaves the child to others.
func TestStoppedWorkerHandsOver(t *testing.T) {
	s := newStage(t)
	dir := s.session("child")
	first := s.worker("a")
	waiting := s.spawn(dir, "wait")
	one := s.begun("child", 1)[0]
	s.signal(first, syscall.SIGTERM)
	s.wantExit(first, 0)
	if s.alive(one.group) {
		t.Error("the engine outlives its worker")
	}
	s.worker("b")
	s.begun("child", 2)
	s.letGo()
	s.wantExit(waiting, 0)
	if diff := cmp.Diff(s.result("b", "child"), s.output(dir)); diff != "" {
		t.Errorf("output.json mismatch (-want +got):\n%s", diff)
	}
}

// That somebody kills an engine says nothing about its child.
func TestKilledEngineIsStartedOver(t *testing.T) {
	s := newStage(t)
	dir := s.session("child")
	s.worker("a")
	s.wantExit(s.spawn(dir, "killed"), 0)
	if got := s.engines("child"); len(got) != 2 {
		t.Errorf("%d engines began, want 2", len(got))
	}
}
