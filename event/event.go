// Package event takes one event to the hooks that listen, in order, and folds
// what they say into one verdict.
//
// Start with [Engine.Emit]: load → match → order → run → judge → fold → stop
// or go on. What a hook runs and what its end means is its dialect's; how it
// runs, is limited and recorded is the same for all.
package event

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
	"discobot-hooks/run"
)

// An Engine knows what it takes to run a dialect's hooks.
type Engine struct {
	Dialect   dialect.Dialect
	Workspace string   // absolute; where actions run
	Env       []string // of whoever calls, less what must not reach hooks

	// Record returns the session's name and recorder. It gets the dialect's
	// session, or nothing where that has none.
	Record func(session string) (string, hook.Recorder, error)

	Watch func(hook.Hook) run.Watcher   // follows runs for people; nil: nobody
	Show  func(Ran)                     // gets each hook as it ends; nil: nobody
	Found func(problems []hook.Problem) // gets what is wrong with the hooks; nil: nobody

	// Detach hands an action to a process of its own and returns the path of
	// its log, or why it is not recorded. Nil: such actions fail.
	Detach func(context.Context, Detached) (log string, unrecorded, err error)

	// Deadline bounds all hooks together. Zero: only their own limits do.
	Deadline time.Time
}

// A Report is what became of an event.
type Report struct {
	Blocked bool
	Reason  string // why it is blocked
	Hooks   []Ran  // in order; those that the event selected
	Result  map[string]any
}

// Ran is one hook of a report.
type Ran struct {
	Info      dialect.Info
	Result    hook.Result
	Judgement dialect.Judgement
	Cut       bool // the hook printed more than Judgement.Out can show
}

// Emit takes the event to its hooks. An error is ours: what hooks do is in the
// report, which holds what had happened until then, a block too. When ctx is
// done the running hook is ended, and the error is ctx's cause.
func (e Engine) Emit(ctx context.Context, ev *dialect.Event) (Report, error) {
	selected, _, err := e.open(ctx, ev)
	if err != nil {
		return Report{}, err
	}
	var report Report
	session, recorder, err := e.Record(ev.Session)
	if err != nil {
		return report, err
	}
	ev.Session = session
	unrecorded, err := e.runAll(ctx, ev, selected, recorder, &report)
	if err != nil {
		return report, errors.Join(err, unrecorded)
	}
	report.Result = e.Dialect.Close(ctx, ev, report.Blocked)
	return report, unrecorded
}

// open loads the hooks and sorts them into those that the event selects and
// the rest.
func (e Engine) open(ctx context.Context, ev *dialect.Event) (selected []dialect.Hook, rest []Left, err error) {
	if ev.Warn == nil {
		ev.Warn = func(string) {}
	}
	set, err := e.Dialect.Load()
	if e.Found != nil {
		e.Found(set.Problems)
	}
	if err != nil {
		return nil, nil, err
	}
	if err := e.Dialect.Open(ctx, ev); err != nil {
		return nil, nil, err
	}
	for _, h := range set.Hooks {
		if reason := unmatched(h, ev); reason != "" {
			rest = append(rest, Left{Info: h.Info(), Reason: reason})
		} else {
			selected = append(selected, h)
		}
	}
	return selected, rest, nil
}

func unmatched(h dialect.Hook, ev *dialect.Event) string {
	info := h.Info()
	switch {
	case string(info.Event) != ev.Name:
		return fmt.Sprintf("waits for %s", info.Event)
	case info.Off != "":
		return info.Off
	}
	return h.Match(ev)
}

// runAll runs the hooks until one blocks. What could not be recorded ends
// nothing, since a verdict is worth more than its record.
func (e Engine) runAll(ctx context.Context, ev *dialect.Event, hooks []dialect.Hook, recorder hook.Recorder, report *Report) (unrecorded, err error) {
	for _, h := range hooks {
		ran, record := e.one(ctx, ev, h, recorder)
		unrecorded = errors.Join(unrecorded, record)
		if ctx.Err() != nil {
			return unrecorded, context.Cause(ctx)
		}
		report.Hooks = append(report.Hooks, ran)
		if e.Show != nil {
			e.Show(ran)
		}
		e.Dialect.Fold(ev, h, ran.Judgement)
		if ran.Judgement.Block && !report.Blocked {
			report.Blocked, report.Reason = true, strings.TrimSpace(ran.Judgement.Reason)
		}
		if report.Blocked && !e.Dialect.Description().RunsOn {
			break
		}
	}
	return unrecorded, nil
}

// one prepares, runs, judges and records one hook. The error is why it is not
// recorded.
func (e Engine) one(ctx context.Context, ev *dialect.Event, h dialect.Hook, recorder hook.Recorder) (Ran, error) {
	ran := Ran{Info: h.Info()}
	action, err := h.Prepare(ev)
	if err != nil {
		ran.Judgement = refused(err)
		ran.Result = hook.Result{HookID: ran.Info.ID, Status: ran.Judgement.Status, Reason: ran.Judgement.Reason, Started: ev.Time}
		return ran, nil
	}
	if detached, ok := action.(dialect.Detached); ok {
		outcome, unrecorded := e.detach(ctx, ev, ran.Info, detached) // the other process records it
		e.judge(ev, h, outcome, &ran)
		if unrecorded != nil {
			unrecorded = fmt.Errorf("record hook %s: %w", ran.Info.ID, unrecorded)
		}
		return ran, unrecorded
	}
	recording, err := recorder.Begin(ran.Info.Hook)
	if err != nil {
		recording = run.Unrecorded(ran.Info.Hook, err)
	}
	watch := e.watch(ran.Info.Hook)
	e.judge(ev, h, e.act(ctx, ev, ran.Info, action, run.Tee(recording, watch)), &ran)
	ran.Result, err = recording.End(ctx, ran.Result)
	watch.Done(ran.Result)
	if err != nil {
		return ran, fmt.Errorf("record hook %s: %w", ran.Info.ID, err)
	}
	return ran, nil
}

// judge has the dialect say what the outcome means.
func (e Engine) judge(ev *dialect.Event, h dialect.Hook, outcome dialect.Outcome, ran *Ran) {
	ran.Result, ran.Cut = outcome.Result, outcome.Cut
	if outcome.Aborted {
		return
	}
	ran.Judgement = h.Judge(ev, outcome)
	ran.Result.Status = ran.Judgement.Status
	if ran.Judgement.Reason != "" {
		ran.Result.Reason = ran.Judgement.Reason
	}
}

// refused is the judgement on a hook that did not run.
func refused(err error) dialect.Judgement {
	var skip *dialect.Skip
	if errors.As(err, &skip) {
		return dialect.Judgement{Status: hook.Skipped, Reason: skip.Reason}
	}
	return dialect.Judgement{Status: hook.Invalid, Reason: err.Error()}
}

func (e Engine) watch(h hook.Hook) run.Watcher {
	if e.Watch == nil {
		return run.Nobody()
	}
	return e.Watch(h)
}
