package run

import (
	"context"
	"fmt"
	"io"
	"time"

	"discobot-hooks/hook"
)

// A Watcher follows a run for people while it lasts.
type Watcher interface {
	io.Writer // what the hook prints, as it comes
	Done(hook.Result)
}

// An Action is a hook with all that it needs to run.
type Action struct {
	Hook hook.Hook

	// Commands run one after the other under one time limit and into one
	// log. More than one are the batches of a long list of files, all of
	// which run; the first exit code other than zero is the action's.
	Commands []Command

	Timeout time.Duration // of each attempt, for all commands together

	// Deadline bounds all attempts together. Zero: nothing does but Timeout.
	Deadline time.Time

	// Watch begins to follow the run for people. It is called once the record
	// has begun; nil: nobody follows.
	Watch func(hook.Hook) Watcher
}

// Run runs the action to its end, with as many attempts as its hook says, and
// records it as one run. The error is about the record and ours; whatever
// happens to the hook is in the result.
func (a Action) Run(ctx context.Context, recorder hook.Recorder) (hook.Result, error) {
	recording, err := recorder.Begin(a.Hook)
	if err != nil {
		return hook.Result{}, fmt.Errorf("record hook %s: %w", a.Hook.ID, err)
	}
	watch := a.watch()
	result := a.attempts(ctx, Tee(recording, watch))
	result, err = recording.End(ctx, result)
	watch.Done(result)
	if err != nil {
		return result, fmt.Errorf("record hook %s: %w", a.Hook.ID, err)
	}
	return result, nil
}

// Refuse records an action that must not run as a failure, with the reason
// in its log.
func (a Action) Refuse(ctx context.Context, recorder hook.Recorder, reason string) (hook.Result, error) {
	recording, err := recorder.Begin(a.Hook)
	if err != nil {
		return hook.Result{}, fmt.Errorf("record hook %s: %w", a.Hook.ID, err)
	}
	watch := a.watch()
	_, _ = fmt.Fprintf(recording, "[discobot-hooks: %s]\n", reason) // End reports what goes wrong
	result, err := recording.End(ctx, hook.Result{
		Status: hook.Failed, ExitCode: hook.ExitCannotStart, Started: time.Now(), Reason: reason,
	})
	watch.Done(result)
	return result, err
}

func (a Action) watch() Watcher {
	if a.Watch == nil {
		return Nobody()
	}
	return a.Watch(a.Hook)
}

// Nobody follows no run.
func Nobody() Watcher { return nobody{io.Discard} }

type nobody struct{ io.Writer }

func (nobody) Done(hook.Result) {}

func (a Action) attempts(ctx context.Context, out io.Writer) hook.Result {
	total := a.Hook.Action.Retries + 1
	started := time.Now()
	var result hook.Result
	for attempt := 1; attempt <= total; attempt++ {
		if total > 1 {
			_, _ = fmt.Fprintf(out, "=== Attempt %d/%d ===\n", attempt, total) // End reports what goes wrong
		}
		result = a.batches(ctx, out)
		if result.Success() || result.Aborted || !a.Deadline.IsZero() && !time.Now().Before(a.Deadline) {
			break
		}
	}
	result.Started = started
	result.Duration = time.Since(started)
	return result
}

func (a Action) batches(ctx context.Context, out io.Writer) hook.Result {
	limit := a.Timeout
	if !a.Deadline.IsZero() {
		limit = max(min(limit, time.Until(a.Deadline)), time.Millisecond)
	}
	deadline := time.Now().Add(limit)
	first := hook.Result{Status: hook.OK}
	for _, command := range a.Commands {
		command.Output = out
		command.Timeout = max(time.Until(deadline), time.Millisecond)
		command.Stated = limit
		result := command.Run(ctx)
		if first.Success() {
			first = result
		}
		if result.Aborted {
			return result
		}
		if result.Status == hook.TimedOut {
			return first
		}
	}
	return first
}

// Tee writes to the log first, then to the watcher, whose trouble (people may
// have closed the terminal) must not cost the record.
func Tee(log io.Writer, watch Watcher) io.Writer { return &tee{log: log, watch: watch} }

type tee struct {
	log   io.Writer
	watch io.Writer
}

func (t *tee) Write(p []byte) (int, error) {
	n, err := t.log.Write(p)
	_, _ = t.watch.Write(p)
	return n, err
}
