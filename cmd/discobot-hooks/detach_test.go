package main

import (
	"context"
	"errors"
	"testing"
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
