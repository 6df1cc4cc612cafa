package initproc

import (
	"syscall"
	"time"
)

// endLeftovers ends what the agent left behind: TERM, the grace, KILL. It
// counts our children alone; a process that entered a container from outside
// gets the signals of PID 1 too, but cannot be waited for.
func (s *supervisor) endLeftovers() {
	if s.reap() || s.cfg.Grace <= 0 {
		return
	}
	s.signalAll(syscall.SIGTERM)
	s.signalAll(syscall.SIGCONT) // a stopped one could not obey
	grace := time.NewTimer(s.cfg.Grace)
	defer grace.Stop()
	for {
		select {
		case <-s.sigs.child:
			if s.reap() {
				return
			}
			continue
		case sig := <-s.sigs.incoming:
			if !asksToEnd(sig) {
				continue
			}
		case <-grace.C:
		}
		s.log.Warn().Msg("killing what the agent left behind")
		s.killAll()
		return
	}
}

// killAll repeats the KILL whenever something has died, since its last act may
// have been a fork, until nothing is left.
func (s *supervisor) killAll() {
	limit := time.NewTimer(killWait)
	defer limit.Stop()
	for {
		s.signalAll(syscall.SIGKILL)
		select {
		case <-s.sigs.child:
			if s.reap() {
				return
			}
		case <-limit.C:
			s.log.Warn().Msg("some processes cannot be killed")
			return
		}
	}
}

// signalAll signals all processes but us: as PID 1 all of the PID namespace,
// else all our descendants.
func (s *supervisor) signalAll(sig syscall.Signal) {
	if s.pid1 {
		_ = kill(-1, sig)
		return
	}
	for _, pid := range descendants(syscall.Getpid()) {
		signalDescendant(pid, sig)
	}
}
