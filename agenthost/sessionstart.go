package agenthost

import (
	"fmt"
	"io"
	"slices"
)

// A Start is what an agent says when a session begins. Agents leave out what
// they do not have.
type Start struct {
	Session string   // the agent's own id of its session
	Dirs    []string // as in [Stop]
	Source  string   // how it came to begin: startup, resume, clear, compact, …
}

// Starts tells whether the agent starts, or starts again: what it does within a
// session is no start. Copilot calls a first start new, and some agents do not
// say.
func (s Start) Starts() bool {
	return slices.Contains([]string{"", "startup", "resume", "new"}, s.Source)
}

// ReadStart reads what this host sends at the start of a session, as [Read] does
// at the end of a turn.
func ReadStart(from io.Reader, host Host, getenv func(string) string) (Start, error) {
	sent, err := decode(from)
	if err != nil {
		return Start{}, fmt.Errorf("read payload: %w", err)
	}
	return Start{Session: sent.session(), Dirs: sent.dirs(host, getenv), Source: sent.text("source")}, nil
}
