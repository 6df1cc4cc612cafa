package supervise

import "syscall"

// ownGroup makes the engine lead a process group. It is sent SIGTERM when the
// supervisor is killed, and can then still end its own children.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
