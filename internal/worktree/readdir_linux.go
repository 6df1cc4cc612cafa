package worktree

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The parts of a directory's entry, of getdents64(2).
const (
	direntLength = 16
	direntKind   = 18
	direntName   = 19
)

// readDir calls each for the names in a directory, with their kind as
// getdents64(2) has it. A name is good for the call alone, and a NUL follows
// it in memory.
func readDir(fd int, buf []byte, each func(name []byte, kind byte) error) error {
	for {
		n, err := unix.Getdents(fd, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return fmt.Errorf("read directory: %w", err)
		}
		if n <= 0 {
			return nil
		}
		for rest := buf[:n]; len(rest) > 0; {
			length := binary.NativeEndian.Uint16(rest[direntLength:])
			name := rest[direntName:length]
			name = name[:bytes.IndexByte(name, 0)]
			if string(name) != "." && string(name) != ".." {
				if err := each(name, rest[direntKind]); err != nil {
					return err
				}
			}
			rest = rest[length:]
		}
	}
}

// statAt looks at a name.
func statAt(fd int, name []byte, stat *unix.Stat_t) error {
	for {
		if err := unix.Fstatat(fd, unsafe.String(unsafe.SliceData(name), len(name)), stat, unix.AT_SYMLINK_NOFOLLOW); err != unix.EINTR {
			return err
		}
	}
}
