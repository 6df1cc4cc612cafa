package regular

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadAll(path, 10); err != nil || string(got) != "0123456789" {
		t.Errorf("ReadAll(10) = %q, %v", got, err)
	}
	if got, err := ReadAll(path, 9); err == nil {
		t.Errorf("ReadAll(9) = %q, want an error", got)
	}
	if got, err := ReadTail(path, 3); err != nil || string(got) != "789" {
		t.Errorf("ReadTail(3) = %q, %v", got, err)
	}
	if got, err := ReadTail(path, 30); err != nil || string(got) != "0123456789" {
		t.Errorf("ReadTail(30) = %q, %v", got, err)
	}
}

func TestWhatIsNotRegularIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, link, pipe := filepath.Join(dir, "target"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	err := errors.Join(os.WriteFile(target, nil, 0o600), os.Symlink(target, link), syscall.Mkfifo(pipe, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, pipe, dir, filepath.Join(dir, "missing")} {
		if f, err := Open(path); err == nil {
			t.Errorf("Open(%s) succeeds", f.Name())
		}
	}
}
