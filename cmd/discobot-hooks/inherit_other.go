//go:build !linux

package main

import (
	"os"
	"syscall"
)

// closeInherited keeps the descriptor that we were given from the hooks.
func closeInherited(fd int) {
	if fd != 0 {
		syscall.CloseOnExec(fd)
	}
}

func selfPath() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}
