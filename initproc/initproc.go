// Package initproc is PID 1 of a container: it starts a session stage, then
// the agent, forwards signals, reaps orphans and ends with the agent's status.
// It parses nothing and opens nothing of a workspace, so that nothing a
// workspace contains can bring the container down.
//
// Start with [Run] and [Config]. Where the process is not PID 1 it becomes a
// child subreaper (prctl(2), PR_SET_CHILD_SUBREAPER) and behaves the same
// towards its own descendants; it never signals anyone else then.
//
// What it does not promise: a signal that arrives before Run is called has
// the Go runtime's default effect; real-time signals of one number coalesce
// while they wait in the Go runtime, as standard signals do in the kernel;
// signals 32 to 34 and SIGPROF belong to the C library and the Go runtime and
// are not forwarded; nor are SIGURG and SIGPIPE, which this process also
// sends to itself. A fault signal that was queued by sigqueue(3), and not sent
// by kill(2), looks like a fault of our own to the Go runtime and ends us.
package initproc

import (
	"time"

	"github.com/rs/zerolog"
)

// ReadyFD is the descriptor of the session stage's readiness pipe, in the
// stage. The stage writes one byte, any byte, once the agent may start, and
// may live on. It should set close-on-exec on it, so that no hook inherits it.
const ReadyFD = 3

// DefaultSessionTimeout holds where [Config.SessionTimeout] is zero.
const DefaultSessionTimeout = 30 * time.Minute

// Config says what to run.
type Config struct {
	// Session is the stage before the agent; nil means none. It runs in a
	// session of its own (setsid) without our terminal, its stdin is
	// /dev/null, and descriptor [ReadyFD] is the write end of a pipe. The
	// caller tells it so, by argument or environment. Whatever becomes of it,
	// the agent starts; only a TERM or INT to us keeps the agent from it.
	Session *Process

	// SessionTimeout is how long the agent waits for the stage. Zero means
	// [DefaultSessionTimeout]. A stage that is neither ready nor gone by then
	// gets TERM, ten seconds, then KILL with all its descendants.
	SessionTimeout time.Duration

	// Agent is the process whose status is ours. It leads a process group,
	// which is the terminal's foreground group where ours was.
	Agent Process

	// SignalChildOnly forwards signals to the agent's main process alone, not
	// to its process group.
	SignalChildOnly bool

	// Grace is what leftovers get between TERM and KILL once the agent has
	// ended; another TERM or INT to us cuts it short. Zero means that we leave
	// at once: the kernel then kills what is left if we are PID 1, else it
	// stays.
	Grace time.Duration

	// Log should not block for long: PID 1 waits for it.
	Log zerolog.Logger
}

// Process is a program to start. Descriptors that we inherited without
// close-on-exec reach it under their numbers, and so do the signal mask,
// umask and limits.
type Process struct {
	// Argv is never empty, but its items may be.
	Argv []string

	// Path is the file to execute. Empty means that Argv[0] is looked up as
	// execvp(3) does, in the PATH of Env.
	Path string

	// Env nil means our own environment.
	Env []string

	// Dir is where it starts; empty means our directory when Run was called.
	// It is entered with User's rights.
	Dir string

	// User nil means: as we are.
	User *Credential
}

// Credential is whom to run as. Groups are all supplementary groups: empty
// means none.
type Credential struct {
	UID, GID uint32
	Groups   []uint32
}
