package worktree

import "golang.org/x/sys/unix"

// stampsNames tells whether a file system is one whose directories get other
// stamps, by this machine's clock, whenever a name comes or goes: statfs(2).
// On others a server's clock counts, or nobody's.
func stampsNames(fd int) bool {
	var stat unix.Statfs_t
	if err := unix.Fstatfs(fd, &stat); err != nil {
		return false
	}
	switch int64(stat.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC:
		return true
	}
	return false
}
