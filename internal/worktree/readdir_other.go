//go:build !linux

package worktree

import (
	"errors"

	"golang.org/x/sys/unix"
)

// errSystem leaves all to git: on macOS `git init` sets core.ignoreCase and
// core.precomposeUnicode, under which it alone knows which names are the same.
var errSystem = errors.New("directories are read on Linux alone")

func readDir(int, []byte, func(name []byte, kind byte) error) error { return errSystem }

func statAt(int, []byte, *unix.Stat_t) error { return errSystem }

func stampsNames(int) bool { return false }
