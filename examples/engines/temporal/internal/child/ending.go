package child

import (
	"fmt"
	"strings"
	"unicode"
)

// Ending is how a child's engine ended. The zero value is a success without
// output.
type Ending struct {
	Exit    int    `json:"exit"`              // -1 when a signal ended it
	Signal  string `json:"signal,omitempty"`  // the signal's name
	Output  []byte `json:"output,omitempty"`  // output.json, byte by byte; nil when there is none
	Problem string `json:"problem,omitempty"` // why the output cannot be used
	Said    string `json:"said,omitempty"`    // the end of what it wrote to stdout and stderr
}

// Failure says in a line why the child did not succeed, and is empty when it
// did.
func (e Ending) Failure() string {
	switch {
	case e.Signal != "":
		return "engine ended by signal: " + e.Signal
	case e.Exit != 0 && e.Said != "":
		return fmt.Sprintf("engine: exit %d: %s", e.Exit, lastLine(e.Said))
	case e.Exit != 0:
		return fmt.Sprintf("engine: exit %d", e.Exit)
	}
	return e.Problem
}

// maxLine is how many bytes of a foreign line a message has.
const maxLine = 300

func lastLine(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := len(lines) - 1; i >= 0; i-- {
		if line := strings.TrimSpace(Plain(lines[i])); line != "" {
			return strings.ToValidUTF8(line[:min(len(line), maxLine)], "")
		}
	}
	return "it said nothing that can be shown"
}

// Plain is text of somebody else's that can be shown on a terminal: control
// and format characters, with which it could rewrite other lines, and bytes
// that are no text are spaces; newlines and tabs stay.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == unicode.ReplacementChar || !unicode.IsPrint(r):
			return ' '
		}
		return r
	}, text)
}
