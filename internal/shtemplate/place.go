package shtemplate

import (
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A quoting is how the text around a template is quoted.
type quoting int

const (
	bare    quoting = iota
	double          // "…"
	single          // '…'
	heredoc         // in a here-document whose delimiter is not quoted
)

// A place is what a template's surroundings make of it.
type place struct {
	quote quoting
	whole bool   // a word of its own where there may be several or none
	bad   string // why no reference is safe here
	again string // who parses or obeys the value, however it is quoted
}

// locate finds each template's place in the masked command. The error is the
// parser's, of a command that is no shell.
//
// The command is read twice, as POSIX has it and as bash does: what sh is, only
// the machine knows, and a template that is an argument to one may be
// arithmetic to the other, which in bash runs $(…) in a value.
func locate(masked string, found []template) error {
	posix, err := parse(masked, syntax.LangPOSIX)
	if err != nil {
		return err
	}
	places := walk(posix, masked, found)
	var others []place
	if bash, err := parse(masked, syntax.LangBash); err == nil {
		others = walk(bash, masked, found)
	}
	for i := range found {
		p := places[i]
		switch {
		case p.bad != "":
		case others == nil:
			p.bad = "is in a command that bash, where it is sh, cannot read"
		case others[i].bad != "":
			p.bad = others[i].bad
		case others[i].quote != p.quote:
			p.bad = "is quoted for sh otherwise than for bash"
		case p.again == "":
			p.again = others[i].again
		}
		p.whole = p.whole && others != nil && others[i].whole
		found[i].place = p
	}
	return nil
}

func parse(text string, lang syntax.LangVariant) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(lang), syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
}

// syntaxError is what the parser found and where; its own text would repeat
// the position.
func syntaxError(err error, size int) (offset int, text string) {
	if e, ok := errors.AsType[syntax.ParseError](err); ok {
		return min(int(e.Pos.Offset()), size), e.Text
	}
	if e, ok := errors.AsType[syntax.LangError](err); ok {
		return min(int(e.Pos.Offset()), size), "sh does not have " + e.Feature
	}
	return 0, err.Error()
}

// A walker finds the leaf of the tree that holds each template. stack is the
// way down to the node at hand.
type walker struct {
	masked string
	found  []template
	places []place
	seen   []int
	doubt  string // about the whole command
	use    use
	stack  []syntax.Node
}

func walk(file *syntax.File, masked string, found []template) []place {
	w := &walker{masked: masked, found: found, places: make([]place, len(found)), seen: make([]int, len(found)), use: newUse()}
	syntax.Walk(file, w.visit)
	for i := range w.places {
		p := &w.places[i]
		switch {
		case w.seen[i] != 1:
			*p = place{bad: "is where the parser does not see it"}
		case p.bad == "":
			p.bad = w.doubt
		}
		if p.again == "" {
			p.again = w.use.of(i)
		}
	}
	return w.places
}

func (w *walker) visit(node syntax.Node) bool {
	if node == nil {
		w.stack = w.stack[:len(w.stack)-1]
		return true
	}
	w.stack = append(w.stack, node)
	switch n := node.(type) {
	case *syntax.Comment:
		w.doubtComment(n)
		w.leaf(n)
	case *syntax.Lit, *syntax.SglQuoted:
		w.leaf(n)
	case *syntax.Redirect:
		w.doubtHeredoc(n)
	case *syntax.CallExpr:
		w.doubtCall(n)
	}
	w.noteUse(node)
	return true
}

func (w *walker) leaf(node syntax.Node) {
	start, end := span(node)
	for i, t := range w.found {
		if start <= t.start && t.end <= end {
			w.seen[i]++
			w.places[i] = w.classify(t)
			w.noteCarrier(i)
		}
	}
}

func span(node syntax.Node) (start, end int) {
	return int(node.Pos().Offset()), int(node.End().Offset())
}

func (w *walker) text(node syntax.Node) string {
	start, end := span(node)
	return w.masked[start:min(end, len(w.masked))]
}

// classify reads the stack from the outside in; the first reason to refuse
// stays.
func (w *walker) classify(t template) place {
	var p place
	for i, node := range w.stack {
		var child syntax.Node
		if i+1 < len(w.stack) {
			child = w.stack[i+1]
		}
		if bad := w.refuse(node, child); bad != "" && p.bad == "" {
			p.bad = bad
		}
		w.descend(&p, node, child, t)
	}
	if p.bad == "" && p.quote != single && oddBackslashes(w.masked[:t.start]) {
		p.bad = `comes after a \`
	}
	return p
}

func oddBackslashes(before string) bool {
	return (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1
}

// descend updates the place on the way from a node to its child.
func (w *walker) descend(p *place, node, child syntax.Node, t template) {
	switch n := node.(type) {
	case *syntax.CmdSubst:
		p.quote, p.whole = bare, false
	case *syntax.DblQuoted:
		p.quote = double
	case *syntax.SglQuoted:
		p.quote = single
	case *syntax.WordIter:
		p.whole = isWhole(child, t)
	case *syntax.Assign:
		if p.again == "" {
			p.again = warnVariable(nameOf(n))
		}
	case *syntax.CallExpr:
		p.whole = isWhole(child, t) && !takesOne(n, child)
		if p.again == "" && len(n.Args) <= maxArguments {
			p.again = w.parsedAgain(n, child)
		}
	case *syntax.Redirect:
		if n.Hdoc != nil && child == syntax.Node(n.Hdoc) {
			p.quote = heredoc
		}
	case *syntax.Stmt:
		if r, ok := child.(*syntax.Redirect); ok && r.Hdoc != nil && p.again == "" {
			p.again = fedTo(n.Cmd)
		}
	case *syntax.BinaryCmd:
		if child == syntax.Node(n.X) && (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && p.again == "" {
			p.again = fedTo(n.Y.Cmd)
		}
	}
}

func isWhole(node syntax.Node, t template) bool {
	word, ok := node.(*syntax.Word)
	if !ok || len(word.Parts) != 1 {
		return false
	}
	lit, ok := word.Parts[0].(*syntax.Lit)
	if !ok {
		return false
	}
	start, end := span(lit)
	return start == t.start && end == t.end
}
