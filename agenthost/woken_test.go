package agenthost

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Of real transcripts, cut down to what counts.
const (
	claudeAsked  = `{"type":"user","promptId":"p1","promptSource":"sdk","message":{"content":"Please."}}`
	claudeTool   = `{"type":"user","promptId":"p1","message":{"content":[{"type":"tool_result","content":"{\"promptId\":\"p1\",\"promptSource\":\"system\"}"}]}}`
	claudeNotice = `{"type":"user","promptId":"p2","promptSource":"system","origin":{"kind":"task-notification"},"message":{"content":"done"}}`

	copilotAsked  = `{"type":"user.message","data":{"content":"Please."}}`
	copilotOurs   = `{"type":"user.message","data":{"content":"[Discobot Hook Failed] \"x\" (pattern: *)"}}`
	copilotNotice = `{"type":"system.notification","data":{"content":"done","kind":{"type":"shell_completed"}}}`
	copilotStop   = `{"type":"hook.end","data":{"hookType":"agentStop","success":true}}`
	copilotTool   = `{"type":"hook.end","data":{"hookType":"preToolUse","success":true}}`
)

func TestWhoBeganTheTurn(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, agent, payload string
		transcript           []string // nil: there is none
		woken                bool
	}{
		{"claude, the user", "claude-code", `"prompt_id":"p1"`, []string{claudeAsked, claudeTool, claudeNotice}, false},
		{"claude, a notice", "claude-code", `"prompt_id":"p2"`, []string{claudeAsked, claudeTool, claudeNotice}, true},
		{"claude, an unknown key", "claude-code", `"prompt_id":"p3"`, []string{claudeAsked, claudeNotice}, false},
		{"claude, no key", "claude-code", `"prompt_id":""`, []string{claudeNotice}, false},
		{"claude, another form", "claude-code", `"prompt_id":"p2"`, []string{`["p2"]`, "p2", `{"promptId":"p2"}`, ""}, false},
		{"claude, no transcript", "claude-code", `"prompt_id":"p2"`, nil, false},
		{"copilot, the user at first", "copilot-cli", `"stop_hook_active":false`, []string{copilotAsked}, false},
		{"copilot, the user again", "copilot-cli", `"stop_hook_active":false`, []string{copilotAsked, copilotStop, copilotAsked, copilotNotice}, false},
		{"copilot, a notice", "copilot-cli", `"stop_hook_active":false`, []string{copilotAsked, copilotStop, copilotNotice, copilotTool}, true},
		{"copilot, our message without the flag", "copilot-cli", `"stop_hook_active":false`, []string{copilotAsked, copilotStop, copilotOurs}, true},
		{"copilot, the flag", "copilot-cli", `"stop_hook_active":true`, []string{copilotAsked}, true},
		{"copilot, a transcript that is late", "copilot-cli", `"stop_hook_active":false`, []string{copilotAsked, copilotStop}, false},
		{"gemini has no notices", "gemini-cli", `"stop_hook_active":false`, []string{copilotStop, copilotNotice}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			host, err := Find(test.agent)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "transcript.jsonl")
			if test.transcript != nil {
				if err := os.WriteFile(path, []byte(strings.Join(test.transcript, "\n")+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			encoded, err := json.Marshal(path)
			if err != nil {
				t.Fatal(err)
			}
			stop := readStop(t, `{"transcript_path":`+string(encoded)+`,`+test.payload+`}`, &host, noEnv)
			if got := stop.Woken(); got != test.woken {
				t.Errorf("Woken() = %v, want %v", got, test.woken)
			}
		})
	}
}
