// Package expand replaces ${NAME} in a text that no shell reads: a URL, a
// header, a leaf of a JSON body.
//
// Start with [Expand]; [All] is the one scanner behind everything here. A name
// is a letter or underscore, then letters, digits and underscores, all ASCII
// (POSIX, XBD 3.216). Whatever else begins with a dollar stays as it is: $X,
// ${}, ${X:-y}, ${, $. There is no escape: in $${X} the first dollar is text
// and the rest a variable, and so it is in \${X}. [Odd] finds what its author
// may have meant otherwise.
//
// It quotes nothing: that a value suits its place, between the slashes of a
// URL or on one line of a header, is for the caller to see to.
package expand

import (
	"iter"
	"slices"
	"strings"
)

// A Variable is one ${NAME} in a text. Start is the offset of its dollar and
// End that behind its brace, both in bytes.
type Variable struct {
	Name       string
	Start, End int
}

// Expand puts values into the places of the variables. What a value contains
// is not looked at again. A variable for which value returns false is replaced
// by nothing, and missing names it once, in the order of the text. value is
// asked at every place.
func Expand(text string, value func(name string) (string, bool)) (expanded string, missing []string) {
	var out strings.Builder
	done := 0
	for v := range All(text) {
		out.WriteString(text[done:v.Start])
		done = v.End
		got, ok := value(v.Name)
		switch {
		case ok:
			out.WriteString(got)
		case !slices.Contains(missing, v.Name):
			missing = append(missing, v.Name)
		}
	}
	out.WriteString(text[done:])
	return out.String(), missing
}

// Names are the names of a text's variables, each once, in the order of the
// text.
func Names(text string) []string {
	var names []string
	for v := range All(text) {
		if !slices.Contains(names, v.Name) {
			names = append(names, v.Name)
		}
	}
	return names
}

// All yields the variables of a text from left to right. They never overlap.
func All(text string) iter.Seq[Variable] {
	return func(yield func(Variable) bool) {
		for at := 0; ; {
			offset := strings.IndexByte(text[at:], '$')
			if offset < 0 {
				return
			}
			at += offset
			v := Variable{Name: leading(text[at:]), Start: at}
			if v.Name == "" {
				at++
				continue
			}
			at += len("${}") + len(v.Name)
			v.End = at
			if !yield(v) {
				return
			}
		}
	}
}

// leading is the name of the variable that a text begins with, empty where it
// begins with none.
func leading(text string) string {
	rest, braced := strings.CutPrefix(text, "${")
	name := rest[:nameLength(rest)]
	if !braced || !strings.HasPrefix(rest[len(name):], "}") {
		return ""
	}
	return name
}

// nameLength is the length in bytes of the name that a text begins with.
func nameLength(text string) int {
	for i, c := range []byte(text) {
		letter := c == '_' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return i
		}
	}
	return len(text)
}
