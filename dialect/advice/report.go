package advice

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"discobot-hooks/dialect"
	"discobot-hooks/internal/plaintext"
)

// What people and LLMs see of a failed command's output. The log has more.
const (
	reportLines = 50
	reportBytes = 8 << 10
)

// report is the end of what a command printed, stdout before stderr, in whole
// lines. What is left out is said above it.
func report(o dialect.Outcome) string {
	text := whole(plaintext.Clean(string(o.Stdout)))
	if o.Cut {
		text += "[more on stdout: see the log]\n"
	}
	text += whole(plaintext.Clean(string(o.Stderr)))
	shown := tail(text)
	hidden := text[:len(text)-len(shown)]
	if hidden == "" {
		return shown
	}
	return fmt.Sprintf("[%d lines, %d bytes left out: see the log]\n%s", strings.Count(hidden, "\n"), len(hidden), shown)
}

// whole ends the last line.
func whole(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// tail is the last lines that fit both limits; where not even one does, the
// end of it.
func tail(text string) string {
	start := len(text)
	for range reportLines {
		if start == 0 {
			break
		}
		previous := strings.LastIndexByte(text[:start-1], '\n') + 1
		if len(text)-previous > reportBytes {
			break
		}
		start = previous
	}
	if start == len(text) && text != "" {
		start -= reportBytes
		for !utf8.RuneStart(text[start]) {
			start++
		}
	}
	return text[start:]
}
