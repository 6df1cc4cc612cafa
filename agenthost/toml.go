package agenthost

import (
	"bytes"
	"strconv"
	"strings"

	"discobot-hooks/internal/jsonedit"
	"discobot-hooks/internal/regular"
)

// tomlFlags are the strings and truth values of a TOML file, by their names from
// the root, each joined by a line end. It knows what Codex writes and what people
// write by hand: tables, dotted and quoted keys, one value a line. What is in
// arrays, in tables within a line and in texts of many lines is left out. A whole
// parser costs 40 kB.
type tomlFlags map[string]string

// get is the value at these names; empty: none.
func (t tomlFlags) get(names ...string) string { return t[strings.Join(names, "\n")] }

// readTOML reads a file; there is nothing in one that cannot be read.
func readTOML(path string) tomlFlags {
	content, err := regular.ReadAll(realPath(path), jsonedit.MaxBytes)
	if err != nil {
		return tomlFlags{}
	}
	return parseTOML(content)
}

func parseTOML(content []byte) tomlFlags {
	flags := tomlFlags{}
	var table []string
	var text string // the quotes that end a text of many lines, if we are in one
	for line := range bytes.Lines(content) {
		rest := strings.TrimSpace(string(line))
		if text != "" {
			if strings.Contains(rest, text) {
				text = ""
			}
			continue
		}
		if header, ok := strings.CutPrefix(rest, "["); ok {
			table, _ = tomlKey(strings.TrimPrefix(header, "["))
			if strings.HasPrefix(header, "[") {
				table = []string{"["} // one of many: none of ours
			}
			continue
		}
		key, rest := tomlKey(rest)
		value, ok := strings.CutPrefix(rest, "=")
		if !ok || key[0] == "" {
			continue
		}
		value = strings.TrimSpace(value)
		for _, quotes := range []string{`"""`, `'''`} {
			if strings.HasPrefix(value, quotes) && !strings.Contains(value[3:], quotes) {
				text = quotes
			}
		}
		if word, _ := tomlWord(value); text == "" && word != "" {
			flags[strings.Join(append(table[:len(table):len(table)], key...), "\n")] = word
		}
	}
	return flags
}

// tomlKey takes a dotted key off the text.
func tomlKey(text string) (names []string, rest string) {
	for {
		name, after := tomlWord(strings.TrimSpace(text))
		names, rest = append(names, name), strings.TrimSpace(after)
		next, dotted := strings.CutPrefix(rest, ".")
		if !dotted || name == "" {
			return names, rest
		}
		text = next
	}
}

// tomlWord takes a quoted text or a bare word off the text.
func tomlWord(text string) (word, rest string) {
	if strings.HasPrefix(text, "'") {
		word, rest, _ = strings.Cut(text[1:], "'")
		return word, rest
	}
	if quoted, err := strconv.QuotedPrefix(text); err == nil && text[0] == '"' {
		word, _ = strconv.Unquote(quoted) // TOML's escapes are Go's
		return word, text[len(quoted):]
	}
	end := strings.IndexFunc(text, func(r rune) bool {
		return !strings.ContainsRune("-_", r) && !('a' <= r|0x20 && r|0x20 <= 'z') && !('0' <= r && r <= '9')
	})
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:]
}
