// Package cond is the `when` of a pipeline's hook: a condition over variables,
// such as
//
//	${STAGE} == 'work' && ${ITERATION} % 10 == 0
//
// Start with [Parse], which finds all that can be known to be wrong without
// values; [Expr.Eval] then says whether the hook runs. The grammar:
//
//	expr  := and ("||" and)*
//	and   := cmp ("&&" cmp)*
//	cmp   := mod [("==" | "!=" | "<" | "<=" | ">" | ">=") mod]
//	mod   := unary ("%" unary)*
//	unary := ("!" | "-") unary | "(" expr ")" | INT | STRING | "${" NAME "}" | "true" | "false"
//
// A variable is one operand and a value never becomes part of the condition,
// whatever it contains. Its value is text, and an integer too where it is a
// sign at most and decimal digits that fit in 64 bits: 010 is ten, and " 10" is
// text. A literal integer has no plus and no leading zeros, which a shell would
// take for octal. A STRING stands in ' or ", in which \\ and the quote after a
// backslash are the only escapes; ${NAME} in one is refused, since it would
// stay text.
//
// < <= > >= % and - take integers, and % has the sign of its left side, as in
// C. == and != compare integers where one side is one by itself, such as 10 or
// ${X} % 2, and a text that is none never equals it; elsewhere they compare
// text byte by byte, so that '10' and '010' differ. true and false are no text
// and compare with each other only. && and || leave out the right side where
// the left one decides; its names and types are checked all the same.
//
// It calls nothing, splits nothing and knows no other arithmetic: what needs
// more is a hook's own command.
package cond

import (
	"fmt"
)

// Limits of a condition. A deeper or longer one is a program.
const (
	maxBytes = 1024
	maxDepth = 64 // of ( ! and - around one operand
)

// An Expr is a condition that was parsed. It does not change and is safe for
// concurrent use.
type Expr struct {
	root node // boolean
}

// A SyntaxError tells why a text is no condition. Column counts characters
// (not bytes) of the whole text, from 1; at its end it is one more than there
// are. Message is one line that can be shown as it is.
type SyntaxError struct {
	Column  int
	Message string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("column %d: %s", e.Column, e.Message) }

// Parse reads a condition in which the known variables may stand, and no
// other. The error is always a [*SyntaxError].
func Parse(text string, known []string) (*Expr, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	p := &parser{lexer: lexer{text: text, known: known}}
	if err := p.advance(); err != nil {
		return nil, err
	}
	root, err := p.expression()
	if err != nil {
		return nil, err
	}
	if p.token.kind != endToken {
		return nil, p.unexpected()
	}
	if err := p.wantBoolean(root); err != nil {
		return nil, err
	}
	return &Expr{root: root.node}, nil
}

// Eval tells whether the condition holds. It asks value for what it needs, a
// variable at each of its places, and does not keep it. An error, with which
// the condition does not hold, says that an integer was needed where a variable
// holds none, that a remainder was by zero, or that a number does not fit in
// 64 bits; it names variables, but not their values, which may be secret.
func (e *Expr) Eval(value func(name string) string) (bool, error) {
	got, err := e.root.eval(value)
	return err == nil && got.truth, err
}
