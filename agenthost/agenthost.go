// Package agenthost speaks the end-of-turn protocols of coding agents: it
// reads the payload that an agent writes to its hook, answers in that agent's
// own form, and registers us in its configuration.
//
// Start with [Read] and [Host.Answer]. No answer fits all agents: what one
// ignores makes another drop the hook, so each has its own.
package agenthost

import (
	"fmt"
	"slices"
	"strings"
)

// A Host is a coding agent that runs us at the end of a turn.
type Host struct {
	Name    string   // as on the command line
	Title   string   // as people call it
	Aliases []string // other names on the command line
}

// Hosts are all agents, in the order that lists show them.
func Hosts() []Host {
	return []Host{
		{Name: "claude-code", Title: "Claude Code", Aliases: []string{"claude"}},
		{Name: "codex", Title: "Codex"},
		{Name: "gemini-cli", Title: "Gemini CLI", Aliases: []string{"gemini"}},
		{Name: "qwen-code", Title: "Qwen Code", Aliases: []string{"qwen"}},
		{Name: "copilot-cli", Title: "Copilot CLI", Aliases: []string{"copilot"}},
		{Name: "cursor", Title: "Cursor"},
		{Name: "opencode", Title: "OpenCode"},
		{Name: "goose", Title: "goose"},
	}
}

// Find is the host of that name or alias.
func Find(name string) (Host, error) {
	var names []string
	for _, h := range Hosts() {
		if h.Name == name || slices.Contains(h.Aliases, name) {
			return h, nil
		}
		names = append(names, h.Name)
	}
	return Host{}, fmt.Errorf("find agent: %q is not one of %s", name, strings.Join(names, ", "))
}
