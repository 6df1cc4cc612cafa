package event

import (
	"context"
	"errors"
	"fmt"
	"time"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
	"discobot-hooks/run"
)

// A Detached is a hook whose action goes on when the event has its verdict,
// with all that a process of its own needs to run and record it.
type Detached struct {
	Info      dialect.Info
	Event     string
	Session   string
	Workspace string
	Action    []byte // as the dialect's action has it
}

// detach hands the action over. Its hook counts as a success as soon as the
// other process has it; what becomes of it is in the record alone.
func (e Engine) detach(ctx context.Context, ev *dialect.Event, info dialect.Info, action dialect.Detached) (o dialect.Outcome, unrecorded error) {
	started := time.Now()
	result := hook.Result{HookID: info.ID, Status: hook.Detached, Started: started}
	text, err := action.Text()
	if err == nil && e.Detach == nil {
		err = errNoDetach
	}
	if err == nil {
		d := Detached{Info: info, Event: ev.Name, Session: ev.Session, Workspace: e.Workspace, Action: text}
		result.Output.Path, unrecorded, err = e.Detach(ctx, d)
	}
	if err != nil {
		result.Status, result.ExitCode = hook.Failed, hook.ExitCannotStart
		result.Reason = fmt.Sprintf("hook could not start: %v", err)
		result.Aborted = ctx.Err() != nil
	}
	result.Duration = time.Since(started)
	return dialect.Outcome{Result: result}, unrecorded
}

// RunDetached runs what another process has handed over, to its end, and
// records it. begun is called once with the path of the hook's log, or why there
// is no record; from then on whoever handed it over need not wait.
func (e Engine) RunDetached(ctx context.Context, d Detached, action dialect.Action, begun func(path string, unrecorded error)) error {
	session, recorder, err := e.Record(d.Session)
	if err != nil {
		return err
	}
	recording, unrecorded := recorder.Begin(d.Info.Hook)
	if unrecorded != nil {
		recording = run.Unrecorded(d.Info.Hook, unrecorded)
	}
	path := ""
	if log, ok := recording.(interface{ Path() string }); ok {
		path = log.Path()
	}
	begun(path, unrecorded)
	outcome := e.act(ctx, &dialect.Event{Name: d.Event, Session: session}, d.Info, action, recording)
	if _, err := recording.End(ctx, outcome.Result); err != nil {
		return fmt.Errorf("record hook %s: %w", d.Info.ID, err)
	}
	if outcome.Aborted {
		return context.Cause(ctx)
	}
	return nil
}

// errNoDetach is what an engine without Detach answers.
var errNoDetach = errors.New("nobody is there to run it in the background")
