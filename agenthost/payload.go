package agenthost

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// MaxPayload bounds what is read of a payload, in bytes: the model's last
// message is in it.
const MaxPayload = 16 << 20

// A Stop is what an agent says when a turn has ended.
type Stop struct {
	Host    Host
	Session string   // the agent's own id of its session; may be empty
	Dirs    []string // absolute: where the agent works, the surest first

	// Key is the agent's name of the user's turn, the same across re-prompts; empty
	// where it has none. KeyRepeats tells that two turns of the user's can share it.
	Key        string
	KeyRepeats bool
	ByUser     bool // the user certainly began the turn that ended

	transcript string // the file with the session's transcript; may be empty
	continued  bool   // the agent says that a hook began the turn

	// Defer says why the agent may stop unexamined; empty where it may not.
	Defer string
	// Form tells apart the payloads that one agent sends to hooks of its own and
	// to those of other agents' configurations.
	Form string
}

// payload is what any of the agents may send; unknown keys are fine. A value of
// another type than we know reads as absent.
type payload struct {
	SessionID      text `json:"session_id"`
	SessionIDCamel text `json:"sessionId"`
	Conversation   text `json:"conversation_id"`

	Transcript      text `json:"transcript_path"`
	TranscriptCamel text `json:"transcriptPath"`

	Cwd            text  `json:"cwd"`
	Directory      text  `json:"directory"`
	Worktree       text  `json:"worktree"`
	WorkingDir     text  `json:"working_dir"`
	WorkspaceRoots texts `json:"workspace_roots"`

	HookEventName text            `json:"hook_event_name"`
	Event         json.RawMessage `json:"event"` // a name (goose) or an object (OpenCode)
	Status        text            `json:"status"`

	Source      text            `json:"source"` // of a session's start
	PromptID    text            `json:"prompt_id"`
	TurnID      text            `json:"turn_id"`
	Prompt      text            `json:"prompt"`
	UserMessage text            `json:"user_message"` // our own plugin's, for OpenCode
	LoopCount   json.RawMessage `json:"loop_count"`
	StopActive  json.RawMessage `json:"stop_hook_active"`

	AgentID         text            `json:"agent_id"`
	ParentAgent     text            `json:"parentAgentId"` // Copilot's, whose subagents end with agentStop, too, and a session id of their own
	ParentID        text            `json:"parentID"`
	BackgroundTasks json.RawMessage `json:"background_tasks"`

	keys map[string]json.RawMessage
}

// text is a string, or empty where the value is none.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*t = text(s)
	}
	return nil
}

type texts []string

func (t *texts) UnmarshalJSON(data []byte) error {
	var all []string
	if json.Unmarshal(data, &all) == nil {
		*t = all
	}
	return nil
}

// Read reads one payload: a JSON object, after a byte order mark if there is one
// (Cursor on Windows). It does not wait for the end of the input, which some
// agents leave open. want is the host that we are registered with, nil where
// that is to be told from the payload; what the payload proves counts more, since some agents
// run the hooks of others. getenv is asked for what agents set for their hooks.
func Read(from io.Reader, want *Host, getenv func(string) string) (Stop, error) {
	sent, err := decode(from)
	if err != nil {
		return Stop{}, fmt.Errorf("read payload: %w", err)
	}
	name, known := sent.sniff(getenv)
	if !known && want != nil {
		name = want.Name
	}
	if name == "" {
		return Stop{}, errors.New("read payload: no agent that we know sends this; name it: --agent NAME")
	}
	host, err := Find(name)
	if err != nil {
		return Stop{}, err
	}
	return sent.stop(host, getenv), nil
}

func decode(from io.Reader) (payload, error) {
	limited := &io.LimitedReader{R: skipMark(from), N: MaxPayload + 1}
	var object map[string]json.RawMessage
	var raw json.RawMessage
	err := json.NewDecoder(limited).Decode(&raw)
	switch {
	case limited.N <= 0:
		return payload{}, fmt.Errorf("more than %d bytes on stdin", MaxPayload)
	case errors.Is(err, io.EOF):
		return payload{}, errors.New("stdin is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return payload{}, errors.New("stdin: the JSON object ends too early")
	case err != nil:
		return payload{}, fmt.Errorf("stdin: %w", err)
	}
	if err := json.Unmarshal(raw, &object); err != nil || object == nil {
		return payload{}, errors.New("stdin: want one JSON object")
	}
	sent := payload{}
	if err := json.Unmarshal(raw, &sent); err != nil {
		return payload{}, fmt.Errorf("stdin: %w", err)
	}
	sent.keys = object
	return sent, nil
}

// skipMark drops UTF-8's byte order mark. It reads no byte more than it must,
// since the input may stay open behind a short object.
func skipMark(from io.Reader) io.Reader {
	const mark = "\xef\xbb\xbf"
	var start []byte
	for len(start) < len(mark) && string(start) == mark[:len(start)] {
		next := make([]byte, 1)
		if n, _ := io.ReadFull(from, next); n == 0 {
			break // the decoder meets the error again
		}
		start = append(start, next...)
	}
	if string(start) == mark {
		return from
	}
	return io.MultiReader(bytes.NewReader(start), from)
}

func (p payload) stop(host Host, getenv func(string) string) Stop {
	stop := Stop{Host: host, Session: p.session(), Form: "snake", Defer: p.defers(host)}
	if p.SessionIDCamel != "" {
		stop.Form = "camel"
	}
	stop.Dirs = p.dirs(host, getenv)
	stop.transcript = string(p.Transcript + p.TranscriptCamel)
	stop.continued = string(p.StopActive) == "true"
	p.began(&stop)
	return stop
}

// session is the agent's own id of its session, under whichever name.
func (p payload) session() string {
	return string(cmp.Or(p.SessionID, p.SessionIDCamel, p.Conversation, p.openCodeSession()))
}

// began says what the agent lets us know of who began the turn.
func (p payload) began(stop *Stop) {
	switch stop.Host.Name {
	case Codex:
		stop.Key = string(p.TurnID)
	case GeminiCLI:
		if _, sent := p.keys["prompt"]; sent { // it stays the user's, also when we re-prompt
			sum := sha256.Sum256([]byte(p.Prompt))
			stop.Key, stop.KeyRepeats = hex.EncodeToString(sum[:]), true
		}
	case CopilotCLI:
		stop.ByUser = string(p.StopActive) == "false"
	case Cursor:
		stop.ByUser = string(p.LoopCount) == "0"
	case OpenCode:
		stop.Key = string(p.UserMessage)
	default:
		stop.Key = string(p.PromptID)
	}
}

// dirs are the directories that the payload and the environment name.
func (p payload) dirs(host Host, getenv func(string) string) (dirs []string) {
	named := append([]string{string(p.Cwd), string(p.Directory), string(p.Worktree), string(p.WorkingDir)}, p.WorkspaceRoots...)
	for _, variable := range host.dirVariables {
		named = append(named, getenv(variable))
	}
	for _, dir := range named {
		if filepath.IsAbs(dir) && !strings.ContainsRune(dir, 0) {
			dirs = append(dirs, filepath.Clean(dir))
		}
	}
	return dirs
}
