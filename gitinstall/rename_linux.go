package gitinstall

import (
	"os"

	"golang.org/x/sys/unix"
)

// renameNoReplace fails with EEXIST where to exists (renameat2(2)).
func renameNoReplace(from, to string) error { return renameat2(from, to, unix.RENAME_NOREPLACE) }

// renameExchange gives two files each other's name, at once.
func renameExchange(a, b string) error { return renameat2(a, b, unix.RENAME_EXCHANGE) }

func renameat2(from, to string, flags uint) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, flags)
	if err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}
