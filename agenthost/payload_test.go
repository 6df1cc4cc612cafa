package agenthost

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func noEnv(string) string { return "" }

// The recorded payloads of the real agents say what we need of a turn.
func TestReadRecordedPayloads(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file string
		want Stop
	}{
		{"claude-code/stop_stdin.json", Stop{Session: "35241b35-4163-4b24-91f9-87c43b35bb84", Key: "9fb3eb08-c7e7-4eed-8f0e-fb1b4baf23a3", Form: "snake"}},
		{"claude-code/stop_stdin_continued.json", Stop{Session: "42944b5a-f362-4389-a5c0-1a4a9c4f0c3f", Key: "9aa4740e-3dcd-4b14-bf98-8d511af3324e", Form: "snake"}},
		{"codex/stop_stdin.json", Stop{Session: "01a1f9f0-9421-7cf1-93ba-bf3be47b6613", Key: "01a1f9f0-94a1-70d2-82d6-a4ba51f5d662", Form: "snake"}},
		{"qwen-code/stop_stdin.json", Stop{Session: "44d5557c-aa98-46ed-a7ac-e9d69695ef53", Key: "44d5557c-aa98-46ed-a7ac-e9d69695ef53########0", Form: "snake"}},
		{"copilot-cli/stop_stdin.json", Stop{Session: "bd76cde9-ab2e-45e0-9fa4-97e878453162", ByUser: true, Form: "camel"}},
		{"copilot-cli/stop_stdin_continued.json", Stop{Session: "bd76cde9-ab2e-45e0-9fa4-97e878453162", Form: "camel"}},
		{"copilot-cli/stop_stdin_pascalcase.json", Stop{Session: "5e523abf-d14d-454d-b9f1-481072252c8c", ByUser: true, Form: "snake"}},
		{"cursor/stop_stdin.json", Stop{Session: "cdefee2d-2727-4b73-bf77-d9d830f31d2a", ByUser: true, Form: "snake"}},
		{"opencode/stop_stdin.json", Stop{Session: "ses_e06096a49ffeiE7x803HXro7CW", Form: "snake"}},
		{"goose/stop_stdin.json", Stop{Session: "abc-123", Form: "snake"}},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			t.Parallel()
			got := readStop(t, recorded(t, test.file), nil, noEnv)
			if want := filepath.Dir(test.file); got.Host.Name != want {
				t.Errorf("Read() host = %s, want %s", got.Host.Name, want)
			}
			if want := filepath.Dir(test.file) != Goose; (len(got.Dirs) > 0 && got.Dirs[0] == "/home/dev/project") != want {
				t.Errorf("Read() directories = %q", got.Dirs)
			}
			got.Host, got.Dirs = Host{}, nil
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(Host{}), cmpopts.IgnoreUnexported(Stop{})); diff != "" {
				t.Errorf("Read() mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// Gemini CLI has no name for a turn. The prompt stays the user's across
// re-prompts, and what the flag says depends on whether a tool was used.
func TestGeminiTurnIsItsPrompt(t *testing.T) {
	t.Parallel()
	first := readStop(t, recorded(t, "gemini-cli/stop_stdin.json"), nil, noEnv)
	again := readStop(t, recorded(t, "gemini-cli/stop_stdin_continued.json"), nil, noEnv)
	tool := readStop(t, recorded(t, "gemini-cli/stop_stdin_continued_after_tool.json"), nil, noEnv)
	if first.Key == "" || !first.KeyRepeats || first.Key != again.Key || first.Key != tool.Key {
		t.Errorf("keys %q, %q, %q: want one that repeats", first.Key, again.Key, tool.Key)
	}
}

// Agents run each other's hooks, and one runs another in its shell.
func TestHostIsToldFromThePayload(t *testing.T) {
	t.Parallel()
	env := func(names ...string) func(string) string {
		return func(name string) string {
			for _, n := range names {
				if n == name {
					return "1"
				}
			}
			return ""
		}
	}
	tests := []struct {
		name, payload, registered string
		getenv                    func(string) string
		want                      string
	}{
		{"Copilot through Claude Code's file", recorded(t, "copilot-cli/stop_stdin_pascalcase.json"), ClaudeCode, env("COPILOT_CLI"), CopilotCLI},
		{"Cursor through Claude Code's file", recorded(t, "cursor/stop_stdin.json"), ClaudeCode, noEnv, Cursor},
		{"Codex in Claude Code's shell", recorded(t, "codex/stop_stdin.json"), "", env("CLAUDECODE"), Codex},
		{"Claude Code in Copilot's shell", recorded(t, "claude-code/stop_stdin.json"), "", env("COPILOT_CLI", "CLAUDECODE"), ClaudeCode},
		{"an old Claude Code, registered", `{"session_id":"s","hook_event_name":"Stop"}`, ClaudeCode, env("QWEN_PROJECT_DIR"), ClaudeCode},
		{"an old Claude Code, by its environment", `{"session_id":"s","hook_event_name":"Stop"}`, "", env("CLAUDECODE"), ClaudeCode},
		{"an old Qwen Code, which sets Claude's variables too", `{"session_id":"s"}`, "", env("QWEN_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"), QwenCode},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var want *Host
			if test.registered != "" {
				host, err := Find(test.registered)
				if err != nil {
					t.Fatal(err)
				}
				want = &host
			}
			if got := readStop(t, test.payload, want, test.getenv); got.Host.Name != test.want {
				t.Errorf("host = %s, want %s", got.Host.Name, test.want)
			}
		})
	}
}

// A value of another type than we know is like none, and never an error.
func TestOddValuesReadAsAbsent(t *testing.T) {
	t.Parallel()
	host, err := Find(ClaudeCode)
	if err != nil {
		t.Fatal(err)
	}
	got := readStop(t, `{"session_id":7,"cwd":["/x"],"prompt_id":null,"background_tasks":"none","workspace_roots":3,"hook_event_name":{},"event":[1],"cwd2":"\u0000"}`, &host, noEnv)
	if diff := cmp.Diff(Stop{Host: host, Form: "snake"}, got, cmp.AllowUnexported(Host{}), cmpopts.IgnoreUnexported(Stop{})); diff != "" {
		t.Errorf("Read() mismatch (-want +got):\n%s", diff)
	}
}

// Whatever comes, Read answers; and what we answer is one JSON document or nothing.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.json")
	if err != nil || len(files) == 0 {
		f.Fatalf("no recorded payloads: %v", err)
	}
	for _, file := range files {
		f.Add(recorded(f, strings.TrimPrefix(file, "testdata/")), "ok")
	}
	f.Add("\xef\xbb\xbf{}", "\x00\xff")
	f.Add("\xef\xbb", "")
	f.Fuzz(func(t *testing.T, payload, message string) {
		stop, err := Read(strings.NewReader(payload), nil, noEnv)
		if err != nil {
			return
		}
		for _, dir := range stop.Dirs {
			if !filepath.IsAbs(dir) {
				t.Errorf("directory %q is not absolute", dir)
			}
		}
		for _, answer := range [][]byte{stop.Host.Answer(message, ""), stop.Host.Answer("", message)} {
			if len(answer) > 0 && !json.Valid(answer) {
				t.Errorf("answer %q is no JSON", answer)
			}
		}
	})
}

func readStop(t *testing.T, payload string, want *Host, getenv func(string) string) Stop {
	t.Helper()
	stop, err := Read(strings.NewReader(payload), want, getenv)
	if err != nil {
		t.Fatal(err)
	}
	return stop
}

func recorded(t testing.TB, file string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
