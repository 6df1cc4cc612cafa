package shtemplate

import "mvdan.cc/sh/v3/syntax"

// A use is what the command does with its own variables, for the warning
// about a value that is put into one and parsed again when it comes out.
type use struct {
	carriers map[int]string    // by template
	reparsed map[string]string // by variable: how
}

func newUse() use {
	return use{carriers: make(map[int]string), reparsed: make(map[string]string)}
}

func (u use) of(template int) string {
	name := u.carriers[template]
	if how := u.reparsed[name]; how != "" {
		return "is put into " + name + ", which is used " + how
	}
	return ""
}

func (w *walker) noteCarrier(template int) {
	for i, node := range w.stack[:len(w.stack)-1] {
		if name := w.carrier(node, w.stack[i+1]); name != "" {
			w.use.carriers[template] = name
			return
		}
	}
}

// carrier is the variable that a node gives its child to.
func (w *walker) carrier(node, child syntax.Node) string {
	switch n := node.(type) {
	case *syntax.Assign:
		return nameOf(n)
	case *syntax.WordIter:
		return n.Name.Value
	case *syntax.CallExpr:
		name, args := program(n)
		if word, ok := child.(*syntax.Word); ok && (name == "export" || name == "readonly") && index(args, word) >= 0 {
			return w.assigned(word)
		}
	}
	return ""
}

// noteUse remembers a variable that is expanded where its value is parsed.
func (w *walker) noteUse(node syntax.Node) {
	var name string
	switch n := node.(type) {
	case *syntax.ParamExp:
		name = n.Param.Value
	case *syntax.Lit:
		if w.inArithmetic() {
			name = n.Value
		}
	}
	if !isName(name) || w.use.reparsed[name] != "" {
		return
	}
	if w.inArithmetic() {
		w.use.reparsed[name] = "in arithmetic"
		return
	}
	for i, node := range w.stack[:len(w.stack)-1] {
		child := w.stack[i+1]
		switch n := node.(type) {
		case *syntax.CallExpr:
			if w.refuseCall(n, child) != "" || w.parsedAgain(n, child) != "" {
				w.use.reparsed[name] = "where a template itself would be refused, or parsed again"
			}
		case *syntax.Redirect:
			if w.refuseRedirect(n, child) != "" {
				w.use.reparsed[name] = "where a template itself would be refused"
			}
		}
	}
}

func (w *walker) inArithmetic() bool {
	for _, node := range w.stack {
		switch n := node.(type) {
		case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop:
			return true
		case *syntax.BinaryTest:
			switch n.Op {
			case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
				return true
			}
		}
	}
	return false
}
