package run_test

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
	"time"

	"discobot-hooks/hook"
)

// Whoever wants the streams apart gets each, and the log still has both.
func TestStreamsApart(t *testing.T) {
	t.Parallel()
	var log, out, errs bytes.Buffer
	command := script(t, "echo out; echo err >&2; exit 3")
	command.Output, command.Stdout, command.Stderr = &log, &out, &errs
	if got := command.Run(t.Context()); got.ExitCode != 3 {
		t.Errorf("exit code %d, want 3", got.ExitCode)
	}
	if out.String() != "out\n" || errs.String() != "err\n" {
		t.Errorf("stdout %q, stderr %q", &out, &errs)
	}
	if log.Len() != len("out\nerr\n") || !strings.Contains(log.String(), "out\n") || !strings.Contains(log.String(), "err\n") {
		t.Errorf("log %q: want both", &log)
	}
}

func TestInput(t *testing.T) {
	t.Parallel()
	large := bytes.Repeat([]byte("0123456789abcde\n"), 1<<16) // a pipe holds a sixteenth of it
	tests := []struct {
		name, body string
		input      []byte
		want       string
	}{
		{"is read to its end", "cat | wc -c | tr -d ' '", large, "1048576\n"},
		{"ends", "cat", []byte("text"), "text"},
		{"empty", "cat", []byte{}, ""},
		{"none", "cat", nil, ""},
		{"is not read at all", "echo done", large, "done\n"},
		{"is closed unread", "exec <&-; echo done", large, "done\n"},
		{"is read in part", "head -n 1", large, "0123456789abcde\n"},
		{"is held by a child that runs on", "sleep 60 <&0 >/dev/null 2>&1 & echo $! >pid; echo done", large, "done\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			command := script(t, test.body)
			command.Input, command.Output, command.Timeout = test.input, &out, time.Minute
			t.Cleanup(func() { _ = exec.Command("sh", "-c", `test ! -f "$0/pid" || kill $(cat "$0/pid")`, command.Dir).Run() })
			got := command.Run(t.Context())
			if got.Status != hook.OK || out.String() != test.want {
				t.Errorf("status %s, output %.40q, want ok and %q", got.Status, out.String(), test.want)
			}
		})
	}
}
