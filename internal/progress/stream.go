package progress

import (
	"bytes"
	"io"

	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
)

// A Stream passes on what a hook prints as it comes, line by line, made safe
// for a terminal.
type Stream struct {
	To io.Writer

	rest []byte // an unfinished line: an escape sequence may be cut in two
}

// Write passes on the lines that are complete. A line without end is passed
// on in pieces.
func (s *Stream) Write(p []byte) (int, error) {
	end := bytes.LastIndexByte(p, '\n') + 1
	if end == 0 && len(s.rest)+len(p) < maxKept {
		s.rest = append(s.rest, p...)
		return len(p), nil
	}
	if end == 0 {
		end = len(p)
	}
	_, err := io.WriteString(s.To, plaintext.Clean(string(append(s.rest, p[:end]...))))
	s.rest = append(s.rest[:0], p[end:]...)
	return len(p), err
}

// Done passes on a last line that has no end.
func (s *Stream) Done(hook.Result) {
	if len(s.rest) > 0 {
		_, _ = io.WriteString(s.To, plaintext.Clean(string(s.rest))+"\n") // nobody left to tell
	}
}
