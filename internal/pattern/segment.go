package pattern

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/gobwas/glob"
)

// segment matches one name of a path. Its pieces stand between its stars; one
// piece is a segment without any.
type segment struct {
	dot    bool // it spells the dot that a name starts with
	pieces []piece
}

// newSegment compiles the tokens between two slashes.
func newSegment(tokens []token) (segment, error) {
	s := segment{dot: tokens[0].kind == literal && tokens[0].char == '.'}
	start := 0
	for i := 0; i <= len(tokens); i++ {
		if i < len(tokens) && tokens[i].kind != star {
			continue
		}
		// `**` that is not a whole segment is `*`.
		if i > start || i == 0 || i == len(tokens) {
			p, err := newPiece(tokens[start:i])
			if err != nil {
				return s, err
			}
			s.pieces = append(s.pieces, p)
		}
		start = i + 1
	}
	return s, nil
}

// match tells whether the segment stands for the whole name. Wildcards in
// front match a name that starts with a dot only where dots says so.
func (s segment) match(name string, dots bool) bool {
	if !dots && !s.dot && strings.HasPrefix(name, ".") {
		return false
	}
	last := len(s.pieces) - 1
	rest, ok := s.pieces[0].prefix(name)
	if !ok || last == 0 {
		return ok && rest == ""
	}
	if rest, ok = s.pieces[last].suffix(rest); !ok {
		return false
	}
	for _, p := range s.pieces[1:last] {
		if rest, ok = p.search(rest); !ok {
			return false
		}
	}
	return true
}

// plain tells whether the segment has no wildcards.
func (s segment) plain() bool { return len(s.pieces) == 1 && s.pieces[0].glob == nil }

// piece matches a fixed number of characters: plain ones, and in glob also
// `?` and classes.
type piece struct {
	text  string // where glob is nil
	glob  *glob.Pattern
	chars int // of those that match
	parts int // of the glob, a run of plain characters being one
}

func newPiece(tokens []token) (piece, error) {
	p := piece{chars: len(tokens)}
	var text, pattern strings.Builder
	wild := false
	for i, t := range tokens {
		switch t.kind {
		case one:
			pattern.WriteByte('?')
		case class:
			pattern.WriteString(t.class)
		default:
			text.WriteRune(t.char)
			pattern.WriteString(glob.QuoteMeta(string(t.char)))
		}
		wild = wild || t.kind != literal
		if i == 0 || t.kind != literal || tokens[i-1].kind != literal {
			p.parts++
		}
	}
	if !wild {
		p.text = text.String()
		return p, nil
	}
	// No separators: a segment has none.
	g, err := glob.Compile(pattern.String())
	if err != nil {
		return p, fmt.Errorf("compile %s: %w", quote(pattern.String()), err)
	}
	p.glob = g
	return p, nil
}

// prefix takes the piece off the front of s.
func (p piece) prefix(s string) (rest string, ok bool) {
	if p.glob == nil {
		return strings.CutPrefix(s, p.text)
	}
	end, ok := p.window(s)
	if !ok || !p.glob.Match(s[:end]) {
		return s, false
	}
	return s[end:], true
}

// suffix takes the piece off the end of s.
func (p piece) suffix(s string) (rest string, ok bool) {
	if p.glob == nil {
		return strings.CutSuffix(s, p.text)
	}
	start := len(s)
	for range p.chars {
		if start == 0 {
			return s, false
		}
		_, n := utf8.DecodeLastRuneInString(s[:start])
		start -= n
	}
	if !p.glob.Match(s[start:]) {
		return s, false
	}
	return s[:start], true
}

// search finds the first place in s where the piece fits and gives what
// follows it.
func (p piece) search(s string) (rest string, ok bool) {
	if p.glob == nil {
		_, rest, ok = strings.Cut(s, p.text)
		return rest, ok
	}
	end, ok := p.window(s)
	if !ok {
		return s, false
	}
	for start := 0; ; {
		if p.glob.Match(s[start:end]) {
			return s[end:], true
		}
		if end == len(s) {
			return s, false
		}
		_, n := utf8.DecodeRuneInString(s[start:])
		start += n
		_, n = utf8.DecodeRuneInString(s[end:])
		end += n
	}
}

// window gives where as many characters of s end as the piece has.
func (p piece) window(s string) (end int, ok bool) {
	for range p.chars {
		if end == len(s) {
			return 0, false
		}
		_, n := utf8.DecodeRuneInString(s[end:])
		end += n
	}
	return end, true
}
