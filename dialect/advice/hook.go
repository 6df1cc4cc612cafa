package advice

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
)

// agentMax bounds an agent's id: it goes into the environment, where one
// value of 128 KiB keeps a process from starting (execve(2), E2BIG).
const agentMax = 4096

// An adviceHook is one advice that runs a command.
type adviceHook struct {
	format *Format
	advice *Advice
	file   string
}

func (h *adviceHook) Info() dialect.Info {
	a := h.advice
	seconds := min(cmp.Or(a.HookTimeout, AdviceHookTimeoutDefault), AdviceHookTimeoutMax)
	return dialect.Info{
		Hook: hook.Hook{
			ID: a.ID, Name: a.name(), Description: a.Description,
			Dialect: Name, Event: hook.Event(a.HookTrigger), File: h.file,
			Action: hook.Action{Timeout: time.Duration(seconds) * time.Second},
		},
		Kind: "command", Line: a.Line, Command: a.HookCommand,
	}
}

// name is the title as people may see it.
func (a *Advice) name() string { return cmp.Or(plaintext.Line(a.Title), plaintext.Path(a.ID)) }

func (h *adviceHook) Match(*dialect.Event) string {
	switch {
	case h.format.agent == "":
		return "no agent named"
	case !Reaches(h.advice.Labels, h.format.subscriptions):
		return "no labels that reach " + plaintext.Path(h.format.agent)
	}
	return ""
}

// Prepare gives the command what it may know by fixed names in its
// environment. The command itself stays as written: nothing of the event
// becomes shell text.
func (h *adviceHook) Prepare(*dialect.Event) (dialect.Action, error) {
	agent := h.format.agent
	switch {
	case strings.Contains(agent, "\x00"):
		return nil, errors.New("the agent's id holds a NUL, which no environment can carry")
	case len(agent) > agentMax:
		return nil, fmt.Errorf("the agent's id has %d bytes: %d at most", len(agent), agentMax)
	}
	return dialect.Shell(h.advice.HookCommand, []string{
		"GT_ADVICE_HOOK_ID=" + h.advice.ID,
		"GT_ADVICE_HOOK_TRIGGER=" + h.advice.HookTrigger,
		"GT_AGENT_ID=" + agent,
		"GT_WORK_DIR=" + h.format.options.Workspace,
		"BD_ACTOR=" + agent,
	}, nil), nil
}

// Judge takes a non-zero exit, a passed time limit and a command that could
// not start for failures, all alike.
func (h *adviceHook) Judge(_ *dialect.Event, o dialect.Outcome) dialect.Judgement {
	onFailure := cmp.Or(h.advice.HookOnFailure, AdviceHookOnFailureWarn)
	j := dialect.Judgement{
		Status: o.Status,
		Fields: map[string]any{"title": h.advice.name(), "on_failure": onFailure},
	}
	if o.Success() || onFailure == AdviceHookOnFailureIgnore {
		return j
	}
	advice, cause := fmt.Sprintf(`advice "%s" (%s)`, h.advice.name(), h.advice.ID), cause(o)
	j.Reason = advice + ": " + cause
	word := "warning"
	if onFailure == AdviceHookOnFailureBlock {
		word, j.Block = "blocked", true
		if j.Status != hook.TimedOut {
			j.Status = hook.Blocked
		}
	}
	j.Err = fmt.Sprintf("%s: %s failed: %s\n%s", word, advice, cause, report(o))
	return j
}

// cause says why an outcome is a failure.
func cause(o dialect.Outcome) string {
	switch {
	case o.Reason != "": // it could not start, or was ended
		return plaintext.Line(strings.TrimPrefix(o.Reason, "hook "))
	case o.Status == hook.TimedOut:
		return "timed out"
	}
	return fmt.Sprintf("exit %d", o.ExitCode)
}
