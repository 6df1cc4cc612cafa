// Package plaintext makes foreign bytes safe to show to a terminal or a
// model: nothing in them moves a cursor, sets a clipboard, hides text or
// changes its direction.
package plaintext

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	escape = 0x1b
	csi    = 0x9b // as a C1 character: ESC [
)

// Clean keeps text, newlines and tabs. Escape sequences go as a whole
// (ECMA-48), other control characters one by one, and bytes that are not
// UTF-8 become U+FFFD.
func Clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	var out strings.Builder
	out.Grow(len(s))
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if n := sequence(s); n > 0 {
			s = s[n:]
			continue
		}
		if !dropped(r) {
			out.WriteRune(r)
		}
		s = s[size:]
	}
	return out.String()
}

// Line is Clean for what must stay on one line, such as a name.
func Line(s string) string {
	return strings.Join(strings.Fields(Clean(s)), " ")
}

// Path shows a file name truthfully: as it is, or quoted as Go and C would
// where it holds what Clean would change.
func Path(s string) string {
	if Clean(s) == s && !strings.ContainsAny(s, "\n\t") {
		return s
	}
	return strconv.Quote(s)
}

// dropped are C0 but for newline and tab, DEL, C1, and the format characters
// (Unicode, Cf): they reorder text, which makes code read other than it runs,
// or hide in it. The two joiners that scripts and emoji need stay.
func dropped(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r < 0x20, r >= 0x7f && r <= 0x9f:
		return true
	case r == 0x200c, r == 0x200d:
		return false
	}
	return unicode.Is(unicode.Cf, r)
}

// sequence is the length of the escape sequence that s begins with, or 0.
func sequence(s string) int {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == csi:
		return size + controlSequence(s[size:])
	case r == 0x90 || r == 0x98 || r >= 0x9d && r <= 0x9f: // DCS, SOS, OSC, PM, APC
		return size + controlString(s[size:])
	case r != escape || len(s) < 2:
		return 0
	}
	switch s[1] {
	case '[':
		return 2 + controlSequence(s[2:])
	case ']', 'P', 'X', '^', '_':
		return 2 + controlString(s[2:])
	}
	n := 1
	for n < len(s) && s[n] >= 0x20 && s[n] <= 0x2f {
		n++
	}
	if n < len(s) && s[n] >= 0x30 && s[n] <= 0x7e {
		return n + 1
	}
	return n
}

// controlSequence is the length of parameters, intermediates and final byte.
func controlSequence(s string) int {
	n := 0
	for n < len(s) && s[n] >= 0x20 && s[n] <= 0x3f {
		n++
	}
	if n < len(s) && s[n] >= 0x40 && s[n] <= 0x7e {
		n++
	}
	return n
}

// controlString is the length up to and with the terminator. One that never
// comes must not hide the rest of the output, so the line's end ends it too.
func controlString(s string) int {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\n':
			return i
		case s[i] == 0x07:
			return i + 1
		case s[i] == escape && i+1 < len(s) && s[i+1] == '\\':
			return i + 2
		case strings.HasPrefix(s[i:], "\u009c"):
			return i + len("\u009c")
		}
	}
	return len(s)
}
