package supervise

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup makes the engine lead a process group. It is sent SIGTERM when the
// supervisor is killed, and can then still end its own children.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// adoptOrphans makes this process the parent of descendants that lose theirs.
// PID 1 would be it otherwise, which in a container may never reap.
func adoptOrphans() {
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) // without it we wait longer
}
