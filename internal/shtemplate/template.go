package shtemplate

import (
	"fmt"
	"strings"
)

// A template is one {{name}} in a command.
type template struct {
	name       string
	start, end int // bytes in the command
	place      place
}

func (t template) String() string { return "{{" + t.name + "}}" }

// templates finds {{name}}, a name being ASCII letters, digits and
// underscores, and keeps those whose name is known.
func templates(command string, known func(name string) bool) []template {
	var found []template
	for i := 0; i < len(command); i++ {
		rest, ok := strings.CutPrefix(command[i:], "{{")
		if !ok {
			continue
		}
		n := 0
		for n < len(rest) && isWord(rest[n]) {
			n++
		}
		if n == 0 || !strings.HasPrefix(rest[n:], "}}") {
			continue
		}
		t := template{name: rest[:n], start: i, end: i + 2 + n + 2}
		if known(t.name) {
			found = append(found, t)
		}
		i = t.end - 1
	}
	return found
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// maxCommand is what Linux takes as one argument (MAX_ARG_STRLEN), its final
// NUL counted.
const maxCommand = 128<<10 - 1

// maxTemplates is more than a command needs; the time that finding their
// places takes grows with it.
const maxTemplates = 1000

// unreadable says why a command is not to be parsed. Carriage returns and NUL
// bytes are dropped by the parser, not by a shell.
func unreadable(command string, found []template) string {
	switch {
	case len(found) > maxTemplates:
		return fmt.Sprintf("the command holds more than %d templates", maxTemplates)
	case len(command) > maxCommand:
		return fmt.Sprintf("the command is longer than %d bytes", maxCommand)
	case strings.Contains(command, "\x00"):
		return "the command holds a NUL byte"
	case strings.Contains(command, "\r"):
		return "the command holds a carriage return, which a shell takes for text: end lines with a newline alone"
	}
	return ""
}

// mask puts into the place of each template a word of the same length made of
// the same class of characters, so that positions stay and a parser sees what
// a harmless value would be. A stand-in occurs nowhere else in the command:
// else it could end a here-document.
func mask(command string, found []template) (string, bool) {
	const fillers = "_XxQqZzJjKkVvWwYyHhGgPpMmBbUuFfLlDdCcRrTtNnSsAaIiOoEe"
	for i := range len(fillers) {
		filler := strings.Repeat(fillers[i:i+1], 2)
		if collides(command, filler, found) {
			continue
		}
		masked := []byte(command)
		for _, t := range found {
			copy(masked[t.start:], filler+t.name+filler)
		}
		return string(masked), true
	}
	return "", false
}

func collides(command, filler string, found []template) bool {
	seen := make(map[string]bool)
	for _, t := range found {
		if !seen[t.name] && strings.Contains(command, filler+t.name+filler) {
			return true
		}
		seen[t.name] = true
	}
	return false
}

// Fill puts values into a text that no shell reads, where lookup knows the
// name. What a value contains is not looked at again.
func Fill(text string, lookup func(name string) (Value, bool)) string {
	var out strings.Builder
	done := 0
	for _, t := range templates(text, func(string) bool { return true }) {
		value, ok := lookup(t.name)
		if !ok {
			continue
		}
		out.WriteString(text[done:t.start])
		if value.IsList {
			value.Text = strings.Join(value.List, " ")
		}
		out.WriteString(value.Text)
		done = t.end
	}
	out.WriteString(text[done:])
	return out.String()
}
