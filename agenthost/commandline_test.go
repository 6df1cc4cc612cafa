package agenthost

import "testing"

func TestCommandKind(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line  string
		want  int
		agent string
	}{
		{"discobot-hooks eval-turn --agent codex", ours, "codex"},
		{" discobot-hooks  eval-turn --agent=codex --timeout=5m0s --background\n", ours, "codex"},
		{"/usr/local/bin/discobot-hooks eval-turn", ours, ""},
		{`"$CLAUDE_PROJECT_DIR"/bin/discobot-hooks eval-turn`, ours, ""},
		{`"/opt/my tools/discobot-hooks" eval-turn --timeout 90s`, ours, ""},
		{`'/opt/my tools/discobot-hooks' eval-turn`, ours, ""},
		{`C:\bin\discobot-hooks.exe eval-turn`, ours, ""},
		{"discobot-hooks eval-turn --agent gemini-cli || exit 1", ours, "gemini-cli"},

		// Each of these does more than ours, or does it in somebody's own way.
		{`"$HOME/go/bin/discobot-hooks" --dir "$CLAUDE_PROJECT_DIR" eval-turn`, compound, ""},
		{"discobot-hooks --dir /srv/x eval-turn --agent claude-code --session abc", compound, "claude-code"},
		{"discobot-hooks eval-turn --keep-going", compound, ""},
		{"discobot-hooks eval-turn --agent", compound, ""},
		{"discobot-hooks eval-turn --background=false", compound, ""},
		{`discobot-hooks eval-turn --agent "$AGENT"`, compound, "$AGENT"},
		{`discobot-hooks eval-turn --agent "codex"`, compound, "codex"},
		{"env A=b discobot-hooks eval-turn", compound, ""},
		{"direnv exec . discobot-hooks eval-turn --agent claude-code", compound, "claude-code"},
		{"PATH=/opt/bin:$PATH discobot-hooks eval-turn --agent claude-code", compound, "claude-code"},
		{"A=/bin/discobot-hooks discobot-hooks eval-turn", compound, ""},
		{"sh -c 'discobot-hooks eval-turn --agent claude-code'", compound, "claude-code"},
		{"command -v discobot-hooks >/dev/null 2>&1 && discobot-hooks eval-turn --agent codex", compound, "codex"},
		{"my-tool --agent x; discobot-hooks eval-turn", compound, ""},
		{"discobot-hooks eval-turn || true", compound, ""},
		{"discobot-hooks eval-turn; say done", compound, ""},
		{"discobot-hooks eval-turn>/tmp/log", compound, ""},
		{"(discobot-hooks eval-turn)", compound, ""},
		{"echo hello | discobot-hooks eval-turn", compound, ""},
		{"cd sub && discobot-hooks eval-turn", compound, ""},
		{"discobot-hooks eval-turn\nnotify-send done", compound, ""},

		// These only speak of us, or run another command of ours.
		{"discobot-hooks\neval-turn", foreign, ""},
		{"discobot-hooks session --agent codex", foreign, ""},
		{"discobot-hooks run eval-turn", foreign, ""},
		{"discobot-hooks run eval-turn; discobot-hooks status", foreign, ""},
		{"discobot-hooks-wrapper eval-turn", foreign, ""},
		{"eval-turn discobot-hooks", foreign, ""},
		{"echo discobot-hooks", foreign, ""},
		{"echo discobot-hooks eval-turn --agent claude-code", foreign, ""},
		{"logger -t discobot-hooks eval-turn over", foreign, ""},
		{"# discobot-hooks eval-turn", foreign, ""},
		{"", foreign, ""},
	}
	for _, test := range tests {
		if got, agent := commandKind(test.line, evalTurn); got != test.want || agent != test.agent {
			t.Errorf("commandKind(%q) = %d, %q; want %d, %q", test.line, got, agent, test.want, test.agent)
		}
	}
}

// An entry has its command under more than one key, and arguments beside it.
func TestEntryKind(t *testing.T) {
	t.Parallel()
	tests := []struct {
		agent, object string
		want          int
	}{
		{ClaudeCode, `{"command": "discobot-hooks", "args": ["eval-turn", "--agent", "claude-code"]}`, ours},
		{ClaudeCode, `{"command": "discobot-hooks", "args": ["eval-turn --agent claude-code"]}`, compound},
		{ClaudeCode, `{"command": "discobot-hooks", "args": ["eval-turn", 7]}`, compound},
		{ClaudeCode, `{"command": "discobot-hooks", "args": ["run", "eval-turn"]}`, foreign},
		{ClaudeCode, `{"command": "logger", "args": ["discobot-hooks", "eval-turn"]}`, foreign},
		{CopilotCLI, `{"bash": "discobot-hooks eval-turn", "powershell": "discobot-hooks eval-turn"}`, ours},
		{CopilotCLI, `{"bash": "discobot-hooks eval-turn"}`, ours},
		{CopilotCLI, `{"bash": "discobot-hooks eval-turn", "powershell": "notify.ps1"}`, compound},
		{CopilotCLI, `{"bash": "notify", "powershell": "discobot-hooks eval-turn"}`, compound},
	}
	for _, test := range tests {
		got := registrationOf(test.agent).entryAt(nil, []byte(test.object), evalTurn)
		if len(got) != 1 || got[0].kind != test.want {
			t.Errorf("%s: entryAt(%s) = %+v, want kind %d", test.agent, test.object, got, test.want)
		}
	}
}
