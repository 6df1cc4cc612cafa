package initproc

import (
	"os"
	"syscall"
)

const agentName = "agent"

// runAgent starts the agent, hands it what was sent to us before, forwards and
// reaps until it ends, and returns its exit status.
func (s *supervisor) runAgent() int {
	s.holdIncoming()
	agent, err := s.startAgent()
	if err != nil {
		s.log.Error().Msg("start agent: " + err.Error())
		return startExitCode(err)
	}
	for _, sig := range s.sigs.held {
		s.forward(agent, sig)
	}
	s.sigs.held = nil
	for !agent.ended {
		select {
		case <-s.sigs.child:
			s.reap()
		case sig := <-s.sigs.incoming:
			s.forward(agent, sig)
		}
	}
	return agent.exitCode()
}

// startAgent makes the agent the leader of its own process group before it
// executes anything, so that no signal can miss the group (kill(2): ESRCH),
// and gives it the terminal where that is ours to give.
func (s *supervisor) startAgent() (*child, error) {
	attr := s.attributes(&s.cfg.Agent)
	attr.Sys.Setpgid = true
	attr.Sys.Pdeathsig = s.deathSignal(syscall.SIGKILL)
	if tty, ok := openForeground(); ok {
		defer tty.close()
		attr.Sys.Foreground, attr.Sys.Ctty = true, tty.fd
		c, err := s.start(agentName, &s.cfg.Agent, attr)
		if err == nil || !terminalRefused(err) {
			return c, err
		}
		attr.Sys.Foreground = false // no terminal is no reason for no agent
	}
	return s.start(agentName, &s.cfg.Agent, attr)
}

// forward passes sig on to the agent's group, which exists as long as its
// leader has not been waited for.
func (s *supervisor) forward(agent *child, sig os.Signal) {
	n := sig.(syscall.Signal)
	err := syscall.ESRCH
	if !s.cfg.SignalChildOnly {
		err = kill(-agent.pid, n)
	}
	if err == syscall.ESRCH { // or it moved to another group of its session
		err = kill(agent.pid, n)
	}
	if err != 0 {
		s.log.Warn().Err(err).Msgf("forward %s to the agent", signalName(sig))
	}
}

// holdIncoming takes what has arrived so far, for the agent.
func (s *supervisor) holdIncoming() {
	for {
		select {
		case sig := <-s.sigs.incoming:
			s.hold(sig)
		default:
			return
		}
	}
}

func (s *supervisor) hold(sig os.Signal) {
	if !s.sigs.hold(sig) {
		s.log.Warn().Msgf("%s dropped: the agent does not run yet", signalName(sig))
	}
}

// kill is kill(2); zero is success.
func kill(pid int, sig syscall.Signal) syscall.Errno {
	err := syscall.Kill(pid, sig)
	errno, _ := err.(syscall.Errno)
	return errno
}
