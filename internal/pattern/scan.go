package pattern

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// kind is what a token of a pattern stands for.
type kind byte

const (
	literal kind = iota // one character
	one                 // ?
	star                // *
	class               // [...]
	slash               // /
	open                // {
	comma               // , between braces
	shut                // }
)

// token is one element of a pattern.
type token struct {
	kind  kind
	char  rune   // of a literal
	class string // as gobwas/glob writes it
}

// scan cuts a pattern into tokens.
func scan(pattern string) ([]token, error) {
	var tokens []token
	depth := 0
	for rest := pattern; rest != ""; {
		if strings.IndexByte("@+!?*", rest[0]) >= 0 && strings.HasPrefix(rest[1:], "(") {
			return nil, extglobError(rest[0])
		}
		r, n := utf8.DecodeRuneInString(rest)
		rest = rest[n:]
		t := token{kind: literal, char: r}
		switch r {
		case '\\':
			if rest == "" {
				return nil, errors.New(`a \ stands at the end: write \\ for the character itself`)
			}
			t.char, n = utf8.DecodeRuneInString(rest)
			rest = rest[n:]
			if t.char == '/' {
				t.kind = slash
			}
		case '?':
			t.kind = one
		case '*':
			t.kind = star
		case '/':
			t.kind = slash
		case '[':
			text, after, err := scanClass(rest)
			if err != nil {
				return nil, err
			}
			t, rest = token{kind: class, class: text}, after
		case ']':
			return nil, errors.New(`a ] without [: write \] for the character itself`)
		case '{':
			t.kind = open
			depth++
		case '}':
			if depth == 0 {
				return nil, errors.New(`a } without {: write \} for the character itself`)
			}
			t.kind = shut
			depth--
		case ',':
			if depth > 0 {
				t.kind = comma
			}
		}
		tokens = append(tokens, t)
	}
	if depth > 0 {
		return nil, errors.New(`a { without }: close it, or write \{ for the character itself`)
	}
	return tokens, nil
}

// extglobError says how to do without a group of ksh's. Taking one for plain
// characters would make a hook that silently never runs.
func extglobError(c byte) error {
	hint := "write {a,b}"
	switch c {
	case '?':
		hint = "write {a,}"
	case '!':
		hint = "write a list with an item !x"
	case '*', '+':
		hint = "write *, or the repetitions as {a,aa}"
	}
	return fmt.Errorf(`%c(…) groups are not supported: %s, or \( for the character itself`, c, hint)
}
