package loopback

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const (
	messages    = "/v1/messages"
	responsesV1 = "/v1/responses"
	completions = "/v1/chat/completions"
	generate    = "/v1beta/models/mock:generateContent"
	stream      = "/v1beta/models/mock:streamGenerateContent"
)

var conversations = []struct {
	name, path, body string
	want             Request
}{
	{
		"anthropic, told in two messages", messages,
		`{"model": "m", "tools": [{"name": "Read"}], "messages": [{"role": "user", "content": "old"}, {"role": "assistant", "content": "yes"},
			{"role": "user", "content": [{"type": "text", "text": "new"}]}, {"role": "user", "content": "and more"}]}`,
		Request{Model: "m", Tools: []string{"Read"}, News: "new\nand more"},
	},
	{
		"anthropic, after a tool", messages,
		`{"messages": [{"role": "user", "content": "old"}, {"role": "assistant", "content": [{"type": "tool_use", "name": "Read"}]},
			{"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "said"}]}]}]}`,
		Request{News: "said", Tool: true},
	},
	{
		"responses", responsesV1,
		`{"model": "m", "tools": [{"type": "function", "name": "exec_command"}, {"type": "web_search"},
			{"type": "namespace", "name": "agents", "tools": [{"name": "spawn"}]}], "input": [
			{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "old"}]},
			{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "yes"}]},
			{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "new"}]}]}`,
		Request{Model: "m", Tools: []string{"exec_command", "agents.spawn"}, News: "new"},
	},
	{
		"responses, after a tool", responsesV1,
		`{"input": [{"type": "message", "role": "user", "content": "old"}, {"type": "function_call", "name": "exec_command"},
			{"type": "function_call_output", "output": "said"}]}`,
		Request{News: "said", Tool: true},
	},
	{
		"chat", completions,
		`{"model": "m", "tools": [{"type": "function", "function": {"name": "view"}}], "messages": [{"role": "system", "content": "be good"},
			{"role": "user", "content": "old"}, {"role": "assistant", "content": null}, {"role": "user", "content": "new"}]}`,
		Request{Model: "m", Tools: []string{"view"}, News: "new"},
	},
	{
		"chat, after a tool", completions,
		`{"messages": [{"role": "assistant", "tool_calls": []}, {"role": "tool", "content": "said"}]}`,
		Request{News: "said", Tool: true},
	},
	{
		"gemini", stream,
		`{"tools": [{"functionDeclarations": [{"name": "glob"}, {"name": "read_file"}]}], "contents": [{"role": "user", "parts": [{"text": "old"}]},
			{"role": "model", "parts": [{"text": "yes"}]}, {"role": "user", "parts": [{"text": "new"}]}]}`,
		Request{Tools: []string{"glob", "read_file"}, News: "new"},
	},
	{
		"gemini, after a tool", generate,
		`{"contents": [{"role": "model", "parts": [{"functionCall": {"name": "glob"}}]},
			{"role": "user", "parts": [{"functionResponse": {"response": "said"}}]}]}`,
		Request{News: `{"response": "said"}`, Tool: true},
	},
}

func TestRequestsAreUnderstood(t *testing.T) {
	t.Parallel()
	for _, test := range conversations {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := New(func(Request) Reply { return Reply{Text: "fine"} })
			t.Cleanup(m.Close)
			if status, answer := post(m, test.path, test.body); status != http.StatusOK {
				t.Fatalf("POST %s: %d: %s", test.path, status, answer)
			}
			test.want.Path, test.want.Body = test.path, []byte(test.body)
			if diff := cmp.Diff([]Request{test.want}, m.Requests(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("Requests() mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// Each answer is JSON, whole or in events, and says what the model said.
func TestAnswersAreWellFormed(t *testing.T) {
	t.Parallel()
	text := Reply{Text: "fine"}
	tool := Reply{Tool: "look", Input: map[string]any{"at": "this"}}
	for _, path := range []string{messages, responsesV1, completions, generate, stream} {
		for _, reply := range []Reply{text, tool} {
			for _, body := range []string{`{"stream": true}`, `{}`} {
				m := New(func(Request) Reply { return reply })
				t.Cleanup(m.Close)
				status, answer := post(m, path, body)
				if status != http.StatusOK || !wellFormed(answer) {
					t.Errorf("POST %s %s: %d, not well-formed: %s", path, body, status, answer)
				}
				for _, part := range []string{reply.Text, reply.Tool, "at", "this"} {
					if (reply.Tool != "" || part == reply.Text) && !strings.Contains(answer, part) {
						t.Errorf("POST %s %s: no %q in %s", path, body, part, answer)
					}
				}
			}
		}
	}
}

// wellFormed tells of JSON, and of events with JSON, named by their type.
func wellFormed(answer string) bool {
	if json.Valid([]byte(answer)) {
		return true
	}
	for event := range strings.SplitSeq(strings.TrimSuffix(answer, "\n\n"), "\n\n") {
		lines := strings.Split(event, "\n")
		data, isData := strings.CutPrefix(lines[len(lines)-1], "data: ")
		var typed struct{ Type string }
		if data != "[DONE]" && json.Unmarshal([]byte(data), &typed) != nil {
			return false
		}
		named := len(lines) == 2 && lines[0] == "event: "+typed.Type
		if !isData || named != (typed.Type != "") {
			return false
		}
	}
	return true
}

func TestWhatIsNoConversation(t *testing.T) {
	t.Parallel()
	m := New(func(Request) Reply { panic("nobody converses") })
	t.Cleanup(m.Close)
	for _, path := range []string{"/v1/messages/count_tokens", "/v1beta/models/mock:countTokens", "/v1/elsewhere"} {
		if status, answer := post(m, path, `{}`); status != http.StatusOK || !json.Valid([]byte(answer)) {
			t.Errorf("POST %s: %d: %s", path, status, answer)
		}
	}
	if status, _ := post(m, messages, `[`); status != http.StatusBadRequest {
		t.Errorf("POST %s of half a document: %d, want %d", messages, status, http.StatusBadRequest)
	}
	if got := m.Requests(); len(got) > 0 {
		t.Errorf("Requests() = %v, want none", got)
	}
	if want, got := []string{"POST /v1/elsewhere"}, m.Strange(); !slices.Equal(got, want) {
		t.Errorf("Strange() = %q, want %q", got, want)
	}
}

func FuzzRequest(f *testing.F) {
	for _, test := range conversations {
		f.Add(test.path, test.body)
	}
	m := New(func(Request) Reply { return Reply{Text: "fine"} })
	f.Cleanup(m.Close)
	f.Fuzz(func(t *testing.T, path, body string) {
		if !strings.HasPrefix(path, "/") || strings.ContainsFunc(path, func(r rune) bool { return r <= ' ' || r > '~' || r == '%' }) {
			t.Skip("no path")
		}
		if status, answer := post(m, path, body); status == http.StatusOK && !wellFormed(answer) {
			t.Errorf("POST %s %s: not well-formed: %s", path, body, answer)
		}
	})
}

func post(m *Model, path, body string) (status int, answer string) {
	recorder := httptest.NewRecorder()
	m.ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
	return recorder.Code, recorder.Body.String()
}
