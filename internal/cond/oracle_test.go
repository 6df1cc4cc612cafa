package cond_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"discobot-hooks/internal/cond"
)

// The oracle is Go's own parser, whose operators bind as ours do, and an
// evaluator over what it read, in which a value is put only into a leaf that
// exists already.

// piece is one token of a condition that is known to be one.
var piece = regexp.MustCompile(`(?s)'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\$\{\w+\}|\w+|[=!<>]=|&&|\|\||[<>!%()-]`)

// escaped is a backslash with what it keeps from being one or a quote.
var escaped = regexp.MustCompile(`(?s)\\(.)`)

// translate writes a condition as Go. Blanks between all tokens keep two of
// them from becoming a third, such as -- or <-.
func translate(text string) string {
	return piece.ReplaceAllStringFunc(strings.Join(piece.FindAllString(text, -1), " "), func(found string) string {
		switch found[0] {
		case '\'', '"':
			return strconv.Quote(escaped.ReplaceAllString(found[1:len(found)-1], "$1"))
		case '$':
			return found[2 : len(found)-1]
		}
		return found
	})
}

// A content is a bool, a *big.Int, a text or a variable's value.
type (
	content any
	value   string
)

// fault is what stops an evaluation.
type fault string

func number(o content) *big.Int {
	var text string
	switch o := o.(type) {
	case *big.Int:
		return o
	case string:
		text = o
	case value:
		text = string(o)
	}
	n, ok := new(big.Int).SetString(text, 10)
	if !ok || !n.IsInt64() || strings.Contains(text, "_") {
		return nil
	}
	return n
}

func mustNumber(o content) *big.Int {
	n := number(o)
	if n == nil {
		panic(fault("no integer"))
	}
	return n
}

func oracle(e ast.Expr, lookup func(string) string) content {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return oracle(e.X, lookup)
	case *ast.Ident:
		if e.Name == "true" || e.Name == "false" {
			return e.Name == "true"
		}
		return value(lookup(e.Name))
	case *ast.BasicLit:
		if e.Kind == token.INT {
			n, _ := new(big.Int).SetString(e.Value, 10)
			return n
		}
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.UnaryExpr:
		inner := oracle(e.X, lookup)
		if e.Op == token.NOT {
			return !inner.(bool)
		}
		// The number behind a minus may be the least, so it has no limit itself.
		n := new(big.Int).Neg(mustNumber(inner))
		if !n.IsInt64() {
			panic(fault("overflow"))
		}
		return n
	}
	return oracleBinary(e.(*ast.BinaryExpr), lookup)
}

func oracleBinary(e *ast.BinaryExpr, lookup func(string) string) content {
	left := oracle(e.X, lookup)
	switch e.Op {
	case token.LAND:
		return left.(bool) && oracle(e.Y, lookup).(bool)
	case token.LOR:
		return left.(bool) || oracle(e.Y, lookup).(bool)
	case token.EQL:
		return oracleEqual(left, oracle(e.Y, lookup))
	case token.NEQ:
		return !oracleEqual(left, oracle(e.Y, lookup))
	}
	x, y := mustNumber(left), mustNumber(oracle(e.Y, lookup))
	order := x.Cmp(y)
	switch e.Op {
	case token.LSS:
		return order < 0
	case token.LEQ:
		return order <= 0
	case token.GTR:
		return order > 0
	case token.GEQ:
		return order >= 0
	}
	if y.Sign() == 0 {
		panic(fault("by zero"))
	}
	return new(big.Int).Rem(x, y)
}

func oracleEqual(left, right content) bool {
	if left, ok := left.(bool); ok {
		return left == right.(bool)
	}
	_, first := left.(*big.Int)
	_, second := right.(*big.Int)
	if first || second {
		x, y := number(left), number(right)
		return x != nil && y != nil && x.Cmp(y) == 0
	}
	return plain(left) == plain(right)
}

func plain(o content) string {
	if o, ok := o.(value); ok {
		return string(o)
	}
	return o.(string)
}

// checkLikeOracle evaluates a condition in both ways.
func checkLikeOracle(t *testing.T, text string, expr *cond.Expr, lookup func(string) string) {
	t.Helper()
	translated := translate(text)
	e, err := parser.ParseExpr(translated)
	if err != nil {
		t.Fatalf("Parse(%q) succeeds, and Go refuses %s: %v", text, translated, err)
	}
	want, failed := func() (holds, failed bool) {
		defer func() {
			if problem := recover(); problem != nil {
				if _, expected := problem.(fault); !expected {
					panic(problem)
				}
				failed = true
			}
		}()
		return oracle(e, lookup).(bool), false
	}()
	got, err := expr.Eval(lookup)
	if got != want || (err != nil) != failed {
		t.Fatalf("%q with X=%q Y=%q is %v, %v; the oracle says %v, failed %v", text, lookup("X"), lookup("Y"), got, err, want, failed)
	}
}
