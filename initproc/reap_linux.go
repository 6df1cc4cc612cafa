package initproc

import (
	"syscall"

	"golang.org/x/sys/unix"

	"discobot-hooks/hook"
)

// A child is a process that we started. Everybody else who is reaped is an
// orphan, whose status means nothing to us.
type child struct {
	name   string // for the log: session, agent
	pid    int
	ended  bool
	status syscall.WaitStatus // once ended
}

// exitCode is the child's exit status as shells report it.
func (c *child) exitCode() int {
	if c.status.Signaled() {
		return hook.ExitForSignal(int(c.status.Signal()))
	}
	return c.status.ExitStatus()
}

// reap waits for all that have ended by now, ours and orphans, without
// blocking. It tells whether no child at all is left: wait4's ECHILD is a
// proof of that, since an orphan can go nowhere but to us.
func (s *supervisor) reap() (none bool) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG|unix.WALL, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return true // ECHILD is all that is left
		case pid == 0:
			return false
		default:
			s.ended(pid, status)
		}
	}
}

func (s *supervisor) ended(pid int, status syscall.WaitStatus) {
	c := s.children[pid]
	if c == nil {
		return
	}
	delete(s.children, pid) // the kernel may reuse the pid from here on
	c.ended, c.status = true, status
	event := s.log.Debug()
	if c.name == sessionName && c.exitCode() != 0 {
		event = s.log.Warn()
	}
	event = event.Int("pid", pid).Int("status", c.exitCode())
	if status.Signaled() {
		event = event.Str("signal", signalName(status.Signal()))
	}
	event.Msg(c.name + " ended")
}
