package shtemplate

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// doubtComment is for a # in the middle of a word: in $('a'#b) the parser
// takes it for a comment, shells do not.
func (w *walker) doubtComment(c *syntax.Comment) {
	start, _ := span(c)
	before := w.masked[:start]
	if before != "" && !strings.ContainsAny(before[start-1:], " \t\n;&|()`") || strings.HasSuffix(before, "\\\n") {
		w.doubt = "is in a command with a # that only looks like a comment: quote it"
	}
}

// doubtHeredoc is for here-documents of which shells disagree where they end,
// and so what after them is a command.
func (w *walker) doubtHeredoc(r *syntax.Redirect) {
	if r.Op != syntax.Hdoc && r.Op != syntax.DashHdoc {
		return
	}
	delimiter := strings.Trim(strings.TrimPrefix(w.text(r.Word), `\`), `'"`)
	plain := strings.Trim(delimiter, "-.") != "" && strings.IndexFunc(delimiter, func(c rune) bool {
		return c >= 0x80 || !isWord(byte(c)) && c != '-' && c != '.'
	}) < 0
	switch {
	case !plain:
		w.doubt = "is in a command with a here-document whose delimiter is not a plain word"
	case r.Hdoc != nil && !w.quotedDelimiter(r) && strings.Contains(w.text(r.Hdoc), "\\\n"):
		w.doubt = `is in a command with a here-document that holds a line ending in \`
	}
}

func (w *walker) quotedDelimiter(r *syntax.Redirect) bool {
	return strings.ContainsAny(w.text(r.Word), `'"\`)
}

// doubtCall is for commands that change what the others mean: a number or a
// reference evaluates what is assigned to it, an alias may be anything.
func (w *walker) doubtCall(call *syntax.CallExpr) {
	name, args := program(call)
	switch name {
	case "alias":
		w.doubt = "is in a command that makes an alias, which may change what the rest means: use a function"
	case "declare", "typeset", "local":
		for _, arg := range args {
			_, fixed := static(arg)
			start := w.literalStart(arg)
			option := strings.HasPrefix(start, "-") || strings.HasPrefix(start, "+")
			if !fixed && !strings.Contains(start, "=") || option && strings.ContainsAny(start, "in") {
				w.doubt = "is in a command that makes a variable a number or a reference (" + name + " -i, -n), or may do so"
			}
		}
	}
}
