//go:build unix && !linux

package supervise

import "syscall"

// ownGroup makes the engine lead a process group. When the supervisor is
// killed, it goes on, and the next one waits for its lock.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// adoptOrphans does nothing: PID 1 reaps orphans here.
func adoptOrphans() {}
