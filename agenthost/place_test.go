package agenthost

import (
	"strings"
	"testing"
)

// Where each agent looks for the user's configuration; all but Cursor's and
// goose's were seen to be read by the agent.
func TestUserPaths(t *testing.T) {
	t.Parallel()
	tests := []struct{ agent, variable, value, want string }{
		{ClaudeCode, "", "", "/home/u/.claude/settings.json"},
		{ClaudeCode, "CLAUDE_CONFIG_DIR", "/x", "/x/settings.json"},
		{Codex, "", "", "/home/u/.codex/hooks.json"},
		{Codex, "CODEX_HOME", "/x", "/x/hooks.json"},
		{Codex, "CODEX_HOME", "x", "/home/u/.codex/hooks.json"},
		{GeminiCLI, "", "", "/home/u/.gemini/settings.json"},
		{GeminiCLI, "GEMINI_CLI_HOME", "/x", "/x/.gemini/settings.json"},
		{QwenCode, "", "", "/home/u/.qwen/settings.json"},
		{QwenCode, "QWEN_HOME", "/x", "/x/settings.json"},
		{CopilotCLI, "", "", "/home/u/.copilot/hooks/discobot-hooks.json"},
		{CopilotCLI, "COPILOT_HOME", "/x", "/x/hooks/discobot-hooks.json"},
		{Cursor, "", "", "/home/u/.cursor/hooks.json"},
		{OpenCode, "", "", "/home/u/.config/opencode/plugins/discobot-hooks.js"},
		{OpenCode, "XDG_CONFIG_HOME", "/x", "/x/opencode/plugins/discobot-hooks.js"},
		{Goose, "", "", "/home/u/.agents/plugins/discobot-hooks/hooks/hooks.json"},
		{Goose, "GOOSE_PATH_ROOT", "/x", "/x/.agents/plugins/discobot-hooks/hooks/hooks.json"},
	}
	for _, test := range tests {
		h, err := Find(test.agent)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Workspace: "/w", Home: "/home/u", Getenv: func(name string) string {
			if name == test.variable {
				return test.value
			}
			return ""
		}}
		if got := h.in(&o).file(true); got != test.want {
			t.Errorf("%s with %s=%s: the user's file is %s, want %s", test.agent, test.variable, test.value, got, test.want)
		}
		if got := h.in(&o).file(false); !strings.HasPrefix(got, "/w/.") {
			t.Errorf("%s: the workspace's file is %s", test.agent, got)
		}
	}
}

// A workspace that is the home has one file, which is not registered twice.
func TestWorkspaceIsHome(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	o.Home = o.Workspace
	h, _ := Find(QwenCode)
	if _, err := h.Connect(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for _, f := range h.Examine(o, o.Workspace) {
		if f.Level != OK {
			t.Errorf("Examine: %+v", f)
		}
	}
}
