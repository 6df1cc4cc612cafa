package pattern

import (
	"strings"
	"unicode/utf8"
)

// byteBase plus a byte that is no part of a UTF-8 character is the character
// that stands for it: U+10FF80 to U+10FFFF, the end of a private use plane.
const byteBase = 0x10ff00

// decodable maps each byte of s that is no part of a UTF-8 character to a
// character of its own, so that a file name of any bytes is a row of
// characters, different names stay different and classes keep their order.
// The few characters that stand for bytes count as four bytes themselves.
func decodable(s string) string {
	if utf8.ValidString(s) && !strings.Contains(s, "\xf4\x8f\xbe") && !strings.Contains(s, "\xf4\x8f\xbf") {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteRune(byteBase + rune(s[0]))
		case r >= byteBase+utf8.RuneSelf:
			for i := range n {
				b.WriteRune(byteBase + rune(s[i]))
			}
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}
