package jsonedit

import (
	"bytes"
	"slices"

	"github.com/tailscale/hujson"
)

const blanks = " \t\r\n" // JSON's white space

// Plain is the document without comments: each of their characters but line ends
// is a blank, so that all offsets stay. In standard JSON nothing changes.
func (f Format) Plain(content []byte) []byte {
	if !f.Comments {
		return content
	}
	plain := bytes.Clone(content)
	for i := 0; i < len(plain); {
		switch n := commentLen(plain[i:]); {
		case n > 0:
			for j := range plain[i : i+n] {
				if c := &plain[i+j]; *c != '\n' && *c != '\r' {
					*c = ' '
				}
			}
			i += n
		case plain[i] == '"':
			i += stringLen(plain[i:])
		default:
			i++
		}
	}
	return plain
}

// commentLen is how long the comment is that text begins with, without the line
// end that ends it; 0 where there is none, or one that nothing ends.
func commentLen(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("//")):
		if end := bytes.IndexByte(text, '\n'); end >= 0 {
			return end
		}
		return len(text)
	case bytes.HasPrefix(text, []byte("/*")):
		if end := bytes.Index(text[2:], []byte("*/")); end >= 0 {
			return end + 4
		}
	}
	return 0
}

// stringLen is how long the string is that text begins with, quotes included.
func stringLen(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// commented tells whether there is a comment in what stands between tokens.
func commented(space hujson.Extra) bool { return bytes.IndexByte(space, '/') >= 0 }

// lineOpen tells whether only a line end would end the last comment.
func lineOpen(space hujson.Extra) bool {
	for i := 0; i < len(space); i++ {
		if n := commentLen(space[i:]); n > 0 {
			if i+n == len(space) {
				return space[i+1] == '/'
			}
			i += n - 1
		}
	}
	return false
}

// commentsAround is what is around the entry's own tokens, where it has comments.
func commentsAround(c hujson.ValueTrimmed, i int) (around hujson.Extra) {
	var extras []hujson.Extra
	switch c := c.(type) {
	case *hujson.Object:
		m := c.Members[i]
		extras = []hujson.Extra{m.Name.BeforeExtra, m.Name.AfterExtra, m.Value.BeforeExtra, m.Value.AfterExtra}
	case *hujson.Array:
		extras = []hujson.Extra{c.Elements[i].BeforeExtra, c.Elements[i].AfterExtra}
	}
	for _, extra := range extras {
		if commented(extra) {
			around = join(around, extra)
		}
	}
	return around
}

// join puts comments before what is between the next tokens.
func join(comments, space hujson.Extra) hujson.Extra {
	comments = bytes.TrimRight(comments, blanks)
	if lineOpen(comments) && !bytes.HasPrefix(bytes.TrimLeft(space, " \t\r"), []byte("\n")) {
		comments = append(slices.Clip(comments), '\n')
	}
	return slices.Concat(comments, space)
}

// indentation is the white space that begins the last line of what is between
// tokens, if a line begins there.
func indentation(space hujson.Extra) (indent string, broken bool) {
	i := bytes.LastIndexByte(space, '\n')
	line := space[i+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t\r"))]), i >= 0
}
