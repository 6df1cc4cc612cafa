package event

import (
	"context"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
)

// A Plan is what an event would do.
type Plan struct {
	Hooks []Planned
	Left  []Left
}

// Planned is a hook that would run, or be refused.
type Planned struct {
	Info   dialect.Info
	Status hook.Status // empty: it would run; else invalid, or skipped or failed as things are
	Reason string
}

// Left is a hook that would not run.
type Left struct {
	Info   dialect.Info
	Reason string // in a few words
}

// Plan tells what Emit would run, and why not the rest. Nothing is run or
// written.
func (e Engine) Plan(ctx context.Context, ev *dialect.Event) (Plan, error) {
	ev.DryRun = true
	selected, rest, err := e.open(ctx, ev)
	if err != nil {
		return Plan{}, err
	}
	if ev.Session, _, err = e.Record(ev.Session); err != nil {
		return Plan{}, err
	}
	plan := Plan{Left: rest}
	for _, h := range selected {
		planned := Planned{Info: h.Info()}
		action, err := h.Prepare(ev)
		if err != nil {
			judgement := refused(err)
			planned.Status, planned.Reason = judgement.Status, judgement.Reason
		} else if hopeless, ok := action.(dialect.Hopeless); ok {
			planned.Status, planned.Reason = hook.Failed, hopeless.Why()
		}
		plan.Hooks = append(plan.Hooks, planned)
	}
	return plan, nil
}
