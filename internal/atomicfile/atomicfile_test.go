package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/renameio/v2"
)

// The mode asked for wins over the old file's and the umask; the content of a
// link's target stays; nothing is left beside the file.
func TestWrite(t *testing.T) {
	old := syscall.Umask(0o077) // not parallel: the umask is the process's
	defer syscall.Umask(old)
	for name, write := range map[string]func(string, []byte, os.FileMode) error{"Write": Write, "Replace": Replace} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
			plain := filepath.Join(dir, "plain")
			err := errors.Join(os.WriteFile(target, []byte("target"), 0o600), os.Symlink(target, link), os.WriteFile(plain, []byte("old"), 0o600))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{link, plain, filepath.Join(dir, "new")} {
				if err := write(path, []byte("new"), 0o755); err != nil {
					t.Fatal(err)
				}
				info, err := os.Lstat(path)
				if err != nil {
					t.Fatal(err)
				}
				if info.Mode() != 0o755 {
					t.Errorf("%s(%s): mode %v, want -rwxr-xr-x", name, path, info.Mode())
				}
				if content, err := os.ReadFile(path); err != nil || string(content) != "new" {
					t.Errorf("%s(%s): content %q, %v", name, path, content, err)
				}
			}
			if content, err := os.ReadFile(target); err != nil || string(content) != "target" {
				t.Errorf("%s followed the link: %q, %v", name, content, err)
			}
			if err := write(dir, nil, 0o755); err == nil {
				t.Errorf("%s replaced a directory", name)
			}
			if entries, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) != 1 {
				t.Errorf("%s left %v, %v beside the file", name, entries, err)
			}
		})
	}
}

// What a killed writer leaves goes; everything else stays. The name is the
// one that renameio gives, taken from a real write that is not finished.
func TestSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "status.json")
	left, err := renameio.NewPendingFile(path, renameio.WithTempDir(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer left.Close() // what Cleanup would remove is removed by Sweep
	for _, name := range []string{"status.json", ".status.json", ".status.json.bak", ".other.json1", "status.json1"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	Sweep(path)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 5 {
		t.Errorf("Sweep left %v, %v; want the five files that are not ours", entries, err)
	}
}

func TestWriteLeavesTheOldFileOnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "sub"), nil, 0o600); err == nil {
		t.Error("Write over a directory: no error")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("Write left %v, %v; want the directory alone", entries, err)
	}
}
