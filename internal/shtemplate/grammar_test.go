package shtemplate

import (
	"fmt"
	"strings"
)

// A grammar makes commands out of bytes: only printf, echo, true, :, export
// and cat of a here-document, so that they can be run. It knows the place of each
// template, and writes beside the command what Rewrite must make of it.
type grammar struct {
	bytes     []byte
	left      int // statements
	documents int
	inside    int // here-documents
	backquote bool
	oneField  bool // without an expansion outside of quotes
	command   strings.Builder
	want      strings.Builder
}

func generate(bytes []byte) (command, want string) {
	g := &grammar{bytes: bytes, left: 12}
	for range 1 + g.choose(3) {
		g.statement(3)
	}
	return g.command.String(), g.want.String()
}

func (g *grammar) choose(n int) int {
	if len(g.bytes) == 0 {
		return 0
	}
	c := int(g.bytes[0])
	g.bytes = g.bytes[1:]
	return c % n
}

func (g *grammar) text(parts ...string) {
	for _, part := range parts {
		g.command.WriteString(part)
		g.want.WriteString(part)
	}
}

func (g *grammar) template(ref string) {
	g.command.WriteString("{{x}}")
	g.want.WriteString(ref)
}

func (g *grammar) pick(texts ...string) { g.text(texts[g.choose(len(texts))]) }

// statement ends with a newline.
func (g *grammar) statement(depth int) {
	g.left--
	if depth == 0 || g.left <= 0 {
		g.text("printf '%s,' ")
		g.template(`"${HOOK_T0}"`)
		g.text("\n")
		return
	}
	inner := func() { g.statement(depth - 1) }
	switch g.choose(15) {
	case 0:
		g.pick("", "command ", "command -p ", "command -- ")
		g.pick("printf '%s,'", "printf -- '%s,'")
		g.words(depth)
		g.text("\n")
	case 1:
		g.pick("", "command -p -- ")
		g.text("echo")
		g.words(depth)
		g.text("\n")
	case 2:
		g.text("v=")
		g.word(depth)
		g.text("; printf '%s,' \"$v\"\n")
	case 3:
		g.document(depth)
	case 4:
		g.text("for v in")
		g.words(depth)
		g.text("; do printf '%s,' \"$v\"\n")
		inner()
		g.text("done\n")
	case 5:
		g.text("case ")
		g.word(depth)
		g.pick(" in\n", " in\n(")
		g.word(depth)
		g.text(")\n")
		inner()
		g.text(";;\n*)\n")
		inner()
		g.text(";;\nesac\n")
	case 6:
		g.text("if true; then\n")
		inner()
		g.pick("fi\n", "else :; fi # it's a comment\n")
	case 7:
		g.text("{\n")
		inner()
		g.text("} | cat\n")
	case 8:
		g.text(" (\n") // $(( would be arithmetic
		inner()
		g.pick(")\n", ") 2>&1\n")
	case 9:
		g.text("f() {\n")
		inner()
		g.text("}\nf\n")
	case 10:
		g.text("[ ")
		g.oneField = true
		g.word(depth)
		g.oneField = false
		g.text(" = a ] || printf no\n")
	case 11:
		g.text("v=")
		g.word(depth)
		g.text(" printf '%s,'")
		g.words(depth)
		g.pick("\n", " # \" '\n", " &&\n:\n", " | cat\n")
	case 12:
		g.text("true &&")
		g.space()
		inner()
	case 13:
		g.pick("export v=", "command export v=", "export -- v=", "w=1; export w v=")
		g.word(depth)
		g.text("; printf '%s,' \"$v\"\n")
	case 14:
		g.pick("f() { local v; v=", "f() { v=")
		g.word(depth)
		g.text("; printf '%s,' \"$v\"\n}; f\n")
	}
}

func (g *grammar) words(depth int) {
	for range 1 + g.choose(3) {
		g.space()
		g.word(depth)
	}
}

// space leaves out what Rewrite does not take in a here-document.
func (g *grammar) space() {
	if g.inside > 0 {
		g.pick(" ", "\t")
		return
	}
	g.pick(" ", " \\\n", "\t")
}

func (g *grammar) word(depth int) {
	g.text("a")
	for range 1 + g.choose(3) {
		switch g.choose(6) {
		case 0:
			g.template(`"${HOOK_T0}"`)
		case 1:
			g.text(`"`)
			g.quoted(depth, false)
			g.text(`"`)
		case 2:
			g.single()
		case 3:
			g.unquoted(depth)
		case 4:
			if g.oneField {
				g.pick("b", "-", "=", "~", "/", "{", "}", "*", "!")
				continue
			}
			g.pick("b", "-", "=", "~", "/", "é", "$v-", "${v:-a}", "{", "}", "*", "?", "[a]", "$#", "!", ":")
		case 5:
			g.escape(`\$`, `\\`, `\"`, `\'`, "\\`", `\a`)
		}
	}
}

// escape leaves out what Rewrite does not take between backquotes.
func (g *grammar) escape(texts ...string) {
	if !g.backquote {
		g.pick(texts...)
	}
}

func (g *grammar) single() {
	g.text("'")
	for range g.choose(4) {
		switch g.choose(3) {
		case 0:
			g.template(`'"${HOOK_T0}"'`)
		case 1:
			g.pick("b", `"`, "$", "$(", "#", " ", "\n", "${", "<<EOF\n")
		case 2:
			if g.inside == 0 { // a line must not end in \ there
				g.escape(`\`, `\\`, "`")
			}
		}
	}
	g.text("'")
}

// quoted is what is in double quotes or in a here-document.
func (g *grammar) quoted(depth int, document bool) {
	for range g.choose(5) {
		switch g.choose(4) {
		case 0:
			g.template("${HOOK_T0}")
		case 1:
			g.pick("b", "'", "$v-", " ", "\n", "#", "*", "{", "}", ")", "(", "<<EOF", "~", "é")
		case 2:
			g.substitution(depth)
		case 3:
			g.escape(`\$`, `\\`, "\\`", `\a`)
			if document {
				g.text(`"`)
			}
		}
	}
}

func (g *grammar) unquoted(depth int) {
	if !g.oneField {
		g.substitution(depth)
		return
	}
	g.text(`"`)
	g.substitution(depth)
	g.text(`"`)
}

func (g *grammar) substitution(depth int) {
	defer func(before bool) { g.oneField = before }(g.oneField)
	g.oneField = false
	if depth < 2 {
		g.text("b")
		return
	}
	if g.backquote || g.choose(3) > 0 {
		g.text("$(")
		g.statement(depth - 1)
		g.text(")")
		return
	}
	g.backquote = true
	g.text("`")
	g.statement(depth - 1)
	g.text("`")
	g.backquote = false
}

func (g *grammar) document(depth int) {
	g.documents++
	end := fmt.Sprintf("EOF%d", g.documents)
	if g.choose(4) == 0 {
		g.text("cat <<'", end, "'\nit's \" $( ")
		if g.inside == 0 {
			g.text("\\")
		}
		g.text("\n", end, "\n")
		return
	}
	dash := g.choose(3) == 0
	if dash {
		g.text("cat <<-", end, "\n\ta")
	} else {
		g.text("cat <<", end, "\na")
	}
	g.inside++
	g.quoted(depth, true)
	g.inside--
	g.text("\n", end, "\n")
}
