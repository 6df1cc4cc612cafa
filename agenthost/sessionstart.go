package agenthost

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// A SessionStart is what an agent tells its hook where a session begins. Agents
// leave out what they do not have.
type SessionStart struct {
	Session string
	Dir     string // where the agent was started
	Source  string // how: startup, resume, clear, compact, …
}

// Begins tells whether the agent starts, or starts again: what it does within
// a session is no start. Copilot calls a first start new, and some agents do
// not say.
func (s SessionStart) Begins() bool {
	return slices.Contains([]string{"", "startup", "resume", "new"}, s.Source)
}

// maxStartBytes is far more than any agent writes at a start.
const maxStartBytes = 1 << 20

// ReadSessionStart reads the payload: one JSON object, with keys that we do not
// know. It does not wait for the end of the input, which some leave open.
func ReadSessionStart(from io.Reader) (SessionStart, error) {
	in := bufio.NewReader(io.LimitReader(from, maxStartBytes))
	if head, _ := in.Peek(len(bom)); bytes.Equal(head, bom) { // an error comes again below
		_, _ = in.Discard(len(bom))
	}
	var data map[string]any
	err := json.NewDecoder(in).Decode(&data)
	switch {
	case errors.Is(err, io.EOF):
		return SessionStart{}, errors.New("read session start: stdin is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return SessionStart{}, errors.New("read session start: stdin: the JSON object ends too early, or is too large")
	case err != nil:
		return SessionStart{}, fmt.Errorf("read session start: stdin: %w", err)
	}
	return SessionStart{
		Session: text(data, "session_id", "sessionId", "conversation_id"),
		Dir:     startDir(data),
		Source:  text(data, "source"),
	}, nil
}

// bom is what Cursor begins with on Windows.
var bom = []byte("\xef\xbb\xbf")

func startDir(data map[string]any) string {
	if dir := text(data, "cwd"); dir != "" {
		return dir
	}
	if roots, ok := data["workspace_roots"].([]any); ok && len(roots) > 0 { // Cursor's
		dir, _ := roots[0].(string)
		return dir
	}
	return ""
}

// text is the first of the keys that has a text.
func text(data map[string]any, keys ...string) string {
	for _, key := range keys {
		if value, ok := data[key].(string); ok && value != "" {
			return value
		}
	}
	return ""
}

// StartNote is what to write to stdout at a session's start so that people see
// the text; nil where the agent shows them nothing. The model sees none of it.
//
// Claude Code, Codex and Gemini CLI show a systemMessage. Qwen Code knows the
// key; 0.15.10 only logs it. Plain text would become the model's context, or
// make Codex drop the hook.
func (h Host) StartNote(text string) []byte {
	if !slices.Contains([]string{"claude-code", "codex", "gemini-cli", "qwen-code"}, h.Name) {
		return nil
	}
	note, err := json.Marshal(map[string]string{"systemMessage": text})
	if err != nil { // a text always is JSON
		return nil
	}
	return append(note, '\n')
}
