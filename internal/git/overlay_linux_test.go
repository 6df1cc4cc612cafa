package git

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"discobot-hooks/internal/gittest"
)

// In a container the work tree is often an overlay: a file that is opened for
// writing moves to another layer, and inodes can be others after a remount.
func TestDirtyOnAnOverlay(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root mounts")
	}
	made := gittest.New(t)
	base(made)
	made.Write("x/y/z", "1")
	base(made)
	made.Git("status")
	lower, dir := made.Dir, t.TempDir()
	upper, work, merged := filepath.Join(dir, "upper"), filepath.Join(dir, "work"), filepath.Join(dir, "merged")
	for _, path := range []string{upper, work, merged} {
		must(os.Mkdir(path, 0o755))
	}
	mount := func() {
		t.Helper()
		options := "lowerdir=" + lower + ",upperdir=" + upper + ",workdir=" + work
		if err := unix.Mount("overlay", merged, "overlay", 0, options); err != nil {
			t.Skipf("mount an overlay: %v", err)
		}
	}
	mount()
	t.Cleanup(func() { _ = unix.Unmount(merged, unix.MNT_DETACH) })
	seen := made
	seen.Dir = merged
	var known Known
	expect := func(what string) {
		t.Helper()
		for range 2 { // without and with what is known of stamps
			if err := checkDirty(t, seen, merged, &known); err != nil {
				t.Errorf("%s: left to git: %v", what, err)
			}
			time.Sleep(25 * time.Millisecond) // until stamps prove something
		}
	}
	expect("mounted")
	f, err := os.OpenFile(filepath.Join(merged, "a"), os.O_RDWR, 0)
	must(err)
	must(f.Close())
	expect("copied up, not changed")
	chmod(seen, "d/b", 0o600)
	expect("copied up by a change of mode")
	seen.Write("d/e/c", "2")
	seen.Write("d/e/new", "2")
	expect("edited")
	if err := os.Rename(filepath.Join(merged, "x"), filepath.Join(merged, "renamed")); err != nil {
		t.Logf("a directory of the lower layer stays: %v", err) // EXDEV
		if err := os.RemoveAll(filepath.Join(merged, "x")); err != nil {
			t.Skipf("an overlay of this file system cannot remove: %v", err)
		}
		seen.Write("renamed/y/z", "1")
	}
	expect("a directory renamed")
	seen.Remove("d/b")
	expect("deleted")
	must(unix.Unmount(merged, 0))
	mount()
	expect("mounted again")
	seen.Git("add", "-A")
	seen.Git("commit", "-qm", "2")
	expect("committed")
}
