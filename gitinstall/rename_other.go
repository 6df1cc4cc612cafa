//go:build !linux

package gitinstall

import (
	"errors"
	"os"
)

// renameNoReplace has no portable form; a link, tried before, is the way here.
func renameNoReplace(from, to string) error {
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: errors.ErrUnsupported}
}
