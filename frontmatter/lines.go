package frontmatter

import (
	"strings"

	"discobot-hooks/internal/wording"
)

// entry is one key of a header, its value as written, and the lines that
// belong to it: indented ones, and `- item` ones.
type entry struct {
	key   string // empty: a line that we could not read
	line  int
	value string
	rest  []line
}

// entries cuts a header at its keys.
func (f *file) entries(lines []line) []entry {
	var out []entry
	seen := map[string]int{} // line of each key
	base := -1               // indent of the keys
	for _, l := range lines {
		bare := strings.Trim(l.text, " \t")
		indent := indentOf(l.text)
		if last := len(out) - 1; last >= 0 && (bare == "" || indent > base || isItem(bare) && indent == base) {
			out[last].rest = append(out[last].rest, l)
			continue
		}
		if bare == "" || bare[0] == '#' {
			continue
		}
		if base < 0 {
			base = indent
		}
		e := f.entry(l.number, bare)
		if first, ok := seen[e.key]; ok && e.key != "" {
			f.errorf(l.number, "%s is there already, in line %d: keep one of them", e.key, first)
			e.key = ""
		} else {
			seen[e.key] = l.number
		}
		out = append(out, e)
	}
	return out
}

// entry reads a `key: value` line.
func (f *file) entry(number int, bare string) entry {
	key, value, ok := strings.Cut(bare, ":")
	key = strings.TrimRight(key, " \t")
	e := entry{line: number, value: strings.Trim(value, " \t")}
	switch {
	case key == "<<" && ok:
		f.errorf(number, "merge keys (<<:) are not supported: write the keys themselves")
	case !ok || !isKey(key):
		f.errorf(number, "%s is not a line such as name: value", wording.Quote(bare))
	case value != "" && value[0] != ' ' && value[0] != '\t':
		f.errorf(number, "no space after the colon: write %s: %s", key, wording.Quote(value))
	default:
		e.key = key
	}
	return e
}

func indentOf(text string) int { return len(text) - len(strings.TrimLeft(text, " \t")) }

// isItem tells whether a line, without its indent, is one of a list.
func isItem(bare string) bool {
	return bare == "-" || strings.HasPrefix(bare, "- ") || strings.HasPrefix(bare, "-\t")
}

func isKey(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return s != "" && strings.ContainsRune(letters+"_", rune(s[0])) && strings.Trim(s, letters+"0123456789_.-") == ""
}
