//go:build amd64 || arm64

package worktree

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// statLocal looks at a name on a local file system. It does not tell Go's
// scheduler, which is for calls that may take long, nor copy the name to the
// heap: with 1000 files that is a tenth of the look.
func statLocal(fd int, name []byte, stat *unix.Stat_t) error {
	var room [512]byte
	if len(name) >= len(room) {
		return statAt(fd, name, stat)
	}
	room[copy(room[:], name)] = 0
	_, _, errno := unix.RawSyscall6(unix.SYS_NEWFSTATAT, uintptr(fd), uintptr(unsafe.Pointer(&room[0])),
		uintptr(unsafe.Pointer(stat)), unix.AT_SYMLINK_NOFOLLOW, 0, 0)
	switch errno {
	case 0:
		return nil
	case unix.EINTR:
		return statAt(fd, name, stat)
	}
	return errno
}
