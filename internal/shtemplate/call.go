package shtemplate

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// static is a word's text where no expansion is in it.
func static(word *syntax.Word) (string, bool) {
	var out strings.Builder
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			out.WriteString(strings.ReplaceAll(part.Value, `\`, ""))
		case *syntax.SglQuoted:
			out.WriteString(part.Value)
		case *syntax.DblQuoted:
			inner, ok := static(&syntax.Word{Parts: part.Parts})
			if !ok {
				return "", false
			}
			out.WriteString(inner)
		default:
			return "", false
		}
	}
	return out.String(), true
}

// program is the base name of what a call runs, and the words after it;
// command and builtin are looked through.
func program(call *syntax.CallExpr) (name string, args []*syntax.Word) {
	args = call.Args
	for len(args) > 0 {
		text, _ := static(args[0])
		name, args = path.Base(text), args[1:]
		if name != "command" && name != "builtin" {
			return name, args
		}
	}
	return "", nil
}

func index(words []*syntax.Word, node syntax.Node) int {
	for i, word := range words {
		if node == syntax.Node(word) {
			return i
		}
	}
	return -1
}

// takesOne tells of commands in which a second argument from a list would be
// an operator or an option, so that a list stays one argument.
func takesOne(call *syntax.CallExpr, child syntax.Node) bool {
	name, args := program(call)
	return name == "[" || name == "test" || name == "printf" && index(args, child) == 0
}

// refuseCall keeps a value from choosing what runs: the command itself, and in
// bash the name of a variable, whose subscript it evaluates: a[$(…)].
func (w *walker) refuseCall(call *syntax.CallExpr, child syntax.Node) string {
	if len(call.Args) > 0 && child == syntax.Node(call.Args[0]) {
		return "would be the name of the command to run"
	}
	name, args := program(call)
	at := index(args, child)
	if at < 0 {
		return ""
	}
	switch name {
	case "read", "unset", "getopts", "mapfile", "readarray":
		return "would be the name of a variable for " + name
	case "export", "readonly", "local", "declare", "typeset":
		return w.refuseDeclaration(args, args[at])
	case "[", "test":
		return w.refuseTest(args, at)
	case "printf":
		return w.refuseFormat(args, at)
	}
	return ""
}

func (w *walker) refuseDeclaration(args []*syntax.Word, word *syntax.Word) string {
	if !strings.Contains(w.literalStart(word), "=") {
		return "would be the name of a variable"
	}
	for _, arg := range args {
		if text, ok := static(arg); ok && strings.HasPrefix(text, "-") && strings.ContainsAny(text, "in") {
			return "is given to a variable that is a number or a reference (-i, -n)"
		}
	}
	return ""
}

// literalStart is the source of a word up to its first template or expansion.
func (w *walker) literalStart(word *syntax.Word) string {
	start, _ := span(word)
	text := w.text(word)
	if i := strings.IndexAny(text, "$`"); i >= 0 {
		text = text[:i]
	}
	for _, t := range w.found {
		if t.start >= start && t.start < start+len(text) {
			text = text[:t.start-start]
		}
	}
	return text
}

func (w *walker) holdsTemplate(word *syntax.Word) bool {
	start, end := span(word)
	for _, t := range w.found {
		if start <= t.start && t.end <= end {
			return true
		}
	}
	return false
}

func (w *walker) refuseTest(args []*syntax.Word, at int) string {
	if at == 0 {
		return ""
	}
	before, _ := static(args[at-1])
	if before == "-v" || before == "-R" || w.holdsTemplate(args[at-1]) {
		return "would be the name of a variable for test -v"
	}
	return ""
}

func (w *walker) refuseFormat(args []*syntax.Word, at int) string {
	if at == 1 {
		if option, _ := static(args[0]); option == "-v" {
			return "would be the name of a variable for printf -v"
		}
	}
	start := strings.Trim(w.literalStart(args[at]), `'"`)
	if at == 0 && len(args) > 1 && (start == "" || start[0] == '-') {
		return "could be an option of printf: begin with a format, as in printf '%s'"
	}
	return ""
}
