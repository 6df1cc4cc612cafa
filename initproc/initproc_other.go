//go:build !linux

package initproc

import "errors"

// Run is for Linux: elsewhere there is no child subreaper, and no container
// whose PID 1 we could be.
func Run(Config) (exitCode int, err error) {
	return 1, errors.New("init: Linux only")
}
