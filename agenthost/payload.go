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
	"slices"
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

// payload is what any of the agents may send, by its keys as they are spelt;
// unknown ones are fine. A value of another type than we know reads as absent.
type payload map[string]json.RawMessage

// text is the first of these keys that has a string which is not empty.
func (p payload) text(keys ...string) string {
	for _, key := range keys {
		var s string
		if raw, ok := p[key]; ok && json.Unmarshal(raw, &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

func (p payload) texts(key string) (all []string) {
	if raw, ok := p[key]; ok && json.Unmarshal(raw, &all) != nil {
		return nil
	}
	return all
}

// is tells whether a key has this literal: true, 0.
func (p payload) is(key, literal string) bool { return string(p[key]) == literal }

func (p payload) has(keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { _, ok := p[key]; return ok })
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
	var sent payload
	err := json.NewDecoder(limited).Decode(&sent)
	var kind *json.UnmarshalTypeError
	switch {
	case limited.N <= 0:
		return nil, fmt.Errorf("more than %d bytes on stdin", MaxPayload)
	case errors.Is(err, io.EOF):
		return nil, errors.New("stdin is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("stdin: the JSON object ends too early")
	case errors.As(err, &kind), err == nil && sent == nil:
		return nil, errors.New("stdin: want one JSON object")
	case err != nil:
		return nil, fmt.Errorf("stdin: %w", err)
	}
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
	if p.text("sessionId") != "" {
		stop.Form = "camel"
	}
	stop.Dirs = p.dirs(host, getenv)
	stop.transcript = p.text("transcript_path", "transcriptPath")
	stop.continued = p.is("stop_hook_active", "true")
	p.began(&stop)
	return stop
}

// session is the agent's own id of its session, under whichever name.
func (p payload) session() string {
	return cmp.Or(p.text("session_id", "sessionId", "conversation_id"), p.openCodeSession())
}

// began says what the agent lets us know of who began the turn.
func (p payload) began(stop *Stop) {
	switch stop.Host.Name {
	case Codex:
		stop.Key = p.text("turn_id")
	case GeminiCLI:
		if p.has("prompt") { // it stays the user's, also when we re-prompt
			sum := sha256.Sum256([]byte(p.text("prompt")))
			stop.Key, stop.KeyRepeats = hex.EncodeToString(sum[:]), true
		}
	case CopilotCLI:
		stop.ByUser = p.is("stop_hook_active", "false")
	case Cursor:
		stop.ByUser = p.is("loop_count", "0")
	case OpenCode:
		stop.Key = p.text("user_message") // our own plugin's
	default:
		stop.Key = p.text("prompt_id")
	}
}

// dirs are the directories that the payload and the environment name.
func (p payload) dirs(host Host, getenv func(string) string) (dirs []string) {
	named := []string{p.text("cwd"), p.text("directory"), p.text("worktree"), p.text("working_dir")}
	named = append(named, p.texts("workspace_roots")...)
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
