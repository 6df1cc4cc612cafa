package run_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/hook"
	"discobot-hooks/run"
)

// script writes an executable sh script and returns the command that runs it.
func script(t *testing.T, body string) run.Command {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "hook.sh")
	// A fork of another test at this moment would hold the file open for
	// writing until its exec, and ours would fail with ETXTBSY.
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	return run.Command{Path: path, Dir: dir, Env: os.Environ()}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		timeout    time.Duration
		want       hook.Result
	}{
		{name: "success", body: "exit 0", want: hook.Result{Status: hook.OK}},
		{name: "failure", body: "exit 42", want: hook.Result{Status: hook.Failed, ExitCode: 42}},
		{name: "signal", body: "kill -KILL $$", want: hook.Result{Status: hook.Failed, ExitCode: 137}},
		{name: "timeout", body: "exec sleep 100", timeout: 50 * time.Millisecond,
			want: hook.Result{Status: hook.TimedOut, ExitCode: 124, Reason: "hook timed out after 50ms and was killed"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			command := script(t, test.body)
			command.Timeout = test.timeout
			got := command.Run(t.Context())
			if got.Started.IsZero() || got.Duration <= 0 {
				t.Errorf("Run() does not say when and how long: %+v", got)
			}
			got.Started, got.Duration = time.Time{}, 0
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Run() mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCannotStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := []struct{ name, path, reason string }{
		{"missing interpreter", write("interpreter", "#!/no/such/interpreter\n", 0o755), "is the interpreter of its first line installed?"},
		{"CRLF after the interpreter", write("crlf", "#!/bin/sh\r\nexit 0\r\n", 0o755), "is the interpreter of its first line installed?"},
		{"missing file", filepath.Join(dir, "missing"), "no such file"},
		{"not executable", write("mode", "#!/bin/sh\n", 0o644), "permission denied"},
		{"a directory", dir, "permission denied"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			got := run.Command{Path: test.path, Dir: dir, Output: &out}.Run(t.Context())
			if got.ExitCode != hook.ExitCannotStart || got.Status != hook.Failed {
				t.Errorf("Run() = %s, exit %d; want failed, exit 127", got.Status, got.ExitCode)
			}
			if !strings.Contains(got.Reason, test.reason) || !strings.Contains(out.String(), got.Reason) {
				t.Errorf("Run() reason %q, output %q; want both to hold %q", got.Reason, out.String(), test.reason)
			}
		})
	}
}

// Both streams go through one pipe, so a log reads as a terminal would.
func TestOutputStaysInOrder(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	command := script(t, "for i in 1 2 3; do echo out$i; echo err$i >&2; done")
	command.Output = &out
	command.Run(t.Context())
	want := "out1\nerr1\nout2\nerr2\nout3\nerr3\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("output mismatch (-want +got):\n%s", diff)
	}
}

// A server that a hook starts holds the pipe for as long as it lives. The hook
// has ended all the same, and what it printed is complete.
func TestDaemonHoldingStdoutDoesNotHoldUs(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	command := script(t, "sleep 300 & echo $!; head -c 50000 /dev/zero")
	command.Output = &out
	got := command.Run(t.Context())
	pid, rest, _ := strings.Cut(out.String(), "\n")
	killAtEnd(t, pid)
	if got.Status != hook.OK || len(rest) != 50000 {
		t.Errorf("Run() = %s with %d bytes, want ok with 50000", got.Status, len(rest))
	}
	if got.Duration > time.Minute {
		t.Errorf("Run() took %v: it waited for the daemon", got.Duration)
	}
}

// The whole group ends, also a member that ignores TERM and outlives its
// leader.
func TestTimeoutEndsTheGroup(t *testing.T) {
	t.Parallel()
	command := script(t, `sh -c 'trap "" TERM; echo $$ > child; exec sleep 300' & while [ ! -s child ]; do :; done; wait`)
	command.Timeout = time.Second
	if got := command.Run(t.Context()); got.Status != hook.TimedOut {
		t.Fatalf("Run() = %s, want timeout", got.Status)
	}
	content, err := os.ReadFile(filepath.Join(command.Dir, "child"))
	if err != nil {
		t.Skipf("the machine was too slow to start the child: %v", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		t.Fatal(err)
	}
	awaitDeath(t, pid)
}

func TestCancelledRunIsAborted(t *testing.T) {
	t.Parallel()
	command := script(t, "echo ready; exec sleep 300")
	ctx, cancel := context.WithCancelCause(t.Context())
	command.Output = writerFunc(func([]byte) { cancel(errors.New("enough")) })
	if got := command.Run(ctx); !got.Aborted {
		t.Errorf("Run() = %+v, want aborted", got)
	}
}

// A log on a full disk must neither block the hook nor end it.
func TestOutputThatCannotBeWrittenIsDropped(t *testing.T) {
	t.Parallel()
	command := script(t, "head -c 1000000 /dev/zero && exit 5")
	command.Output = brokenWriter{}
	if got := command.Run(t.Context()); got.ExitCode != 5 {
		t.Errorf("Run() = exit %d, want the hook's own 5", got.ExitCode)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}

func killAtEnd(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatalf("pid %q: %v", pid, err)
	}
	t.Cleanup(func() { _ = syscall.Kill(n, syscall.SIGKILL) })
}

// awaitDeath waits until a process is gone or waits to be reaped by a parent
// that is not ours.
func awaitDeath(t *testing.T, pid int) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for time.Now().Before(deadline) {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || err == nil && bytes.Contains(stat, []byte(") Z ")) {
			return
		}
		time.Sleep(time.Millisecond) // a stranger's end gives no event to wait for
	}
	t.Errorf("process %d is still alive", pid)
}
