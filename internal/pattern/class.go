package pattern

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxClass is how many characters the ranges of a class may hold where there
// are several. gobwas/glob has either one range, of any width, or a set.
const maxClass = 256

// span is a range of characters, of one where lo is hi.
type span struct{ lo, hi rune }

var errClassOpen = errors.New(`a [ without ]: close it, or write \[ for the character itself`)

// scanClass reads a class from after its [ and gives it as gobwas/glob writes
// it, and what follows its ].
func scanClass(s string) (text, rest string, err error) {
	not := strings.HasPrefix(s, "!") || strings.HasPrefix(s, "^")
	if not {
		s = s[1:]
	}
	var spans []span
	for first := true; ; first = false {
		if s == "" {
			return "", "", errClassOpen
		}
		if s[0] == ']' && !first {
			text, err := formatClass(spans, not)
			return text, s[1:], err
		}
		if strings.HasPrefix(s, "[:") || strings.HasPrefix(s, "[.") || strings.HasPrefix(s, "[=") {
			return "", "", errors.New(`[[:…:]] classes are not supported: write the characters, as in [a-zA-Z]`)
		}
		var sp span
		if sp.lo, s, err = classChar(s); err != nil {
			return "", "", err
		}
		sp.hi = sp.lo
		if strings.HasPrefix(s, "-") && !strings.HasPrefix(s, "-]") {
			if sp.hi, s, err = classChar(s[1:]); err != nil {
				return "", "", err
			}
		}
		if sp.hi < sp.lo {
			return "", "", fmt.Errorf("the range %c-%c is the wrong way round: write %c-%c", sp.lo, sp.hi, sp.hi, sp.lo)
		}
		spans = append(spans, sp)
	}
}

// classChar reads one character of a class, which \ may escape.
func classChar(s string) (r rune, rest string, err error) {
	s = strings.TrimPrefix(s, `\`)
	if s == "" {
		return 0, "", errClassOpen
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == '/' {
		return 0, "", errors.New("a / cannot stand in […], which is one character of one name: write {a/b,c}")
	}
	return r, s[n:], nil
}

// formatClass writes a class as gobwas/glob reads it.
func formatClass(spans []span, not bool) (string, error) {
	var b strings.Builder
	b.WriteByte('[')
	if not {
		b.WriteByte('!')
	}
	// In one range nothing needs escaping, and nothing can be, but for a !
	// in front.
	if len(spans) == 1 && (not || spans[0].lo != '!') {
		fmt.Fprintf(&b, "%c-%c]", spans[0].lo, spans[0].hi)
		return b.String(), nil
	}
	hyphen := false
	var set strings.Builder
	size := 0
	for _, sp := range spans {
		if size += int(sp.hi-sp.lo) + 1; size > maxClass {
			return "", fmt.Errorf("a […] of several ranges holds at most %d characters: use one range, or {[a-b],[c-d]}", maxClass)
		}
		for r := sp.lo; r <= sp.hi; r++ {
			if r == '-' {
				hyphen = true
				continue
			}
			set.WriteByte('\\')
			set.WriteRune(r)
		}
	}
	if hyphen { // anywhere else it would make a range
		b.WriteByte('-')
	}
	b.WriteString(set.String())
	b.WriteByte(']')
	return b.String(), nil
}
