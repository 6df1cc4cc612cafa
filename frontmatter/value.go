package frontmatter

import (
	"errors"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"discobot-hooks/internal/wording"
)

// scalar is one value: what a quoted one or a block stands for, else the line
// as it is.
type scalar struct {
	text   string
	quoted bool
	line   int
}

// value is what a key has: one scalar, or a list of them.
type value struct {
	scalars []scalar
	list    bool
}

// isBlock tells how a block of text begins, `|` or `>`. The expression is made
// for the few values that need it, or each start of the program would pay.
func isBlock(text string) bool {
	return (strings.HasPrefix(text, "|") || strings.HasPrefix(text, ">")) &&
		regexp.MustCompile(`^[|>]([+-]?[1-9]?|[1-9][+-])([ \t]+#.*)?$`).MatchString(text)
}

// value reads what stands behind a key. When it is not ok, a problem says so.
func (f *file) value(e entry) (v value, ok bool) {
	text := e.value
	if text == "#" || strings.HasPrefix(text, "# ") || strings.HasPrefix(text, "#\t") {
		text = ""
	}
	if isBlock(text) {
		s, err := unmarshalBlock(text, e.rest)
		return f.one(scalar{s, true, e.line}, err)
	}
	rest := significant(e.rest)
	if text == "" && len(rest) > 0 {
		return f.sequence(rest)
	}
	if len(rest) > 0 {
		f.errorf(rest[0].number, "the value of %s ends with its line %d: put all in one line, or write a list of - lines below an empty %s:", e.key, e.line, e.key)
		return v, false
	}
	if strings.HasPrefix(text, "[") {
		items, isList, err := flowItems(text)
		if err != nil {
			f.errorf(e.line, "%v", err)
			return v, false
		}
		if isList {
			return f.flow(items, e.line)
		}
	}
	s, err := newScalar(text, e.line)
	return f.one(s, err)
}

func (f *file) one(s scalar, err error) (value, bool) {
	if err == nil && strings.ContainsRune(s.text, 0) {
		err = errors.New("a NUL character cannot be used: take it out")
	}
	if err != nil {
		f.errorf(s.line, "%v", err)
	}
	return value{scalars: []scalar{s}}, err == nil
}

// sequence reads the `- item` lines below a key.
func (f *file) sequence(lines []line) (v value, ok bool) {
	v.list, ok = true, true
	for _, l := range lines {
		bare := strings.Trim(l.text, " \t")
		if !isItem(bare) {
			f.errorf(l.number, "%s is not an item of a list: start it with \"- \"", wording.Quote(bare))
			ok = false
			continue
		}
		ok = f.item(&v, strings.Trim(bare[1:], " \t"), l.number) && ok
	}
	return v, ok
}

// flow reads the items of `[a, b]`.
func (f *file) flow(items []string, number int) (v value, ok bool) {
	v.list, ok = true, true
	for _, text := range items {
		ok = f.item(&v, text, number) && ok
	}
	return v, ok
}

func (f *file) item(v *value, text string, number int) bool {
	if text == "" {
		f.errorf(number, "an empty item in a list: write a value or take it out")
		return false
	}
	s, err := newScalar(text, number)
	one, ok := f.one(s, err)
	v.scalars = append(v.scalars, one.scalars...)
	return ok
}

// newScalar reads a value of one line, trimmed.
func newScalar(text string, number int) (scalar, error) {
	s := scalar{text: text, line: number}
	switch {
	case strings.HasPrefix(text, `"`), strings.HasPrefix(text, `'`):
		end := quotedEnd(text)
		if end < 0 {
			return s, errors.New("the quote is not closed: write it a second time after the value, in the same line")
		}
		if after := strings.TrimLeft(text[end:], " \t"); after != "" && (after[0] != '#' || len(after) == len(text[end:])) {
			return s, errors.New("text after the closing quote: take it in, or quote nothing")
		}
		s.quoted = true
		if err := yaml.Unmarshal([]byte(text[:end]), &s.text); err != nil {
			return s, errors.New(`not a YAML string: in double quotes \ starts an escape, write \\ for the character itself or use single quotes`)
		}
	case len(text) > 1 && text[0] == '&' && text[1] != ' ':
		return s, errors.New("anchors (&name) are not supported: write the value itself, in quotes if it starts with &")
	case strings.HasPrefix(text, "!!"), strings.HasPrefix(text, "!<"):
		return s, errors.New("tags (!!type) are not supported: put a value that starts with !! in quotes, else write it alone")
	}
	return s, nil
}

// quotedEnd gives where the text that starts with a quote goes on after the
// closing one; -1 if there is none.
func quotedEnd(s string) int {
	quote := s[0]
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && quote == '"':
			i++
		case s[i] != quote:
		case quote == '\'' && strings.HasPrefix(s[i+1:], "'"):
			i++
		default:
			return i + 1
		}
	}
	return -1
}

// flowItems cuts a text that starts with [ into items if it is a list: a
// bracket around all of it, with a comma inside. A comma in braces, brackets
// or quotes does not cut.
func flowItems(text string) (items []string, isList bool, err error) {
	depth, start, comma := 0, 1, false
	for i := 1; i < len(text); i++ {
		switch c := text[i]; c {
		case '"', '\'':
			if strings.Trim(text[start:i], " \t") != "" {
				continue // an apostrophe
			}
			n := quotedEnd(text[i:])
			if n < 0 {
				return nil, false, errors.New("the quote in the list is not closed: write it a second time after the item")
			}
			i += n - 1
		case '\\':
			i++
		case '[', '{':
			depth++
		case '}':
			depth = max(depth-1, 0)
		case ',':
			comma = true
			if depth == 0 {
				items = append(items, strings.Trim(text[start:i], " \t"))
				start = i + 1
			}
		case ']':
			if depth > 0 {
				depth--
				continue
			}
			after := strings.TrimLeft(text[i+1:], " \t")
			if !comma || after != "" && (after[0] != '#' || len(after) == len(text[i+1:])) {
				return nil, false, nil
			}
			// A comma after the last item is fine.
			if last := strings.Trim(text[start:i], " \t"); last != "" || len(items) == 0 {
				items = append(items, last)
			}
			return items, true, nil
		}
	}
	return nil, false, nil
}

// significant leaves out blank lines and comments.
func significant(lines []line) []line {
	var out []line
	for _, l := range lines {
		if bare := strings.Trim(l.text, " \t"); bare != "" && bare[0] != '#' {
			out = append(out, l)
		}
	}
	return out
}

// unmarshalBlock reads a block of text below `|` or `>`.
func unmarshalBlock(start string, lines []line) (string, error) {
	var b strings.Builder
	b.WriteString(start + "\n")
	for _, l := range lines {
		if indentOf(l.text) == 0 && l.text != "" {
			return "", errors.New("the text below | or > must be indented")
		}
		b.WriteString(l.text + "\n")
	}
	var out string
	if err := yaml.Unmarshal([]byte(b.String()), &out); err != nil {
		return "", errors.New("not a YAML block: indent all its lines alike, with spaces")
	}
	return out, nil
}
