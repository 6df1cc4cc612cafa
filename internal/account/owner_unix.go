//go:build unix

package account

import (
	"fmt"
	"os"
	"syscall"
)

func owner(path string) (uid, gid uint32, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, fmt.Errorf("stat %s: no owner", path)
	}
	return stat.Uid, stat.Gid, nil
}

// KeepsNames tells whether nobody but root can exchange what root puts into a
// directory: it is root's, and others may not write to it or it is sticky.
func KeepsNames(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || !OwnedByRoot(dir) {
		return false
	}
	return info.Mode()&0o022 == 0 || info.Mode()&os.ModeSticky != 0
}

// OwnedByRoot tells whether a path, not what a link at it leads to, is root's.
func OwnedByRoot(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == 0
}

// OnlyRootWrites tells whether an open file belongs to root and nobody else
// may write to it.
func OnlyRootWrites(f *os.File) bool { return OnlyOwnerWrites(f, 0) }

// OnlyOwnerWrites is the same of any uid.
func OnlyOwnerWrites(f *os.File, uid int) bool {
	info, err := f.Stat()
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == uid && info.Mode().IsRegular() && info.Mode()&0o022 == 0
}
