package dialect

import (
	"context"

	"discobot-hooks/hook"
)

// An Action is what a hook does for one event. Processes are started by exec
// alone, which gives them the hook's environment, the rest of its time limit,
// its log and a process group; ctx ends with that limit too.
type Action interface {
	Run(ctx context.Context, exec Exec) Outcome
}

// Exec runs one process in the workspace to its end.
type Exec func(Process) Outcome

// A Process is a program to run. It is an [Action] by itself.
type Process struct {
	Argv  []string // Argv[0] without a slash is looked up in PATH
	Env   []string // added to the environment that every hook gets, and winning
	Input []byte   // stdin; nil: none
}

// Run is exec of the process alone.
func (p Process) Run(_ context.Context, exec Exec) Outcome { return exec(p) }

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
