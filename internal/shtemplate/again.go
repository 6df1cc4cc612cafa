package shtemplate

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// An interpreter runs text that it is given.
type interpreter struct {
	code  string // the option letters whose argument is a program
	takes string // the option letters with another argument
	first bool   // without such an option the first operand is the program
	from  int    // all operands from this one on are; 0: none
	stdin bool   // without program or file it reads one from standard input
}

func interpreterOf(name string) (interpreter, bool) {
	switch strings.TrimRight(name, "0123456789.") {
	case "sh", "bash", "dash", "ash", "ksh", "mksh", "zsh":
		return interpreter{code: "c", takes: "oO", stdin: true}, true
	case "su":
		return interpreter{code: "c", takes: "gGsw", stdin: true}, true
	case "python", "pypy":
		return interpreter{code: "c", takes: "mWX", stdin: true}, true
	case "node", "bun", "deno":
		return interpreter{code: "ep", takes: "r", stdin: true}, true
	case "perl", "ruby":
		return interpreter{code: "eE", takes: "I", stdin: true}, true
	case "php":
		return interpreter{code: "rBRE", takes: "cdz", stdin: true}, true
	case "sed":
		return interpreter{code: "e", takes: "fl", first: true}, true
	case "awk", "gawk", "mawk", "nawk":
		return interpreter{code: "e", takes: "vFf", first: true}, true
	case "ssh":
		return interpreter{takes: "BbcDEeFIiJLlmOopQRSWw", from: 2, stdin: true}, true
	case "watch":
		return interpreter{takes: "n", from: 1}, true
	}
	return interpreter{}, false
}

// runners run the command that their own arguments name.
const runners = " exec env sudo doas nohup nice time timeout xargs find setsid stdbuf ionice chroot unshare busybox parallel docker podman kubectl ssh "

// parsedAgain says who reads a template's word as a program, or obeys it,
// whatever its quotes.
func parsedAgain(call *syntax.CallExpr, child syntax.Node) string {
	name, args := program(call)
	at := index(args, child)
	if at < 0 {
		return ""
	}
	switch name {
	case "eval", "trap", "alias":
		return "is parsed again, as a command, by " + name
	case ".", "source", "exec":
		if at == 0 {
			return "says what " + name + " runs"
		}
	case "printf":
		if at == 0 {
			return "is in printf's format, where % and \\ are special: use printf '%s'"
		}
	}
	if in, ok := interpreterOf(name); ok && in.runs(args, at) {
		return "is parsed again, as a program, by " + name
	}
	if strings.Contains(runners, " "+name+" ") {
		return ranBy(args, at)
	}
	return ""
}

// ranBy looks for an interpreter among a runner's arguments.
func ranBy(args []*syntax.Word, at int) string {
	for i, arg := range args[:at] {
		text, _ := static(arg)
		if name := path.Base(text); name == "eval" {
			return "is parsed again, as a command, by eval"
		} else if in, ok := interpreterOf(name); ok && in.runs(args[i+1:], at-i-1) {
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
	operands, coded, fromStdin := 0, false, false
	for i := 0; i < len(args); i++ {
		text, ok := static(args[i])
		if !ok {
			text = leading(args[i])
		}
		option, isOption := strings.CutPrefix(text, "-")
		switch {
		case isOption && option == "" || !isOption && strings.HasPrefix(text, "+"):
		case isOption && operands == 0:
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
		default:
			operands++
			programs[i] = !coded && (in.first && operands == 1 || in.from > 0 && operands >= in.from)
		}
	}
	files := max(0, in.from-1)
	return programs, in.stdin && !coded && (fromStdin || operands <= files)
}

// option says what an option without its first hyphen is for, and whether its
// argument is in the same word.
func (in interpreter) option(option string) (kind string, own bool) {
	if long, ok := strings.CutPrefix(option, "-"); ok {
		name, _, has := strings.Cut(long, "=")
		switch name {
		case "eval", "print", "expression", "command", "run":
			return "code", has
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

// fedTo says who reads a statement's standard input as a program.
func fedTo(stmt *syntax.Stmt) string {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok {
		return ""
	}
	words := call.Args
	for i, word := range words {
		text, _ := static(word)
		if in, ok := interpreterOf(path.Base(text)); ok {
			if _, stdin := in.roles(words[i+1:]); stdin {
				return "is parsed again, as a program, by " + path.Base(text)
			}
		}
		if i == 0 && !strings.Contains(runners, " "+path.Base(text)+" ") {
			return ""
		}
	}
	return ""
}
