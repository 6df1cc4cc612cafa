package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The kernel tells an engine that its supervisor was killed.
func TestKilledSupervisorTakesItsEngineAlong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var running sync.WaitGroup
	running.Go(func() {
		if _, err := start(t.Context(), sh(dir, `trap 'echo $$ >told; exit' TERM; echo $PPID >parent; while :; do sleep 0.05; done`)); err == nil {
			t.Error("no error of a killed supervisor")
		}
	})
	kill(t, number(t, filepath.Join(dir, "parent")))
	number(t, filepath.Join(dir, "told"))
	running.Wait()
}

// An engine that goes on all the same holds the lock: the next one waits.
func TestNextEngineWaitsForAnOrphan(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() {
		_, _ = start(t.Context(), sh(dir, `trap '' TERM; echo $PPID >parent; until [ -e go ]; do sleep 0.05; done; echo orphan >>ended`)) // its supervisor is killed
	})
	kill(t, number(t, filepath.Join(dir, "parent")))
	running.Go(func() {
		if _, err := start(t.Context(), sh(dir, `echo next >>ended`)); err != nil {
			t.Error(err)
		}
	})
	eventually(t, "the next one to wait for the lock", func() bool { return awaited(t, lockPath(dir)) })
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	running.Wait()
	got, err := os.ReadFile(filepath.Join(dir, "ended"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("orphan\nnext\n", string(got)); diff != "" {
		t.Errorf("order mismatch (-want +got):\n%s", diff)
	}
}

// Whoever is told to stop while another engine is at work does not wait for it.
func TestStopWhileTheDirectoryIsLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, err := acquire(t.Context(), lockPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if _, err := start(ctx, sh(dir, "true")); !errors.Is(err, cause) {
			t.Errorf("Run: %v, want %v", err, cause)
		}
	})
	eventually(t, "the supervisor to wait for the lock", func() bool { return awaited(t, lockPath(dir)) })
	cancel(cause)
	running.Wait()
}

// awaited tells whether somebody waits for the lock on a file: a line with ->
// in /proc/locks, proc_locks(5).
func awaited(t *testing.T, path string) bool {
	t.Helper()
	var stat syscall.Stat_t
	if err := syscall.Stat(path, &stat); err != nil {
		t.Fatal(err)
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(locks)) {
		if strings.Contains(line, "-> FLOCK") && strings.Contains(line, fmt.Sprintf(":%d ", stat.Ino)) {
			return true
		}
	}
	return false
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
