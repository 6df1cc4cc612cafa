//go:build !linux

package gitinstall

import (
	"errors"
	"os"
)

// renameNoReplace has no portable form; a link, tried before, is the way here.
func renameNoReplace(from, to string) error { return unsupported(from, to) }

// renameExchange has none either.
func renameExchange(a, b string) error { return unsupported(a, b) }

func unsupported(from, to string) error {
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: errors.ErrUnsupported}
}
