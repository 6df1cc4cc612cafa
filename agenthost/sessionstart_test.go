package agenthost_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/agenthost"
)

// As the agents sent them (Copilot in both of its forms), with other names and
// places; Cursor's and goose's are from their documentation.
func TestReadSessionStart(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, payload string
		want          agenthost.SessionStart
		begins        bool
		wantErr       string
	}{
		{name: "Claude Code",
			payload: `{"session_id":"bd84","transcript_path":"/h/t.jsonl","cwd":"/ws","hook_event_name":"SessionStart","source":"startup"}`,
			want:    agenthost.SessionStart{Session: "bd84", Dir: "/ws", Source: "startup"}, begins: true},
		{name: "Codex",
			payload: `{"session_id":"01a1","transcript_path":null,"cwd":"/ws","hook_event_name":"SessionStart","model":"m","permission_mode":"default","source":"resume"}`,
			want:    agenthost.SessionStart{Session: "01a1", Dir: "/ws", Source: "resume"}, begins: true},
		{name: "Copilot", payload: `{"sessionId":"7f1c","timestamp":1795232332672,"cwd":"/ws","source":"new","initialPrompt":"hello"}`,
			want: agenthost.SessionStart{Session: "7f1c", Dir: "/ws", Source: "new"}, begins: true},
		{name: "Copilot through Claude's file",
			payload: `{"hook_event_name":"SessionStart","session_id":"7f1c","timestamp":"2026-11-21T03:38:52.672Z","cwd":"/ws","source":"new","initial_prompt":"hello"}`,
			want:    agenthost.SessionStart{Session: "7f1c", Dir: "/ws", Source: "new"}, begins: true},
		{name: "Cursor, with a BOM",
			payload: "\xef\xbb\xbf" + `{"conversation_id":"c1","workspace_roots":["/ws","/other"],"cursor_version":"2"}`,
			want:    agenthost.SessionStart{Session: "c1", Dir: "/ws"}, begins: true},
		{name: "goose", payload: `{"event":"SessionStart","session_id":"g1"}`, want: agenthost.SessionStart{Session: "g1"}, begins: true},
		{name: "cleared", payload: `{"source":"clear"}`, want: agenthost.SessionStart{Source: "clear"}},
		{name: "compacted", payload: `{"source":"compact"}`, want: agenthost.SessionStart{Source: "compact"}},
		{name: "branched", payload: `{"source":"branch"}`, want: agenthost.SessionStart{Source: "branch"}},
		{name: "other types", payload: `{"session_id":7,"cwd":["/ws"],"source":null,"workspace_roots":[1]}`, begins: true},
		{name: "two objects", payload: `{"session_id":"a"}{"session_id":"b"}`, want: agenthost.SessionStart{Session: "a"}, begins: true},
		{name: "null", payload: `null`, begins: true},
		{name: "nothing", payload: "", wantErr: "stdin is empty"},
		{name: "a BOM alone", payload: "\xef\xbb\xbf", wantErr: "stdin is empty"},
		{name: "cut off", payload: `{"session_id":`, wantErr: "ends too early"},
		{name: "no object", payload: `"text"`, wantErr: "cannot unmarshal"},
		{name: "no JSON", payload: "hello", wantErr: "invalid character"},
		{name: "endless", payload: `{"x":"` + strings.Repeat("x", 2<<20), wantErr: "ends too early, or is too large"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := agenthost.ReadSessionStart(strings.NewReader(test.payload))
			if test.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantErr) {
					t.Fatalf("ReadSessionStart() = %v, want %q", err, test.wantErr)
				}
				return
			}
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("ReadSessionStart() = %v (-want +got):\n%s", err, diff)
			}
			if got.Begins() != test.begins {
				t.Errorf("Begins() = %v, want %v", got.Begins(), test.begins)
			}
		})
	}
}

// Some agents leave their end of the pipe open.
func TestReadSessionStartDoesNotWaitForTheEnd(t *testing.T) {
	t.Parallel()
	in, out := io.Pipe()
	defer out.Close()
	go func() { _, _ = io.WriteString(out, `{"session_id":"a"}`) }()
	read := make(chan agenthost.SessionStart, 1)
	go func() {
		got, _ := agenthost.ReadSessionStart(in)
		read <- got
	}()
	select {
	case got := <-read:
		if got.Session != "a" {
			t.Errorf("ReadSessionStart() = %+v", got)
		}
	case <-time.After(time.Minute):
		t.Error("ReadSessionStart() waits for the end of the input")
	}
}

func TestStartNote(t *testing.T) {
	t.Parallel()
	const text = "look \"here\" <now>\nand \x00 there"
	for _, host := range agenthost.Hosts() {
		note := host.StartNote(text)
		switch host.Name {
		case "claude-code", "codex", "gemini-cli", "qwen-code":
			// Codex refuses keys that it does not know.
			var got map[string]string
			if err := json.Unmarshal(note, &got); err != nil {
				t.Errorf("%s: %v", host.Name, err)
			}
			if diff := cmp.Diff(map[string]string{"systemMessage": text}, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", host.Name, diff)
			}
		default:
			if note != nil {
				t.Errorf("%s: StartNote() = %s, want nothing", host.Name, note)
			}
		}
	}
}

func FuzzReadSessionStart(f *testing.F) {
	f.Add(`{"session_id":"a","cwd":"/ws","source":"startup"}`)
	f.Add("\xef\xbb\xbf{\"sessionId\":\"a\"}")
	f.Add(`[`)
	f.Fuzz(func(t *testing.T, payload string) {
		got, err := agenthost.ReadSessionStart(strings.NewReader(payload))
		if err != nil && got != (agenthost.SessionStart{}) {
			t.Errorf("ReadSessionStart(%q) = %+v with an error", payload, got)
		}
	})
}
