//go:build unix

package run

import (
	"errors"
	"os/exec"
	"syscall"
	"time"

	"discobot-hooks/hook"
	"discobot-hooks/internal/account"
)

// ownSession detaches the process from our terminal and makes it the leader
// of a group that can be signalled as a whole. Groups are set explicitly:
// without that a process that drops root keeps root's supplementary groups.
func ownSession(user *account.Account) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if user != nil {
		attr.Credential = &syscall.Credential{Uid: user.UID, Gid: user.GID, Groups: user.Groups}
	}
	return attr
}

// killWait is how long a killed process has to go. One that does not has
// become another user's (sudo, a setuid program): kill(2), EPERM.
const killWait = 2 * time.Second

// terminateGroup ends the process group led by pid: TERM, the grace, KILL. It
// returns whether the leader has ended. Members that outlive their leader get
// the rest of the grace too.
func terminateGroup(pid int, exited <-chan struct{}) bool {
	_ = syscall.Kill(-pid, syscall.SIGTERM) // ESRCH: it has just ended
	deadline := time.NewTimer(grace)
	defer deadline.Stop()
	select {
	case <-exited:
		awaitGroup(pid, deadline.C)
	case <-deadline.C:
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL) // ESRCH: all gone
	select {
	case <-exited:
		return true
	case <-time.After(killWait):
		return false
	}
}

// awaitGroup returns when the group has no member left, or at the deadline.
// Nobody but us can tell when a stranger's child ends, so this has to ask.
func awaitGroup(pid int, deadline <-chan time.Time) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !errors.Is(syscall.Kill(-pid, 0), syscall.ESRCH) {
		select {
		case <-deadline:
			return
		case <-tick.C:
		}
	}
}

// exitCode is the process's status as a shell reports it.
func exitCode(cmd *exec.Cmd) int {
	if cmd.ProcessState == nil {
		return hook.ExitCannotStart
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return hook.ExitForSignal(int(status.Signal()))
	}
	return cmd.ProcessState.ExitCode()
}
