package shtemplate

import (
	"fmt"
	"path"
	"sort"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// static is a word's text where no expansion is in it, those of bash alone
// counted.
func static(word *syntax.Word) (string, bool) {
	if splitsOnBraces(word) {
		return "", false
	}
	var out strings.Builder
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			out.WriteString(strings.ReplaceAll(strings.ReplaceAll(part.Value, "\\\n", ""), `\`, ""))
		case *syntax.SglQuoted:
			if part.Dollar {
				return "", false
			}
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

// splitsOnBraces tells of a word that bash makes several of: {a,b}, {1..3}.
func splitsOnBraces(word *syntax.Word) bool {
	open := false
	for _, part := range word.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			continue
		}
		_, inside, begins := strings.Cut(lit.Value, "{")
		if open {
			inside = lit.Value
		}
		open = open || begins
		if open && (strings.Contains(inside, ",") || strings.Contains(inside, "..")) {
			return true
		}
	}
	return false
}

// splits tells of a word that may become several: what its unquoted expansions
// begin is then no longer what the word begins with.
func splits(word *syntax.Word) bool {
	for _, part := range word.Parts {
		switch part.(type) {
		case *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted:
		default:
			return true
		}
	}
	return splitsOnBraces(word)
}

// program is the base name of what a call runs, and the words after it.
// command and builtin are looked through, with their options. The name is
// empty where only the shell will know it.
func program(call *syntax.CallExpr) (name string, args []*syntax.Word) {
	args = call.Args
	for wrapped := false; len(args) > 0; wrapped = true {
		text, ok := static(args[0])
		if wrapped && ok && strings.HasPrefix(text, "-") {
			if strings.ContainsAny(text, "vV") {
				return "command -v", args[1:] // which only tells
			}
			args = args[1:]
			continue
		}
		if !ok {
			text = pathEnd(args[0])
		}
		if args = args[1:]; text == "" {
			return "", args
		}
		if name = path.Base(text); name != "command" && name != "builtin" {
			return name, args
		}
	}
	return "", nil
}

// pathEnd is what a word with expansions ends with from its last slash on.
func pathEnd(word *syntax.Word) string {
	parts := word.Parts
	for len(parts) > 0 {
		switch last := parts[len(parts)-1].(type) {
		case *syntax.Lit:
			if i := strings.LastIndex(last.Value, "/"); i >= 0 {
				return last.Value[i+1:]
			}
			return ""
		case *syntax.DblQuoted:
			parts = last.Parts
		default:
			return ""
		}
	}
	return ""
}

func index(words []*syntax.Word, node syntax.Node) int {
	for i, word := range words {
		if node == syntax.Node(word) {
			return i
		}
	}
	return -1
}

// maxArguments is what a command with a template may have as it is written: the
// time that looking at one takes grows with the others.
const maxArguments = 250

// takesOne tells of commands in which a second argument from a list would be
// an operator or an option, so that a list stays one argument.
func takesOne(call *syntax.CallExpr, child syntax.Node) bool {
	name, args := program(call)
	return name == "[" || name == "test" || name == "printf" && index(args, child) == 0
}

// refuseCall keeps a value from choosing what runs: the command itself, and in
// bash the name of a variable, whose subscript it evaluates: a[$(…)].
func (w *walker) refuseCall(call *syntax.CallExpr, child syntax.Node) string {
	word, ok := child.(*syntax.Word)
	if !ok {
		return ""
	}
	if splitsOnBraces(word) {
		return "is in a word with braces, of which bash makes several: quote them"
	}
	if len(call.Args) > maxArguments {
		return fmt.Sprintf("is in a command with more than %d arguments", maxArguments)
	}
	name, args := program(call)
	at := index(args, child)
	if at < 0 {
		return "would be the name of the command to run"
	}
	switch name {
	case "read", "unset", "getopts", "mapfile", "readarray", "wait":
		return "would be the name of a variable for " + name
	case "let":
		return "is in arithmetic"
	case "jobs", "compgen", "complete", "compopt", "bind", "enable", "fc":
		return "is an argument of " + name + ", which in bash runs or loads what it names"
	case "declare", "typeset", "local":
		return "is an argument of " + name + ", for which bash evaluates a value: declare the variable first, then assign it"
	case "export", "readonly":
		return w.refuseExport(args, word)
	case "[", "test":
		return w.refuseTest(args, at)
	case "printf":
		return w.refuseFormat(args, at)
	case "echo":
		return ""
	}
	return refuseVariable(w.assigned(word))
}

// literalStart is a word without its quotes up to its first template or
// expansion.
func (w *walker) literalStart(word *syntax.Word) string {
	start, _ := span(word)
	text := w.text(word)
	if i := strings.IndexAny(text, "$`"); i >= 0 {
		text = text[:i]
	}
	if i := w.next(start); i < len(w.found) && w.found[i].start < start+len(text) {
		text = text[:w.found[i].start-start]
	}
	if !strings.ContainsAny(text, "\\'\"") {
		return text
	}
	return strings.NewReplacer("\\\n", "", `\`, "", `'`, "", `"`, "").Replace(text)
}

// next is the index of the first template that does not begin before a place.
func (w *walker) next(start int) int {
	return sort.Search(len(w.found), func(i int) bool { return w.found[i].start >= start })
}

func (w *walker) holdsTemplate(word *syntax.Word) bool {
	start, end := span(word)
	i := w.next(start)
	return i < len(w.found) && w.found[i].end <= end
}

// refuseTest is for the operators whose operand names a variable. What stands
// before a value must be known to be none of them.
func (w *walker) refuseTest(args []*syntax.Word, at int) string {
	if splits(args[at]) {
		return "is in a word with an expansion that could be test -v: quote the word"
	}
	if at == 0 {
		return ""
	}
	before, ok := static(args[at-1])
	if !ok || before == "-v" || before == "-R" || w.holdsTemplate(args[at-1]) {
		return "would be the name of a variable for test -v"
	}
	return ""
}

// refuseFormat is for printf -v, which only bash has.
func (w *walker) refuseFormat(args []*syntax.Word, at int) string {
	format := args[0]
	start := w.literalStart(format)
	switch {
	case start == "--" && at > 0, len(args) == 1 && !splits(format):
		return ""
	case strings.HasPrefix(start, "-"):
		return "could be an option of printf, or its argument: begin with a format, as in printf '%s'"
	case start != "" && !splitsOnBraces(format):
		return ""
	case at > 0 && !splits(format) && !w.holdsTemplate(format) && strings.Contains(w.text(format), "%"):
		return "" // no option has a % in it
	}
	return "could be an option of printf, or its argument: begin with a format, as in printf '%s'"
}
