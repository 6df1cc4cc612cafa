package discobothooks_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// openCodeModel speaks as much of OpenAI's chat completions as OpenCode asks of a
// model. It answers each request with a few words.
type openCodeModel struct {
	url      string
	subagent bool   // begins with one
	asked    func() // runs before the answer to a re-prompt

	mu      sync.Mutex
	prompts int
	spawned int
}

type chatMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

func newOpenCodeModel(t *testing.T) *openCodeModel {
	t.Helper()
	m := &openCodeModel{}
	server := httptest.NewServer(http.HandlerFunc(m.answer))
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

func (m *openCodeModel) prompted() int { m.mu.Lock(); defer m.mu.Unlock(); return m.prompts }

func (m *openCodeModel) subagents() int { m.mu.Lock(); defer m.mu.Unlock(); return m.spawned }

func (m *openCodeModel) answer(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var request struct {
		Messages []chatMessage     `json:"messages"`
		Tools    []json.RawMessage `json:"tools"`
	}
	if json.Unmarshal(body, &request) != nil || len(request.Messages) == 0 {
		http.Error(w, "no messages", http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	last := request.Messages[len(request.Messages)-1]
	if last.Role == "user" && strings.Contains(string(last.Content), "[Discobot Hook Failed]") {
		m.prompts++
		m.asked()
	}
	delta, finish := `{"role": "assistant", "content": "Done."}`, "stop"
	if m.subagent && m.spawned == 0 && len(request.Tools) > 0 {
		m.spawned++
		delta, finish = `{"role": "assistant", "tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": {"name": "task",
			"arguments": "{\"description\": \"look\", \"prompt\": \"look around\", \"subagent_type\": \"general\"}"}}]}`, "tool_calls"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, choice := range []string{
		fmt.Sprintf(`{"index": 0, "delta": %s, "finish_reason": null}`, strings.ReplaceAll(delta, "\n", " ")),
		fmt.Sprintf(`{"index": 0, "delta": {}, "finish_reason": %q}`, finish),
	} {
		fmt.Fprintf(w, "data: {\"id\": \"c\", \"object\": \"chat.completion.chunk\", \"created\": 1, \"model\": \"mock\", \"choices\": [%s]}\n\n", choice)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}
