package shtemplate

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// parsedAgain says who reads a template's word as a program, or obeys it,
// whatever its quotes.
func (w *walker) parsedAgain(call *syntax.CallExpr, child syntax.Node) string {
	name, args := program(call)
	at := index(args, child)
	if at < 0 {
		return ""
	}
	switch name {
	case "":
		return "is an argument of a command whose name only the shell knows, and which may parse it again"
	case "eval", "trap":
		return "is parsed again, as a command, by " + name
	case ".", "source":
		if at == 0 {
			return "says what " + name + " runs"
		}
	case "printf":
		if at == 0 || at == 1 && w.literalStart(args[0]) == "--" {
			return "is in printf's format, where % and \\ are special: use printf '%s'"
		}
		return ""
	case "echo", "command -v":
		return ""
	}
	if in, ok := interpreterOf(name); ok && in.runs(args, at) {
		return "is parsed again, as a program, by " + name
	}
	if wraps(name) && w.first(args, at) {
		return "says what " + name + " runs"
	}
	if who := ranBy(args, at, isRunner(name)); who != "" {
		return who
	}
	return warnVariable(w.assigned(args[at]))
}

// first tells whether a wrapper's own options and NAME=… alone come before a
// word, and the template begins it.
func (w *walker) first(args []*syntax.Word, at int) bool {
	for _, arg := range args[:at] {
		start := w.literalStart(arg)
		if !strings.HasPrefix(start, "-") && !strings.Contains(start, "=") {
			return false
		}
	}
	return w.literalStart(args[at]) == ""
}

// ranBy looks for an interpreter among a command's arguments. Where it is not
// known that the command runs what they name, a plain word of text could be
// called the same: only an option for a program counts.
func ranBy(args []*syntax.Word, at int, runner bool) string {
	for i, arg := range args[:at] {
		text, ok := static(arg)
		if !ok {
			text = pathEnd(arg)
		}
		name := path.Base(text)
		in, ok := interpreterOf(name)
		switch {
		case runner && name == "eval":
			return "is parsed again, as a command, by eval"
		case ok && (runner || in.code != "" && !in.first && in.from == 0) && in.runs(args[i+1:], at-i-1):
			return "is parsed again, as a program, by " + name
		}
	}
	return ""
}

// runs tells whether the word at an index among an interpreter's arguments is
// a program, or has one in it.
func (in interpreter) runs(args []*syntax.Word, at int) bool {
	roles, _ := in.roles(args)
	return roles[at]
}

// roles tells which words are programs, and whether one is read from standard
// input.
func (in interpreter) roles(args []*syntax.Word) (programs []bool, stdin bool) {
	programs = make([]bool, len(args))
	operands, files, coded, fromStdin, vague := 0, 0, false, false, false
	for i := 0; i < len(args); i++ {
		text, ok := static(args[i])
		if !ok {
			text = leading(args[i])
		}
		option, isOption := strings.CutPrefix(text, "-")
		switch {
		case isStdin(text) && operands == 0:
			operands, fromStdin = operands+1, true
		case !isOption && strings.HasPrefix(text, "+"):
		case isOption && (operands == 0 || in.late):
			vague = strings.HasPrefix(option, "-") && !strings.Contains(option, "=")
			kind, own := in.option(option)
			switch {
			case kind == "code" && own:
				programs[i], coded = true, true
			case kind == "code" && i+1 < len(args):
				i++
				for in.code == "c" && i+1 < len(args) && strings.HasPrefix(leading(args[i]), "-") {
					i++ // sh -c -e: the program is the first operand
				}
				programs[i], coded = true, true
			case kind == "takes" && !own:
				i++
			case kind == "stdin":
				fromStdin = true
			}
		case vague: // perhaps the argument of --option
			vague = false
			files++
		default:
			operands, files = operands+1, files+1
			programs[i] = !coded && (in.first && operands == 1 || in.from > 0 && operands >= in.from)
		}
	}
	return programs, in.stdin && !coded && (fromStdin || files <= max(0, in.from-1))
}

// option says what an option without its first hyphen is for, and whether its
// argument is in the same word.
func (in interpreter) option(option string) (kind string, own bool) {
	if long, ok := strings.CutPrefix(option, "-"); ok {
		name, _, has := strings.Cut(long, "=")
		switch name {
		case "eval", "print", "expression", "command", "run", "split-string", "execute":
			return "code", has
		case "rcfile", "init-file":
			return "takes", has
		}
		return "", true
	}
	for i, c := range option {
		last := i == len(option)-1
		switch {
		case strings.ContainsRune(in.code, c):
			return "code", !last && in.code != "c"
		case strings.ContainsRune(in.takes, c):
			return "takes", !last
		case c == 's' && in.code == "c":
			return "stdin", true
		case c < 'A':
			return "", true
		}
	}
	return "", true
}

// leading is the text that a word with expansions begins with.
func leading(word *syntax.Word) string {
	for n := len(word.Parts); n > 0; n-- {
		if text, ok := static(&syntax.Word{Parts: word.Parts[:n]}); ok {
			return text
		}
	}
	return ""
}
