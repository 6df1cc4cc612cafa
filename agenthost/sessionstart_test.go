package agenthost_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/agenthost"
)

// As the agents sent them (Copilot in both of its forms), with other names and
// places; Cursor's and goose's are from their documentation.
func noEnv(string) string { return "" }

func TestReadStart(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, payload string
		want          agenthost.Start
		begins        bool
		wantErr       string
	}{
		{name: "Claude Code",
			payload: `{"session_id":"bd84","transcript_path":"/h/t.jsonl","cwd":"/ws","hook_event_name":"SessionStart","source":"startup"}`,
			want:    agenthost.Start{Session: "bd84", Dirs: []string{"/ws"}, Source: "startup"}, begins: true},
		{name: "Codex",
			payload: `{"session_id":"01a1","transcript_path":null,"cwd":"/ws","hook_event_name":"SessionStart","model":"m","permission_mode":"default","source":"resume"}`,
			want:    agenthost.Start{Session: "01a1", Dirs: []string{"/ws"}, Source: "resume"}, begins: true},
		{name: "Copilot", payload: `{"sessionId":"7f1c","timestamp":1795232332672,"cwd":"/ws","source":"new","initialPrompt":"hello"}`,
			want: agenthost.Start{Session: "7f1c", Dirs: []string{"/ws"}, Source: "new"}, begins: true},
		{name: "Copilot through Claude's file",
			payload: `{"hook_event_name":"SessionStart","session_id":"7f1c","timestamp":"2026-11-21T03:38:52.672Z","cwd":"/ws","source":"new","initial_prompt":"hello"}`,
			want:    agenthost.Start{Session: "7f1c", Dirs: []string{"/ws"}, Source: "new"}, begins: true},
		{name: "Cursor, with a BOM",
			payload: "\xef\xbb\xbf" + `{"conversation_id":"c1","workspace_roots":["/ws","/other"],"cursor_version":"2"}`,
			want:    agenthost.Start{Session: "c1", Dirs: []string{"/ws", "/other"}}, begins: true},
		{name: "goose", payload: `{"event":"SessionStart","session_id":"g1"}`, want: agenthost.Start{Session: "g1"}, begins: true},
		{name: "cleared", payload: `{"source":"clear"}`, want: agenthost.Start{Source: "clear"}},
		{name: "compacted", payload: `{"source":"compact"}`, want: agenthost.Start{Source: "compact"}},
		{name: "branched", payload: `{"source":"branch"}`, want: agenthost.Start{Source: "branch"}},
		{name: "other types", payload: `{"session_id":7,"cwd":["/ws"],"source":null,"workspace_roots":[1]}`, begins: true},
		{name: "a relative directory", payload: `{"cwd":"ws"}`, begins: true},
		{name: "two objects", payload: `{"session_id":"a"}{"session_id":"b"}`, want: agenthost.Start{Session: "a"}, begins: true},
		{name: "null", payload: `null`, wantErr: "want one JSON object"},
		{name: "nothing", payload: "", wantErr: "stdin is empty"},
		{name: "a BOM alone", payload: "\xef\xbb\xbf", wantErr: "stdin is empty"},
		{name: "cut off", payload: `{"session_id":`, wantErr: "ends too early"},
		{name: "no object", payload: `"text"`, wantErr: "want one JSON object"},
		{name: "no JSON", payload: "hello", wantErr: "invalid character"},
		{name: "endless", payload: `{"x":"` + strings.Repeat("x", agenthost.MaxPayload+1), wantErr: "more than"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := agenthost.ReadStart(strings.NewReader(test.payload), agenthost.Host{}, noEnv)
			if test.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantErr) {
					t.Fatalf("ReadStart() = %v, want %q", err, test.wantErr)
				}
				return
			}
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("ReadStart() = %v (-want +got):\n%s", err, diff)
			}
			if got.Starts() != test.begins {
				t.Errorf("Starts() = %v, want %v", got.Starts(), test.begins)
			}
		})
	}
}

// Some agents leave their end of the pipe open.
func TestReadStartDoesNotWaitForTheEnd(t *testing.T) {
	t.Parallel()
	in, out := io.Pipe()
	defer out.Close()
	go func() { _, _ = io.WriteString(out, `{"session_id":"a"}`) }()
	read := make(chan agenthost.Start, 1)
	go func() {
		got, _ := agenthost.ReadStart(in, agenthost.Host{}, noEnv)
		read <- got
	}()
	select {
	case got := <-read:
		if got.Session != "a" {
			t.Errorf("ReadStart() = %+v", got)
		}
	case <-time.After(time.Minute):
		t.Error("ReadStart() waits for the end of the input")
	}
}

func FuzzReadStart(f *testing.F) {
	f.Add(`{"session_id":"a","cwd":"/ws","source":"startup"}`)
	f.Add("\xef\xbb\xbf{\"sessionId\":\"a\"}")
	f.Add(`[`)
	f.Fuzz(func(t *testing.T, payload string) {
		got, err := agenthost.ReadStart(strings.NewReader(payload), agenthost.Host{}, noEnv)
		if diff := cmp.Diff(agenthost.Start{}, got); err != nil && diff != "" {
			t.Errorf("ReadStart(%q) = %+v with an error", payload, got)
		}
	})
}
