// Package agenthost speaks the end-of-turn protocols of coding agents: it
// reads the payload that an agent writes to its hook, answers in that agent's
// own form, and registers us in its configuration.
//
// Start with [Read] and [Host.Answer]. No answer fits all agents: what one
// ignores makes another drop the hook, so each has its own. [Host.Connect] writes
// the configuration, [Host.Examine] says what keeps an agent from running us; what
// they know of each agent is in registrationOf.
package agenthost

import (
	"fmt"
	"slices"
	"strings"
)

// The agents' names on the command line.
const (
	ClaudeCode = "claude-code"
	Codex      = "codex"
	GeminiCLI  = "gemini-cli"
	QwenCode   = "qwen-code"
	CopilotCLI = "copilot-cli"
	Cursor     = "cursor"
	OpenCode   = "opencode"
	Goose      = "goose"
)

// A Host is a coding agent that runs us at the end of a turn.
type Host struct {
	Name    string   // as on the command line
	Title   string   // as people call it
	Aliases []string // other names on the command line
	// MaxMessage is how long a re-prompt may be, in bytes, before the host cuts it
	// or puts it into a file.
	MaxMessage int
	// Background tells that it can run us without waiting, and be woken by exit
	// code 2, or that it never waits.
	Background bool

	dirVariables []string // what it sets to its project's directory, for hooks
	blockWord    string   // the decision that sends the model back to work
	showsNotes   bool     // it shows people a systemMessage
}

const (
	// codexMessage keeps below 2,500 tokens, which Codex takes for 4 bytes each:
	// the model gets a file's name instead of what is longer.
	codexMessage = 8_000
	// plainMessage keeps the whole answer below Claude Code's 50,000 characters,
	// whatever JSON makes of its quotes and line ends. No other host has a limit that is known.
	plainMessage = 24_000
)

// Hosts are all agents, in the order that lists show them.
func Hosts() []Host {
	return []Host{
		{ClaudeCode, "Claude Code", []string{"claude"}, plainMessage, true, []string{"CLAUDE_PROJECT_DIR"}, "block", true},
		{Codex, "Codex", nil, codexMessage, false, nil, "block", true},
		{GeminiCLI, "Gemini CLI", []string{"gemini"}, plainMessage, false, []string{"GEMINI_PROJECT_DIR"}, "deny", true},
		{QwenCode, "Qwen Code", []string{"qwen"}, plainMessage, false, []string{"QWEN_PROJECT_DIR"}, "block", true},
		{CopilotCLI, "Copilot CLI", []string{"copilot"}, plainMessage, false, []string{"COPILOT_PROJECT_DIR"}, "block", false},
		{Cursor, "Cursor", nil, plainMessage, false, []string{"CURSOR_PROJECT_DIR"}, "", false},
		{OpenCode, "OpenCode", nil, plainMessage, true, nil, "block", true},
		{Goose, "goose", nil, plainMessage, false, nil, "block", false},
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
