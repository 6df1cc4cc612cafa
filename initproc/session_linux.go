package initproc

import (
	"os"
	"syscall"
	"time"
)

const sessionName = "session"

// runSession starts the session stage and returns once the agent may start:
// the stage is ready, has ended, could not start, or took too long. Where
// somebody asked us to end meanwhile, the stage is ended and that signal is
// returned; else zero.
func (s *supervisor) runSession() (stop syscall.Signal) {
	stage, ready, err := s.startStage()
	if err != nil {
		s.log.Error().Msg("start session: " + err.Error())
		return 0
	}
	defer ready.close()
	limit := time.NewTimer(s.sessionTimeout())
	defer limit.Stop()
	for !stage.ended {
		select {
		case <-s.sigs.child:
			s.reap()
		case <-ready.C:
			return s.askedToEnd(stage)
		case sig := <-s.sigs.incoming:
			if asksToEnd(sig) {
				stop = sig.(syscall.Signal)
				s.endStage(stage, stop)
				return stop
			}
			s.hold(sig)
		case <-limit.C:
			s.log.Warn().Dur("limit", s.sessionTimeout()).Msg("session took too long: ending it")
			return s.endStage(stage, syscall.SIGTERM)
		}
	}
	return s.askedToEnd(stage)
}

func (s *supervisor) sessionTimeout() time.Duration {
	if s.cfg.SessionTimeout == 0 {
		return DefaultSessionTimeout
	}
	return s.cfg.SessionTimeout
}

// askedToEnd looks through what arrived together with the stage's readiness or
// end: select picks at random, and a TERM must win.
func (s *supervisor) askedToEnd(stage *child) (stop syscall.Signal) {
	s.holdIncoming()
	held := s.sigs.held
	for i, sig := range held {
		if asksToEnd(sig) {
			s.sigs.held = append(held[:i:i], held[i+1:]...)
			s.endStage(stage, sig.(syscall.Signal))
			return sig.(syscall.Signal)
		}
	}
	return 0
}

// endStage asks the stage to end by sig, waits, and kills what is left of it.
// A TERM or INT to us meanwhile hurries that, and is returned.
func (s *supervisor) endStage(stage *child, sig syscall.Signal) (stop syscall.Signal) {
	if stage.ended {
		return 0
	}
	_ = kill(-stage.pid, sig)
	_ = kill(-stage.pid, syscall.SIGCONT) // a stopped one could not obey
	limit := time.NewTimer(s.stageGrace)
	defer limit.Stop()
	for !stage.ended {
		select {
		case <-s.sigs.child:
			s.reap()
			continue
		case sig := <-s.sigs.incoming:
			if !asksToEnd(sig) {
				s.hold(sig)
				continue
			}
			stop = sig.(syscall.Signal)
		case <-limit.C:
		}
		s.log.Warn().Msg("session does not end: killing it")
		s.killTree(stage)
		return stop
	}
	return 0
}

// killTree kills the stage and what descends from it, also what has left its
// process group. Daemons that earlier hooks left behind are no descendants of
// the stage any more and live on.
func (s *supervisor) killTree(stage *child) {
	tree := descendants(stage.pid)
	_ = kill(-stage.pid, syscall.SIGKILL)
	for _, pid := range tree {
		signalDescendant(pid, syscall.SIGKILL)
	}
	limit := time.NewTimer(killWait)
	defer limit.Stop()
	for !stage.ended {
		select {
		case <-s.sigs.child:
			s.reap()
		case <-limit.C:
			return
		}
	}
}

// startStage gives the stage a session of its own: it must not read what the
// terminal has for the agent, nor be stopped for writing to it.
func (s *supervisor) startStage() (*child, *readiness, error) {
	ready, write, err := newReadiness()
	if err != nil {
		return nil, nil, err
	}
	defer syscall.Close(write)
	attr := s.attributes(s.cfg.Session)
	attr.Sys.Setsid = true
	attr.Sys.Pdeathsig = s.deathSignal(syscall.SIGTERM)
	if null, err := os.Open(os.DevNull); err == nil { // else ours will do
		defer null.Close()
		attr.Files[0] = null.Fd()
	}
	attr.Files = append(attr.Files, uintptr(write)) // ReadyFD
	stage, err := s.start(sessionName, s.cfg.Session, attr)
	if err != nil {
		ready.close()
		return nil, nil, err
	}
	return stage, ready, nil
}
