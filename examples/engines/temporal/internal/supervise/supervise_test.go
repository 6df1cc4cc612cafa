package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/examples/engines/temporal/internal/child"
)

const limit = 30 * time.Second // for anything that a test waits for

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "supervise" {
		if err := Main(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "supervise")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for name, value := range map[string]string{
		"SUPERVISE_SECRET": "x", // an engine must not see it
		// The race detector would sleep for a second at each exit, and tell a
		// stderr that nobody looks at.
		"GORACE": "atexit_sleep_ms=0 log_path=" + filepath.Join(dir, "race"),
	} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	status := m.Run()
	races, err := filepath.Glob(filepath.Join(dir, "race*"))
	if err != nil || len(races) == 0 {
		return status
	}
	report, _ := os.ReadFile(races[0]) // that there is one is bad enough
	fmt.Fprintf(os.Stderr, "%d supervisors had data races; one of them:\n%s", len(races), report)
	return 1
}

// sh is an order to run a shell command in a directory.
func sh(dir, command string) Order {
	return Order{SessionDir: dir, Inputs: []byte(`{"n":1}`), Argv: []string{"/bin/sh", "-c", command}, Env: []string{"PATH=" + os.Getenv("PATH")}}
}

func start(ctx context.Context, order Order) (child.Ending, error) {
	return Run(ctx, []string{os.Args[0], "supervise"}, order)
}

func TestRun(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		command string
		want    child.Ending
	}{
		"success":              {`printf '{"a": 1}\n' >output.json`, child.Ending{Output: []byte("{\"a\": 1}\n")}},
		"inputs":               {`cat .temporal-inputs.json >output.json`, child.Ending{Output: []byte(`{"n":1}`)}},
		"no output":            {`echo hi; echo ho >&2`, child.Ending{Said: "hi\nho\n"}},
		"failure":              {`echo 1 >output.json; exit 3`, child.Ending{Exit: 3, Output: []byte("1\n")}},
		"signal":               {`kill -KILL $$`, child.Ending{Exit: -1, Signal: "killed"}},
		"half an output":       {`printf '{"a' >output.json`, child.Ending{Problem: "DIR/output.json: not a JSON document"}},
		"a pipe as output":     {`mkfifo output.json`, child.Ending{Problem: "DIR/output.json: not a regular file"}},
		"a link as output":     {`ln -s /etc/passwd output.json`, child.Ending{Problem: "open DIR/output.json: too many levels of symbolic links"}},
		"long output":          {`head -c 1048577 /dev/zero >output.json`, child.Ending{Problem: "DIR/output.json: more than 1048576 bytes"}},
		"no environment":       {`env | grep -c SUPERVISE_SECRET >output.json; true`, child.Ending{Output: []byte("0\n")}},
		"background processes": {`sleep 1000 & echo 1 >output.json`, child.Ending{Output: []byte("1\n")}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "made", "at need")
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			got, err := start(ctx, sh(dir, test.command))
			if err != nil {
				t.Fatal(err)
			}
			got.Problem = strings.ReplaceAll(got.Problem, dir, "DIR")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Run mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// What an engine leaves in its group would go on beside the next attempt.
func TestNobodyIsLeftInTheGroup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := start(t.Context(), sh(dir, `echo $$ >group; sleep 1000 >/dev/null 2>&1 &`)); err != nil {
		t.Fatal(err)
	}
	if group := number(t, filepath.Join(dir, "group")); !errors.Is(syscall.Kill(-group, 0), syscall.ESRCH) {
		t.Errorf("process group %d is still there", group)
	}
}

func TestPredecessorsOutputIsGone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := child.WriteOutput(dir, []byte("1")); err != nil {
		t.Fatal(err)
	}
	ending, err := start(t.Context(), sh(dir, "true"))
	if err != nil || ending.Output != nil {
		t.Errorf("Run = %q, %v; want no output", ending.Output, err)
	}
}

// A lock file that somebody replaced by a link must not create what it leads to.
func TestLockIsNotFollowed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), lockPath(dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := start(t.Context(), sh(dir, "true")); err == nil {
		t.Error("a link is locked")
	}
	if _, err := os.Lstat(filepath.Join(dir, "elsewhere")); err == nil {
		t.Error("the link was followed")
	}
}

func TestEngineThatCannotStart(t *testing.T) {
	t.Parallel()
	order := sh(t.TempDir(), "")
	order.Argv = []string{"/nowhere/engine"}
	want := "start engine: fork/exec /nowhere/engine: no such file or directory"
	if _, err := start(t.Context(), order); err == nil || err.Error() != want {
		t.Errorf("Run: %v, want %s", err, want)
	}
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatalf("waited in vain for %s", what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// number waits for a file with a number and a newline.
func number(t *testing.T, path string) (n int) {
	t.Helper()
	eventually(t, path, func() bool {
		content, err := os.ReadFile(path)
		if err != nil || !strings.HasSuffix(string(content), "\n") {
			return false
		}
		_, err = fmt.Sscan(string(content), &n)
		return err == nil
	})
	return n
}
