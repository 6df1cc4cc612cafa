package dialect

import (
	"context"
	"io"
	"time"

	"discobot-hooks/hook"
)

// An Action is what a hook does for one event. Processes are started by exec
// alone, which gives them the hook's environment, the rest of its time limit,
// its log and a process group; ctx ends with that limit too.
type Action interface {
	Run(ctx context.Context, exec Exec) Outcome
}

// A Detached action goes on when the event has its verdict. The engine hands
// it to a process of its own, as text from which its dialect can make it again.
type Detached interface {
	Action
	Text() ([]byte, error)
}

// A Hopeless action can only fail, as things are, and says why in a few words.
type Hopeless interface {
	Action
	Why() string
}

// Exec is what an action works with.
type Exec struct {
	Process func(Process) Outcome // runs one process to its end
	Log     io.Writer             // for what the action itself has to tell; processes have theirs in it
}

// A Process is a program to run. It is an [Action] by itself.
type Process struct {
	Argv  []string // Argv[0] without a slash is looked up in PATH
	Env   []string // added to the environment that every hook gets, and winning
	Input []byte   // stdin; nil: none

	Dir      string        // working directory; empty: the workspace
	Timeout  time.Duration // zero, or longer than that: the rest of the action's limit
	Isolated bool          // of what we inherited it gets no more than every program needs
}

// Run is exec of the process alone.
func (p Process) Run(_ context.Context, exec Exec) Outcome { return exec.Process(p) }

// Shell is `sh -c command`. The command must be as its author wrote it: values
// come by env or input, never by text.
func Shell(command string, env []string, input []byte) Process {
	return Process{Argv: []string{"/bin/sh", "-c", command}, Env: env, Input: input}
}

// MaxKept is how much an [Outcome] holds of each stream. The log has more.
const MaxKept = 1 << 20

// An Outcome is how an action ended, before the format says what that means.
type Outcome struct {
	hook.Result
	Stdout, Stderr []byte // MaxKept at most
	Cut            bool   // there was more on stdout
}
