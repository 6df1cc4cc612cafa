package engine

import (
	"encoding/json"
	"io"
	"strings"
	"sync"

	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/variables"
)

const (
	// maxOutputBytes is what is kept of an iteration's output, in the form
	// that output.json has.
	maxOutputBytes = 1 << 20

	// maxStageBytes is what is kept of a stage's outputs together: a stage may
	// have any number of iterations.
	maxStageBytes = 8 << 20
)

// kept is the beginning of a stream.
type kept struct {
	bytes []byte
	cut   bool
}

func (k *kept) Write(p []byte) (int, error) {
	room := maxOutputBytes - len(k.bytes)
	k.cut = k.cut || room < len(p)
	k.bytes = append(k.bytes, p[:min(room, len(p))]...)
	return len(p), nil
}

// tail is the end of a stream.
type tail struct{ bytes []byte }

const maxTailBytes = 4096

func (t *tail) Write(p []byte) (int, error) {
	t.bytes = append(t.bytes, p...)
	t.bytes = t.bytes[max(0, len(t.bytes)-maxTailBytes):]
	return len(p), nil
}

// line is the last line, for a message; empty where there is none.
func (t *tail) line() string {
	lines := strings.Split(strings.TrimSpace(plaintext.Clean(string(t.bytes))), "\n")
	runes := []rune(plaintext.Line(lines[len(lines)-1]))
	return string(runes[:min(len(runes), 200)])
}

// json is the output as JSON: as it is, or as a string without its last
// newline. What was cut is text, whatever it looks like.
func (k *kept) json() json.RawMessage {
	if !k.cut && json.Valid(k.bytes) {
		return k.bytes
	}
	text := strings.ToValidUTF8(strings.TrimSuffix(string(k.bytes), "\n"), "\uFFFD")
	quoted := variables.JSON(text)
	for len(quoted) > maxOutputBytes { // as much of the text as its share of the quoted one, until that fits
		k.cut = true
		text = strings.ToValidUTF8(text[:len(text)*maxOutputBytes/len(quoted)], "")
		quoted = variables.JSON(text)
	}
	return quoted
}

// outputs are those of a stage, from the first.
type outputs struct {
	items []json.RawMessage
	bytes int
}

// add takes in one more; the oldest go once all are too many. It tells whether
// some did.
func (o *outputs) add(item json.RawMessage) (dropped bool) {
	o.items = append(o.items, item)
	o.bytes += len(item)
	for o.bytes > maxStageBytes {
		o.bytes -= len(o.items[0])
		o.items, dropped = o.items[1:], true
	}
	return dropped
}

// json is a JSON array of them.
func (o *outputs) json() string {
	if len(o.items) == 0 {
		return "[]"
	}
	return string(variables.JSON(o.items))
}

// sink gets both streams of a command, for the log and for people. What goes
// wrong with the log is told once the command has ended: it must not die of it.
type sink struct {
	mu     sync.Mutex
	log    io.Writer
	people io.Writer
	err    error // of the log
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		_, s.err = s.log.Write(p)
	}
	_, _ = s.people.Write(p) // they may have closed the terminal
	return len(p), nil
}
