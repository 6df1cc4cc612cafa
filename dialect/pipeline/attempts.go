package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
	"discobot-hooks/internal/handover"
)

// Tries say how often an action is tried. It is exported since an action takes it
// to another process.
type Tries struct {
	Attempts int           // at most
	Delay    time.Duration // between two
	Timeout  time.Duration // of each
}

func (d definition) tries() Tries {
	return Tries{Attempts: d.attempts(), Delay: d.delay, Timeout: d.timeout}
}

// run tries until one attempt succeeds, or the last one fails.
func (t Tries) run(ctx context.Context, exec dialect.Exec, once func() dialect.Outcome) dialect.Outcome {
	for attempt := 1; ; attempt++ {
		if t.Attempts > 1 {
			_, _ = fmt.Fprintf(exec.Log, "=== Attempt %d/%d ===\n", attempt, t.Attempts) // the log reports its own trouble
		}
		outcome := once()
		if outcome.Success() || outcome.Aborted || attempt >= t.Attempts || !pause(ctx, t.Delay) {
			return outcome
		}
	}
}

// pause waits; false where there is no time left.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// say adds a line of ours to the hook's log.
func say(exec dialect.Exec, format string, args ...any) {
	_, _ = fmt.Fprintf(exec.Log, "[discobot-hooks: "+format+"]\n", args...) // the log reports its own trouble
}

// failure is the outcome of an action that did nothing, or no process did it.
func failure(reason string) dialect.Outcome {
	return dialect.Outcome{Result: hook.Result{Status: hook.Failed, ExitCode: 1, Reason: reason}}
}

// ended is the outcome of an action that could not be ended as it should: by
// its own fault, by a signal, or since its time is up.
func ended(ctx context.Context, cause error) dialect.Outcome {
	switch {
	case ctx.Err() == nil:
		return failure(cause.Error())
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return dialect.Outcome{Result: hook.Result{Status: hook.TimedOut, ExitCode: hook.ExitTimeout, Reason: cause.Error()}}
	}
	return dialect.Outcome{Result: hook.Result{Status: hook.Failed, Aborted: true, Reason: "hook was stopped before it ended"}}
}

// background is an action that nobody awaits; see [dialect.Detached].
type background struct{ portable }

// portable is an action that another process can be given.
type portable interface {
	dialect.Action
	wire() (wire, error)
}

// Text implements [dialect.Detached].
func (b background) Text() ([]byte, error) {
	w, err := b.wire()
	if err != nil {
		return nil, err
	}
	return handover.Marshal(w)
}

// wire is an action on its way to another process; one of them is set.
type wire struct {
	Shell *command
	Post  *post
	Child *child
}

// Decode makes an action again of what [dialect.Detached] gave.
func Decode(text []byte) (dialect.Action, error) {
	var w wire
	if err := handover.Unmarshal(text, &w); err != nil {
		return nil, fmt.Errorf("read action: %w", err)
	}
	switch {
	case w.Shell != nil:
		return w.Shell, nil
	case w.Post != nil:
		return w.Post, nil
	case w.Child != nil:
		return w.Child, nil
	}
	return nil, errors.New("read action: it is of no kind that goes on by itself")
}
