package agenthost

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// sniff tells which agent wrote the payload. What the payload holds is proof; what the
// environment holds may be inherited, from an agent that runs another one in its shell.
func (p payload) sniff(getenv func(string) string) (host string, proven bool) {
	switch {
	case p.has("cursor_version"):
		return Cursor, true
	case p.has("stop_reason", "stopReason"):
		return CopilotCLI, true
	case p.has("turn_id"):
		return Codex, true
	case p.has("prompt_response"):
		return GeminiCLI, true
	case p.has("crons"):
		return QwenCode, true
	case p.has("session_crons"):
		return ClaudeCode, true
	case p.openCodeSession() != "":
		return OpenCode, true
	case p.has("event") && !p.has("hook_event_name"):
		return Goose, true
	}
	for _, sign := range []struct{ variable, host string }{
		{"COPILOT_CLI", CopilotCLI}, {"QWEN_PROJECT_DIR", QwenCode}, {"GEMINI_PROJECT_DIR", GeminiCLI}, {"CLAUDECODE", ClaudeCode},
	} {
		if getenv(sign.variable) != "" {
			return sign.host, false
		}
	}
	return "", false
}

// openCodeSession is the session of an event as OpenCode passes it to plugins.
func (p payload) openCodeSession() string {
	var event struct {
		Properties struct {
			SessionID any `json:"sessionID"`
		} `json:"properties"`
	}
	if json.Unmarshal(p["event"], &event) != nil {
		return ""
	}
	id, _ := event.Properties.SessionID.(string) // another type is none
	return id
}

// endsTurn are the events that end a turn of the main agent, each host's own, in
// lower case.
var endsTurn = []string{"stop", "afteragent", "agentstop", "session.idle", "session.status"}

// defers says why the agent may stop although nothing was examined, or nothing.
func (p payload) defers(host Host) string {
	name := p.text("hook_event_name")
	if name == "" {
		name = p.eventName()
	}
	lower := strings.ToLower(name)
	switch {
	// Copilot's subagents end with an agentStop, too, and with a session id of their own.
	case strings.HasPrefix(lower, "subagent") || p.text("agent_id", "parentAgentId", "parentID") != "":
		return "a subagent has ended, not the turn"
	case lower != "" && !slices.Contains(endsTurn, lower):
		return fmt.Sprintf("%q does not end a turn", name)
	case host.Name == Cursor && !slices.Contains([]string{"", "completed"}, p.text("status")):
		return fmt.Sprintf("the turn is %q, not completed", p.text("status"))
	}
	if p.tasksAtWork() {
		return "background tasks are still at work"
	}
	return ""
}

// tasksAtWork tells of background tasks that are not over. Claude Code drops those
// that are; Qwen Code keeps them in its list as completed, for good. One without a
// status is at work.
func (p payload) tasksAtWork() bool {
	var tasks []map[string]json.RawMessage
	_ = json.Unmarshal(p["background_tasks"], &tasks) // no list: no tasks; what is no object says no status
	for _, task := range tasks {
		switch string(task["status"]) {
		case "", `"running"`, `"pending"`, `"queued"`:
			return true
		}
	}
	return false
}

func (p payload) eventName() string {
	var name string
	if json.Unmarshal(p["event"], &name) == nil {
		return name
	}
	var event struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(p["event"], &event) // no object: no name
	return event.Type
}
