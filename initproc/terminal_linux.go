package initproc

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// A terminal is a descriptor of our controlling terminal.
type terminal struct {
	fd     int
	opened bool // by us
}

func (t terminal) close() {
	if t.opened {
		_ = unix.Close(t.fd)
	}
}

// openTerminal finds our controlling terminal, which need not be stdin. Only
// the controlling one tells its foreground group (tcgetpgrp(3): ENOTTY).
func openTerminal() (t terminal, foreground int, ok bool) {
	if pgrp, err := unix.IoctlGetInt(0, unix.TIOCGPGRP); err == nil {
		return terminal{fd: 0}, pgrp, true
	}
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return terminal{}, 0, false
	}
	t = terminal{fd: fd, opened: true}
	pgrp, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	if err != nil {
		t.close()
		return terminal{}, 0, false
	}
	return t, pgrp, true
}

func hasTerminal() bool {
	t, _, ok := openTerminal()
	t.close()
	return ok
}

// openForeground is the terminal where its foreground group is ours to give
// away: a background job that took it would steal it from its shell. A group
// outside our PID namespace reads as 0 in both places.
func openForeground() (t terminal, ok bool) {
	t, foreground, ok := openTerminal()
	if !ok || foreground != unix.Getpgrp() {
		t.close()
		return terminal{}, false
	}
	return t, true
}

// terminalRefused tells whether a start may have failed at TIOCSPGRP.
func terminalRefused(err error) bool {
	e, ok := err.(*startError)
	if !ok {
		return false
	}
	switch e.errno {
	case syscall.ENOTTY, syscall.EPERM, syscall.EIO, syscall.EINVAL:
		return true
	}
	return false
}
