package expand

import (
	"slices"
	"strings"
)

// maxOddBytes is how far the brace that closes an odd ${ is looked for, so
// that many of them cost no more than their number.
const maxOddBytes = 64

// Odd finds what looks like a variable, or like none, but is not: $NAME,
// ${NAME:-x} and any other ${ stay text, $${NAME} and \${NAME} do not. Each is
// returned once, in the order of the text; a ${ without its brace near is cut.
// A dollar before anything else, as in $5 or $(date), is not odd.
func Odd(text string) []string {
	var odd []string
	for at := 0; ; {
		offset := strings.IndexByte(text[at:], '$')
		if offset < 0 {
			return odd
		}
		at += offset
		start, end := oddAt(text, at)
		if piece := text[start:end]; piece != "" && !slices.Contains(odd, piece) {
			odd = append(odd, piece)
		}
		at = max(end, at+1)
	}
}

// oddAt is where the odd piece with the dollar at an offset begins and ends.
// Where there is none it is empty, and ends where the search goes on.
func oddAt(text string, at int) (start, end int) {
	rest := text[at:]
	if name := leading(rest); name != "" {
		end = at + len("${}") + len(name)
		if at > 0 && (text[at-1] == '$' || text[at-1] == '\\') {
			return at - 1, end
		}
		return end, end
	}
	if !strings.HasPrefix(rest, "${") {
		if name := nameLength(rest[1:]); name > 0 {
			return at, at + 1 + name
		}
		return at + 1, at + 1
	}
	return at, at + unclosed(rest)
}

// unclosed is the length of what begins with ${ but is no variable: up to its
// brace, or else to the first blank.
func unclosed(text string) int {
	near := text[:min(len(text), maxOddBytes)]
	if line := strings.IndexByte(near, '\n'); line >= 0 {
		near = near[:line]
	}
	if brace := strings.IndexByte(near, '}'); brace >= 0 {
		return brace + 1
	}
	if blank := strings.IndexAny(near, " \t\r"); blank >= 0 {
		return blank
	}
	return len(strings.ToValidUTF8(near, "")) // a cut leaves no half of a character
}
