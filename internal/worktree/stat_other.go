//go:build !linux || (!amd64 && !arm64)

package worktree

import "golang.org/x/sys/unix"

func statLocal(fd int, name []byte, stat *unix.Stat_t) error { return statAt(fd, name, stat) }
