package shtemplate

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// evaluated are the variables that a shell expands, runs, or in bash
// calculates: none of them may get a value. Names that begin with BASH are
// more of them.
const evaluated = " ENV PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND SHELLOPTS MAILPATH " +
	"RANDOM SRANDOM SECONDS EPOCHSECONDS EPOCHREALTIME LINENO OPTIND HISTCMD UID EUID PPID " +
	"DIRSTACK FUNCNAME GROUPS PIPESTATUS COMPREPLY "

// obeyed are the variables of which a program makes a command, options or
// code to load.
const obeyed = " PATH IFS EDITOR VISUAL FCEDIT PAGER MANPAGER BROWSER LESSOPEN LESSCLOSE SHELL MAKEFLAGS RSYNC_RSH " +
	"GIT_SSH GIT_SSH_COMMAND GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_ASKPASS SSH_ASKPASS GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND " +
	"LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT NODE_OPTIONS PYTHONSTARTUP PYTHONPATH PERL5OPT PERL5LIB RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS "

func refuseVariable(name string) string {
	if name != "" && (strings.HasPrefix(name, "BASH") || strings.Contains(evaluated, " "+name+" ")) {
		return "is given to " + name + ", which a shell evaluates"
	}
	return ""
}

func warnVariable(name string) string {
	if name != "" && strings.Contains(obeyed, " "+name+" ") {
		return "is given to " + name + ", which says what runs, or how"
	}
	return ""
}

// assigned is the variable of a word NAME=…, as export and env take them, or
// -eNAME=… and --env=NAME=…, as others do.
func (w *walker) assigned(word *syntax.Word) string {
	text := w.literalStart(word)
	if strings.HasPrefix(text, "--") {
		_, text, _ = strings.Cut(text, "=")
	} else if strings.HasPrefix(text, "-") {
		text = text[min(len(text), 2):]
	}
	name, _, ok := strings.Cut(text, "=")
	if !ok {
		return ""
	}
	return strings.TrimSuffix(name, "+")
}

// refuseExport takes NAME=… only: with an option, or with one that an
// expansion hides, bash evaluates the value as that of an array.
func (w *walker) refuseExport(args []*syntax.Word, word *syntax.Word) string {
	name, _, ok := strings.Cut(w.literalStart(word), "=")
	if !ok || !isName(name) {
		return "would be the name of a variable"
	}
	for _, arg := range args {
		_, fixed := static(arg)
		start := w.literalStart(arg)
		option := strings.HasPrefix(start, "-") && start != "--"
		if option || !fixed && !strings.Contains(start, "=") {
			return "is in an export or readonly with an option, or with what could be one: give it one of its own"
		}
	}
	return refuseVariable(name)
}

func isName(text string) bool {
	return text != "" && strings.IndexFunc(text, func(c rune) bool { return c >= 0x80 || !isWord(byte(c)) }) < 0
}

// nameOf is empty for what is no NAME=… to the parser: export "A=…".
func nameOf(n *syntax.Assign) string {
	if n.Name == nil {
		return ""
	}
	return n.Name.Value
}
