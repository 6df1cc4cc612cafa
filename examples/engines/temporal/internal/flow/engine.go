package flow

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"discobot-hooks/examples/engines/temporal/internal/child"
	"discobot-hooks/examples/engines/temporal/internal/supervise"
)

// Engine runs children with the local engine of this machine. It is safe for
// concurrent use.
type Engine struct {
	Supervisor []string // a command that calls supervise.Main
	Template   Template
	Environ    []string // the worker's; of it the engine gets what spawn hooks let through
}

// StopWait is how long an engine may take to end, counted from when its worker
// is told to stop.
const StopWait = 10 * time.Second

var errWorkerStops = errors.New("the worker stops: another one starts this child over")

// Run is the activity. Whatever status the engine exits with is a result and
// no error, so that Temporal does not repeat the work. Errors are for what says
// nothing about the child: its worker was told to stop, or somebody killed the
// engine or its supervisor. Those are retried.
func (e Engine) Run(ctx context.Context, c child.Child) (child.Ending, error) {
	if err := c.Check(); err != nil {
		return child.Ending{}, temporal.NewNonRetryableApplicationError(err.Error(), invalid, err)
	}
	order := supervise.Order{
		SessionDir: c.SessionDir,
		Inputs:     c.Inputs,
		Argv:       e.Template.Argv(c, supervise.InputsPath(c.SessionDir)),
		Env:        childEnv(e.Environ, c.Workspace),
	}
	ending, err := whileBeating(ctx, func(ctx context.Context) (child.Ending, error) {
		return supervise.Run(ctx, e.Supervisor, order)
	})
	switch {
	case ctx.Err() != nil:
		return child.Ending{}, ctx.Err() // which the SDK reports as cancelled
	case err != nil:
		return child.Ending{}, err
	case ending.Signal != "":
		return child.Ending{}, errors.New(ending.Failure())
	}
	return ending, nil
}

// whileBeating runs work under a context that also ends when the worker stops,
// and tells Temporal all the while that we are alive: also while a cancelled
// engine is being ended, which takes longer than Temporal would wait.
func whileBeating(ctx context.Context, work func(context.Context) (child.Ending, error)) (child.Ending, error) {
	working, cancel := context.WithCancelCause(ctx)
	done, beaten := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(beaten)
		beat(ctx, done, cancel)
	}()
	ending, err := work(working)
	close(done)
	<-beaten
	cancel(nil)
	return ending, err
}

// beat heartbeats until done. The SDK sends but one in some, and passes a
// cancellation, which comes with the answer, to ctx.
func beat(ctx context.Context, done <-chan struct{}, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(activity.GetInfo(ctx).HeartbeatTimeout / 5)
	defer tick.Stop()
	stops := activity.GetWorkerStopChannel(ctx)
	for {
		select {
		case <-done:
			return
		case <-stops:
			cancel(errWorkerStops)
			stops = nil // once is enough
		case <-tick.C:
			activity.RecordHeartbeat(context.WithoutCancel(ctx))
		}
	}
}
