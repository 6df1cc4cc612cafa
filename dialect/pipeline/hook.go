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
func (h *listed) Info() dialect.Info { return h.info }

// Match implements [dialect.Hook]: the condition is Prepare's, since it may be
// about the action before.
func (h *listed) Match(*dialect.Event) string { return "" }

// Prepare implements [dialect.Hook].
func (h *listed) Prepare(ev *dialect.Event) (dialect.Action, error) {
	if err := h.condition(); err != nil {
		return nil, err
	}
	made, err := h.make(ev)
	if err != nil {
		return failed{reason: err.Error()}, nil // a gate that cannot be asked must not be passed for that
	}
	if carried, ok := made.(portable); ok && !h.await {
		return background{carried}, nil
	}
	return made, nil
}

// condition is a [*dialect.Skip] where the action is not to run.
func (h *listed) condition() error {
	if h.wrong != "" {
		h.format.warn(fmt.Sprintf("hook %s is skipped: when: %s", h.info.ID, h.wrong))
		return &dialect.Skip{Reason: "when: " + h.wrong}
	}
	if h.when == nil {
		return nil
	}
	holds, err := h.when.Eval(h.format.values.get)
	if err != nil {
		h.format.warn(fmt.Sprintf("hook %s is skipped: when: %v", h.info.ID, err))
		return &dialect.Skip{Reason: fmt.Sprintf("when: %v", err)}
	}
	if !holds {
		return &dialect.Skip{Reason: "its condition does not hold: " + h.written}
	}
	return nil
}

func (h *listed) make(ev *dialect.Event) (dialect.Action, error) {
	values := h.format.values.clone()
	switch h.kind {
	case kindShell:
		return &command{Command: h.command, Tries: h.tries(), values: values}, nil
	case kindSpawn:
		c, err := h.format.child(h.definition, values, ev)
		h.spawned = c
		return c, err
	}
	if h.await {
		h.asked = &ask{hook: h, values: values, event: ev.Name}
		return h.asked, nil
	}
	request, err := h.format.fill(h.definition, values)
	return &post{request, h.timeout}, err
}

// Judge implements [dialect.Hook].
func (h *listed) Judge(_ *dialect.Event, o dialect.Outcome) dialect.Judgement {
	j := dialect.Judgement{Status: o.Status, Out: string(o.Stdout), Err: string(o.Stderr)}
	switch {
	case o.Status == hook.Detached:
	case h.asked != nil && h.asked.answered:
		h.decided(&j)
	case o.Success():
		if h.spawned != nil {
			j.Result = map[string]any{"SPAWN_OUTPUT": h.spawned.output}
		}
	default:
		h.fell(&j, o)
	}
	return j
}

// decided is what people's answer means.
func (h *listed) decided(j *dialect.Judgement) {
	answer := h.asked.answer
	j.Status = hook.OK
	j.Result = map[string]any{"HOOK_RESPONSE": string(answer.Body)}
	j.Fields = map[string]any{"action": answer.Action, "message": answer.Message}
	if answer.Rejects {
		j.Status, j.Block = hook.Blocked, true
		j.Reason = fmt.Sprintf("hook %s was answered %s", h.info.ID, answer.Action)
		if answer.Message != "" {
			j.Reason += ": " + answer.Message
		}
	}
}

// fell is what a failure means.
func (h *listed) fell(j *dialect.Judgement, o dialect.Outcome) {
	policy := h.onFailure
	if h.asked != nil && h.asked.unanswered {
		policy = h.request.onTimeout
	}
	j.Block = policy == abort && h.await
	j.Reason = o.Reason
	if j.Reason == "" {
		j.Reason = fmt.Sprintf("exit %d", o.ExitCode)
	}
	told := fmt.Sprintf("hook %s failed: %s", h.info.ID, j.Reason)
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
