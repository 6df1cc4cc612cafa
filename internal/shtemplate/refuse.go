package shtemplate

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// refuse says why nothing in this child of a node can be made safe.
func (w *walker) refuse(node, child syntax.Node) string {
	switch n := node.(type) {
	case *syntax.Comment:
		return "is in a comment"
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop:
		return "is in arithmetic"
	case *syntax.ParamExp:
		return "is inside ${…} or a parameter's name"
	case *syntax.TestClause:
		return "is in [[ ]], which evaluates numbers: use [ ]"
	case *syntax.ExtGlob, *syntax.ProcSubst, *syntax.ArrayExpr, *syntax.CoprocClause:
		return "is in something that only bash knows"
	case *syntax.FuncDecl:
		if child != syntax.Node(n.Body) {
			return "is in a function's name"
		}
	case *syntax.WordIter:
		if child == syntax.Node(n.Name) {
			return "is in the name of a loop's variable"
		}
		return refuseVariable(n.Name.Value)
	case *syntax.Assign:
		if n.Value == nil || child != syntax.Node(n.Value) {
			return "is in the name of a variable"
		}
		return refuseVariable(nameOf(n))
	case *syntax.SglQuoted:
		if n.Dollar {
			return "is in $'…', which sh does not know"
		}
	case *syntax.DblQuoted:
		if n.Dollar {
			return `is in $"…", which sh does not know`
		}
	case *syntax.Word:
		return confusesBash(w.text(n))
	case *syntax.Redirect:
		return w.refuseRedirect(n, child)
	case *syntax.CmdSubst:
		return w.refuseSubstitution(n)
	case *syntax.Subshell:
		if startsSubshell(n.Stmts, n.Lparen, 1) {
			return "is in ((, which is arithmetic to bash: put a space between"
		}
	case *syntax.CallExpr:
		return w.refuseCall(n, child)
	}
	return ""
}

func (w *walker) refuseRedirect(n *syntax.Redirect, child syntax.Node) string {
	document := n.Op == syntax.Hdoc || n.Op == syntax.DashHdoc
	switch {
	case document && child == syntax.Node(n.Word):
		return "is in the delimiter of a here-document"
	case document && w.quotedDelimiter(n):
		return "is in a here-document with a quoted delimiter"
	case n.Op == syntax.DplOut || n.Op == syntax.DplIn || n.Op == syntax.RdrAll || n.Op == syntax.AppAll:
		return "is after >& or <&, where bash expands a value twice: use > or <"
	case n.N != nil && child == syntax.Node(n.N):
		return "is in the name of a file descriptor"
	}
	return ""
}

// confusesBash is about a word that already has backquotes: bash 5.2 loses its
// way in "${v}`echo '$('`", while "`echo '$('`" is fine.
func confusesBash(word string) string {
	_, inner, _ := strings.Cut(word, "`")
	inner = inner[:max(0, strings.LastIndex(inner, "`"))]
	if strings.Contains(inner, "$") || strings.Contains(inner, "<<") {
		return "is in one word with backquotes that hold a $ or a here-document: use $(…)"
	}
	return ""
}

func (w *walker) refuseSubstitution(n *syntax.CmdSubst) string {
	if !n.Backquotes {
		if startsSubshell(n.Stmts, n.Left, 2) {
			return "is in $((, which is arithmetic: put a space between"
		}
		return ""
	}
	// A backslash in there is taken away before the quotes are read, a quoted
	// backquote ends the command all the same: not every shell agrees.
	start, end := span(n)
	if strings.ContainsAny(w.masked[start+1:max(start+1, end-1)], "\\`") {
		return "is in backquotes with a \\ or backquotes inside: use $(…)"
	}
	return ""
}

// startsSubshell tells whether the first statement is a ( that stands n bytes
// after the start of what surrounds it.
func startsSubshell(stmts []*syntax.Stmt, start syntax.Pos, n uint) bool {
	if len(stmts) == 0 {
		return false
	}
	inner, ok := stmts[0].Cmd.(*syntax.Subshell)
	return ok && inner.Lparen.Offset() == start.Offset()+n
}
