package pipeline

import (
	"context"
	"fmt"
	"strings"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
)

// listed is a hook: one action in the list of a hook point; see [dialect.Hook].
type listed struct {
	definition
	format *Format
	info   dialect.Info

	asked   *ask   // what was made of it by Prepare, where it is an awaited webhook
	spawned *child // likewise, where it is an awaited child pipeline
}

// Info implements [dialect.Hook].
func (a *listed) Info() dialect.Info { return a.info }

// Match implements [dialect.Hook]: the condition is Prepare's, since it may be
// about the action before.
func (a *listed) Match(*dialect.Event) string { return "" }

// Prepare implements [dialect.Hook].
func (a *listed) Prepare(ev *dialect.Event) (dialect.Action, error) {
	if err := a.condition(); err != nil {
		return nil, err
	}
	made, err := a.make(ev)
	if err != nil {
		return failed{reason: err.Error()}, nil // a gate that cannot be asked must not be passed for that
	}
	if carried, ok := made.(portable); ok && !a.await {
		return background{carried}, nil
	}
	return made, nil
}

// condition is a [*dialect.Skip] where the action is not to run.
func (a *listed) condition() error {
	if a.wrong != "" {
		a.format.warn(fmt.Sprintf("hook %s is skipped: when: %s", a.info.ID, a.wrong))
		return &dialect.Skip{Reason: "when: " + a.wrong}
	}
	if a.when == nil {
		return nil
	}
	holds, err := a.when.Eval(a.format.values.get)
	if err != nil {
		a.format.warn(fmt.Sprintf("hook %s is skipped: when: %v", a.info.ID, err))
		return &dialect.Skip{Reason: fmt.Sprintf("when: %v", err)}
	}
	if !holds {
		return &dialect.Skip{Reason: "its condition does not hold: " + a.written}
	}
	return nil
}

func (a *listed) make(ev *dialect.Event) (dialect.Action, error) {
	values := a.format.values.clone()
	switch a.kind {
	case kindShell:
		return &command{Command: a.command, Tries: a.tries(), values: values}, nil
	case kindSpawn:
		c, err := a.format.child(a.definition, values, ev)
		a.spawned = c
		return c, err
	}
	if a.await {
		a.asked = &ask{hook: a, values: values, event: ev.Name}
		return a.asked, nil
	}
	request, err := a.format.fill(a.definition, values)
	return &post{request, a.timeout}, err
}

// Judge implements [dialect.Hook].
func (a *listed) Judge(_ *dialect.Event, o dialect.Outcome) dialect.Judgement {
	j := dialect.Judgement{Status: o.Status, Out: string(o.Stdout), Err: string(o.Stderr)}
	switch {
	case o.Status == hook.Detached:
	case a.asked != nil && a.asked.answered:
		a.decided(&j)
	case o.Success():
		if a.spawned != nil {
			j.Result = map[string]any{"SPAWN_OUTPUT": a.spawned.output}
		}
	default:
		a.fell(&j, o)
	}
	return j
}

// decided is what people's answer means.
func (a *listed) decided(j *dialect.Judgement) {
	answer := a.asked.answer
	j.Status = hook.OK
	j.Result = map[string]any{"HOOK_RESPONSE": string(answer.Body)}
	j.Fields = map[string]any{"action": answer.Action, "message": answer.Message}
	if answer.Rejects {
		j.Status, j.Block = hook.Blocked, true
		j.Reason = fmt.Sprintf("hook %s was answered %s", a.info.ID, answer.Action)
		if answer.Message != "" {
			j.Reason += ": " + answer.Message
		}
	}
}

// fell is what a failure means.
func (a *listed) fell(j *dialect.Judgement, o dialect.Outcome) {
	policy := a.onFailure
	if a.asked != nil && a.asked.unanswered {
		policy = a.request.onTimeout
	}
	j.Block = policy == abort && a.await
	j.Reason = o.Reason
	if j.Reason == "" {
		j.Reason = fmt.Sprintf("exit %d", o.ExitCode)
	}
	told := fmt.Sprintf("hook %s failed: %s", a.info.ID, j.Reason)
	if j.Block { // the reason is told as that of the event
		j.Reason = told
		if j.Status != hook.TimedOut {
			j.Status = hook.Blocked
		}
		return
	}
	j.Err = strings.TrimLeft(strings.TrimRight(j.Err, "\n")+"\n"+told, "\n")
}

// failed is an action that cannot be made as things are.
type failed struct{ reason string }

// Why implements [dialect.Hopeless].
func (f failed) Why() string { return f.reason }

func (f failed) Run(_ context.Context, exec dialect.Exec) dialect.Outcome {
	say(exec, "%s", f.reason)
	return failure(f.reason)
}
