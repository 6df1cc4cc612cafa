package registry

import (
	"fmt"

	"discobot-hooks/dialect"
)

// scriptHook is a definition as the hook of one event.
type scriptHook struct {
	definition
	workspace string
	info      dialect.Info
}

// Info implements [dialect.Hook].
func (h *scriptHook) Info() dialect.Info { return h.info }

// Match implements [dialect.Hook].
func (h *scriptHook) Match(ev *dialect.Event) string {
	return h.match.unmet(ev.Data, h.workspace)
}

// Prepare implements [dialect.Hook]. The command is its author's to the
// letter, and the environment has nothing of the event.
func (h *scriptHook) Prepare(ev *dialect.Event) (dialect.Action, error) {
	context, err := marshal(ev.Data)
	if err != nil {
		return nil, fmt.Errorf("write context: %w", err)
	}
	return dialect.Shell(h.command, nil, context), nil
}
