package initproc

import (
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	sigRTMin = syscall.Signal(32)
	sigMax   = syscall.Signal(64)

	// maxQueued signals wait for us at most. Standard signals coalesce in the
	// kernel and the Go runtime, so only a flood of real-time ones fills this.
	maxQueued = 1024
)

// signals is all that others send us. Every signal that can be caught is
// caught: one without a handler ends a Go program or, for PID 1, is lost
// (kill(2), Notes).
type signals struct {
	// child has one slot: a SIGCHLD more says nothing more. It is apart from
	// incoming because a storm of orphans must not crowd out a TERM.
	child    chan os.Signal
	incoming chan os.Signal
	unread   chan os.Signal // a handler that does nothing

	held        []os.Signal // for the agent, in order of arrival
	ignored     []os.Signal // since before our start: children inherit that
	ignoredByUs []os.Signal // children do not inherit that
	terminal    bool        // we have a controlling one
}

// catchSignals must come before anything else that Run does.
func catchSignals() *signals {
	s := &signals{
		child:    make(chan os.Signal, 1),
		incoming: make(chan os.Signal, maxQueued),
		unread:   make(chan os.Signal, 1),
	}
	// Notify gives each of these a handler, also those ignored so far, and
	// hides that they were. The Go runtime itself has hidden it for all but
	// HUP, INT and the terminal's: that of TERM or PIPE is not to be had.
	for _, sig := range forwardable() {
		if ignoredSoFar(sig) {
			s.ignored = append(s.ignored, sig)
		}
	}
	signal.Notify(s.child, syscall.SIGCHLD)
	signal.Notify(s.incoming, forwardable()...)
	// A broken stderr would end us by SIGPIPE, unless that is caught. Not
	// signal.Ignore: children would inherit it.
	signal.Notify(s.unread, syscall.SIGPIPE)
	return s
}

// forwardable lists what is passed on. It lacks KILL and STOP, which cannot be
// caught; CHLD, which is about our children; URG, PROF and 32 to 34, which
// belong to the Go runtime and the C library; PIPE, which we cause ourselves.
func forwardable() []os.Signal {
	var sigs []os.Signal
	for sig := syscall.Signal(1); sig <= sigMax; sig++ {
		switch sig {
		case syscall.SIGKILL, syscall.SIGSTOP, syscall.SIGCHLD, syscall.SIGURG,
			syscall.SIGPROF, syscall.SIGPIPE, 32, 33, 34:
		default:
			sigs = append(sigs, sig)
		}
	}
	return sigs
}

// ignoreTerminalStops is for a process with a controlling terminal. There the
// kernel sends TTIN and TTOU to the whole group of a background process that
// uses the terminal, which we are once the agent is in the foreground: a log
// line under `stty tostop` would stop the agent if we forwarded that, and
// restart the write for ever if we only caught it.
func (s *signals) ignoreTerminalStops() {
	s.terminal = true
	for _, sig := range []os.Signal{syscall.SIGTTIN, syscall.SIGTTOU} {
		signal.Ignore(sig)
		if i := slices.Index(s.ignored, sig); i >= 0 {
			s.ignored = slices.Delete(s.ignored, i, i+1) // children have it from us now
			continue
		}
		s.ignoredByUs = append(s.ignoredByUs, sig)
	}
}

// duringFork calls fork with the dispositions that a child must inherit:
// exec(2) resets what is caught and keeps what is ignored.
func (s *signals) duringFork(fork func()) {
	if len(s.ignored) > 0 {
		signal.Ignore(s.ignored...)
		defer signal.Notify(s.incoming, s.ignored...)
	}
	if len(s.ignoredByUs) > 0 {
		signal.Notify(s.unread, s.ignoredByUs...)
		defer signal.Ignore(s.ignoredByUs...)
	}
	fork()
}

// hold keeps sig for the agent and tells whether it did. What cannot be meant
// for a program that does not run yet is dropped: a fault, or a Ctrl-Z. A
// standard signal is kept once, as the kernel does with a pending one.
func (s *signals) hold(sig os.Signal) bool {
	if isFault(sig) || s.terminal && sig == syscall.SIGTSTP {
		return false
	}
	once := sig.(syscall.Signal) < sigRTMin
	if once && slices.Contains(s.held, sig) {
		return true
	}
	if len(s.held) >= maxQueued {
		return false
	}
	s.held = append(s.held, sig)
	return true
}

// asksToEnd tells a request to shut down from all other signals.
func asksToEnd(sig os.Signal) bool {
	return sig == syscall.SIGTERM || sig == syscall.SIGINT
}

// isFault tells whether sig usually says that its receiver is broken.
func isFault(sig os.Signal) bool {
	switch sig {
	case syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL,
		syscall.SIGTRAP, syscall.SIGABRT, syscall.SIGSYS:
		return true
	}
	return false
}

func signalName(sig os.Signal) string {
	n := sig.(syscall.Signal)
	if name := unix.SignalName(n); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(n))
}

// ignoredSoFar asks the kernel: signal.Ignored does not know the terminal's
// stop signals.
func ignoredSoFar(sig os.Signal) bool {
	const sigIgn = 1
	// struct sigaction of the kernel, whose first word is the handler; the
	// signal set at its end has 8 bytes (rt_sigaction(2)).
	var action [8]uintptr
	_, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION,
		uintptr(sig.(syscall.Signal)), 0, uintptr(unsafe.Pointer(&action)), 8, 0, 0)
	return errno == 0 && action[0] == sigIgn
}
