package filewatch

import (
	"os"
	"syscall"
)

func inodeAndCtime(info os.FileInfo) (uint64, int64) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return stat.Ino, stat.Ctim.Nano()
}
