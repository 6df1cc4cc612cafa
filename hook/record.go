package hook

import (
	"context"
	"io"
)

// A Recorder keeps what hooks print and how they end.
type Recorder interface {
	// Begin starts the record of a run in place of the hook's previous log.
	Begin(Hook) (Recording, error)
}

// A Recording is one run's record. What the hook prints is written to it;
// End then notes the result, unless it is an aborted one, and returns it with
// HookID and Output filled in. End must be called.
type Recording interface {
	io.Writer
	End(context.Context, Result) (Result, error)
}
