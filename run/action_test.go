package run_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/hook"
	"discobot-hooks/run"
)

// notes is a recorder that keeps everything in memory.
type notes struct {
	bytes.Buffer
	results []hook.Result
}

func (n *notes) Begin(hook.Hook) (hook.Recording, error) { return n, nil }

func (n *notes) End(_ context.Context, r hook.Result) (hook.Result, error) {
	n.results = append(n.results, r)
	return r, nil
}

func TestAction(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		bodies     []string
		retries    int
		timeout    time.Duration
		deadline   time.Duration
		wantCode   int
		wantOutput string
	}{
		{name: "one command", bodies: []string{"echo one"}, wantOutput: "one\n"},
		{name: "all batches run and the first failure counts",
			bodies: []string{"echo 1", "echo 2; exit 7", "echo 3; exit 8"}, wantCode: 7, wantOutput: "1\n2\n3\n"},
		{name: "batches share the time limit", timeout: 300 * time.Millisecond,
			bodies: []string{"sleep 0.1", "sleep 100", "echo never"}, wantCode: hook.ExitTimeout,
			wantOutput: "[discobot-hooks: hook timed out after 300ms and was killed]\n"},
		{name: "retries are used up", bodies: []string{"exit 3"}, retries: 1, wantCode: 3,
			wantOutput: "=== Attempt 1/2 ===\n=== Attempt 2/2 ===\n"},
		{name: "a later batch's time-out is not the first failure", timeout: 300 * time.Millisecond,
			bodies: []string{"exit 3", "exec sleep 100"}, wantCode: 3,
			wantOutput: "[discobot-hooks: hook timed out after 300ms and was killed]\n"},
		{name: "no retry past the deadline", deadline: 200 * time.Millisecond,
			bodies: []string{"exec sleep 100"}, retries: 3, wantCode: hook.ExitTimeout, wantOutput: "=== Attempt 1/4 ===\n"},
		{name: "no retry after a success", bodies: []string{"echo fine"}, retries: 3,
			wantOutput: "=== Attempt 1/4 ===\nfine\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			action := run.Action{Hook: hook.Hook{ID: "h", Action: hook.Action{Retries: test.retries}}, Timeout: test.timeout}
			if action.Timeout == 0 {
				action.Timeout = time.Minute
			}
			if test.deadline > 0 {
				action.Deadline = time.Now().Add(test.deadline)
			}
			for _, body := range test.bodies {
				action.Commands = append(action.Commands, script(t, body))
			}
			var recorder notes
			got, err := action.Run(t.Context(), &recorder)
			if err != nil {
				t.Fatal(err)
			}
			if got.ExitCode != test.wantCode {
				t.Errorf("Run() = exit %d, want %d", got.ExitCode, test.wantCode)
			}
			if diff := cmp.Diff(test.wantOutput, recorder.String()); diff != "" && test.deadline == 0 || !strings.HasPrefix(recorder.String(), test.wantOutput) {
				t.Errorf("log mismatch (-want +got):\n%s", diff)
			}
			if len(recorder.results) != 1 {
				t.Errorf("recorded %d runs, want 1", len(recorder.results))
			}
		})
	}
}

func TestRefuseIsARecordedFailure(t *testing.T) {
	t.Parallel()
	var recorder notes
	got, err := run.Action{}.Refuse(t.Context(), &recorder, "not today")
	if err != nil {
		t.Fatal(err)
	}
	if got.ExitCode != hook.ExitCannotStart || recorder.String() != "[discobot-hooks: not today]\n" {
		t.Errorf("Refuse() = exit %d, log %q", got.ExitCode, recorder.String())
	}
}
