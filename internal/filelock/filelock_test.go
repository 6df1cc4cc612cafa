package filelock_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"discobot-hooks/internal/filelock"
)

func TestOneAtATime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tests := map[string]func() (func(), error){
		"file": func() (func(), error) {
			return filelock.Acquire(t.Context(), filepath.Join(dir, "lock"), 50*time.Millisecond)
		},
		"directory": func() (func(), error) { return filelock.AcquireDir(t.Context(), dir, 50*time.Millisecond) },
	}
	for name, acquire := range tests {
		t.Run(name, func(t *testing.T) {
			unlock, err := acquire()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := acquire(); !errors.Is(err, filelock.ErrLocked) {
				t.Errorf("a second one: %v, want ErrLocked", err)
			}
			unlock()
			if unlock, err = acquire(); err != nil {
				t.Fatalf("once it is free: %v", err)
			}
			unlock()
		})
	}
}

// A lock file that somebody replaced by a link must not create what it leads to.
func TestLinkIsNotFollowed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), filepath.Join(dir, "lock")); err != nil {
		t.Fatal(err)
	}
	if _, err := filelock.Acquire(t.Context(), filepath.Join(dir, "lock"), 50*time.Millisecond); err == nil {
		t.Error("a link is locked")
	}
	if _, err := os.Lstat(filepath.Join(dir, "elsewhere")); err == nil {
		t.Error("the link was followed")
	}
}
