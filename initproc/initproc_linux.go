package initproc

import (
	"errors"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"

	"discobot-hooks/hook"
)

const (
	// stageGrace is what a session stage gets between TERM and KILL: the ten
	// seconds that docker stop gives a container.
	stageGrace = 10 * time.Second

	// killWait bounds the wait for killed processes to vanish. Only one that
	// hangs in the kernel (state D) takes that long.
	killWait = 2 * time.Second
)

// Run runs cfg to the agent's end and returns its exit status, 128+n where
// signal n ended it. Where the agent cannot be started that is logged, and the
// code is 127 (not found, no interpreter) or 126 (found, but cannot run). TERM
// or INT during the session stage give 143 or 130 without an agent. The error
// is for what keeps us from doing anything at all; the code is then 1.
//
// Call it once, early and from the only goroutine that starts processes: it
// reaps every child of this process, also those it did not start, so os/exec
// would lose statuses to it. It changes the working directory to /, and it
// keeps on catching signals after it returns, so that a late one cannot change
// the exit status.
func Run(cfg Config) (exitCode int, err error) {
	s, err := newSupervisor(cfg)
	if err != nil {
		return 1, err
	}
	return s.run(), nil
}

// A supervisor is used by one goroutine, which alone starts, signals and waits
// for processes: a pid that it knows and has not waited for cannot be reused.
type supervisor struct {
	cfg        Config
	log        zerolog.Logger
	sigs       *signals
	pid1       bool
	dir        string // ours at the start; empty where it has no name
	children   map[int]*child
	stageGrace time.Duration
}

func newSupervisor(cfg Config) (*supervisor, error) {
	if len(cfg.Agent.Argv) == 0 {
		return nil, errors.New("init: no command")
	}
	return &supervisor{
		cfg:        cfg,
		log:        cfg.Log,
		sigs:       catchSignals(),
		pid1:       os.Getpid() == 1,
		children:   map[int]*child{},
		stageGrace: stageGrace,
	}, nil
}

func (s *supervisor) run() int {
	// The parent-death signal comes when the thread that forked ends, not the
	// process (prctl(2), PR_SET_PDEATHSIG).
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	s.leaveDir()
	if hasTerminal() {
		s.sigs.ignoreTerminalStops()
	}
	if !s.pid1 {
		s.becomeSubreaper()
	}
	code := s.runAgentAfterSession()
	s.endLeftovers()
	return code
}

func (s *supervisor) runAgentAfterSession() int {
	if s.cfg.Session != nil {
		if stop := s.runSession(); stop != 0 {
			s.log.Info().Msgf("%s before the agent started: ending", signalName(stop))
			return hook.ExitForSignal(int(stop))
		}
	}
	return s.runAgent()
}

// leaveDir keeps us from pinning the workspace's mount by our working
// directory. A directory without a name (removed, unreachable) cannot be given
// to children by name: there we stay, and they inherit it.
func (s *supervisor) leaveDir() {
	dir, err := os.Getwd()
	if err != nil {
		s.log.Debug().Err(err).Msg("keeping the working directory")
		return
	}
	if err := os.Chdir("/"); err == nil {
		s.dir = dir
	}
}

func (s *supervisor) becomeSubreaper() {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		s.log.Warn().Err(err).Msg("not PID 1, and no child subreaper: orphans are not reaped")
		return
	}
	s.log.Info().Int("pid", os.Getpid()).Msg("not PID 1: reaping as child subreaper")
}

// deathSignal is the parent-death signal for a child: none for PID 1, whose
// end the kernel lets nobody survive.
func (s *supervisor) deathSignal(sig syscall.Signal) syscall.Signal {
	if s.pid1 {
		return 0
	}
	return sig
}
