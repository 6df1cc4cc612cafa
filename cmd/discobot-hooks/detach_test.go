package main

import (
	"context"
	"errors"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

func TestHandOver(t *testing.T) {
	t.Parallel()
	ours, theirs, err := pipes()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.close()
	defer theirs.close()
	go func() {
		spec := make([]byte, 4)
		_, _ = theirs.in.Read(spec)
		_, _ = theirs.out.WriteString(`{"log": "` + string(spec) + `"}`)
	}()
	answer, err := handOver(t.Context(), ours, []byte("spec"))
	if err != nil || answer.Log != "spec" {
		t.Errorf("handOver = %+v, %v", answer, err)
	}
}

func TestHandOverEndsWithASignal(t *testing.T) {
	t.Parallel()
	ours, theirs, err := pipes()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.close()
	defer theirs.close()
	stopped := errors.New("a signal")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	if _, err := handOver(ctx, ours, []byte("spec")); !errors.Is(err, stopped) {
		t.Errorf("handOver = %v, want %v: nobody answers", err, stopped)
	}
}

// An engine that runs for days starts many of them, and a status that nobody
// takes is a process that stays.
func TestStartLeavesNoZombie(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("true")
	if err := start(cmd); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(10 * time.Second)
	for !errors.Is(syscall.Kill(cmd.Process.Pid, 0), syscall.ESRCH) {
		if time.Now().After(deadline) {
			t.Fatal("it has ended, and is still there")
		}
		time.Sleep(time.Millisecond)
	}
}
