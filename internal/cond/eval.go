package cond

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// A node is a part of a condition whose types were checked. What it comes to
// counts only without an error.
type node interface {
	eval(value func(name string) string) (constant, error)
}

// A constant is a literal, and what a node comes to. Which field counts is
// told by its kind.
type constant struct {
	kind   kind
	truth  bool
	number int64
	text   string
	name   string // of a variable
}

func (c constant) eval(func(string) string) (constant, error) { return c, nil }

// integer is the constant as a number: it is one, or a variable's text may be.
func (c constant) integer() (int64, error) {
	if c.kind == integer {
		return c.number, nil
	}
	number, err := strconv.ParseInt(c.text, 10, 64)
	switch {
	case err == nil:
		return number, nil
	case c.text == "":
		return 0, fmt.Errorf("evaluate ${%s}: empty, not a whole number: ask for ${%s} != '' first", c.name, c.name)
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("evaluate ${%s}: the number does not fit in 64 bits: compare it as text", c.name)
	}
	return 0, fmt.Errorf("evaluate ${%s}: not a whole number: compare text with == or !=", c.name)
}

// equals follows the package's rule for ==.
func (c constant) equals(other constant) bool {
	switch {
	case c.kind == boolean:
		return c.truth == other.truth
	case c.kind != integer && other.kind != integer:
		return c.text == other.text
	}
	// As text they differ too, where one is no integer.
	a, err := c.integer()
	b, otherErr := other.integer()
	return err == nil && otherErr == nil && a == b
}

// A reference is a variable, by name.
type reference string

func (r reference) eval(value func(string) string) (constant, error) {
	return constant{kind: variable, text: value(string(r)), name: string(r)}, nil
}

type logical struct {
	or          bool // else and
	left, right node
}

func (l logical) eval(value func(string) string) (constant, error) {
	left, err := l.left.eval(value)
	if err != nil || left.truth == l.or {
		return left, err
	}
	return l.right.eval(value)
}

type not struct{ inner node }

func (n not) eval(value func(string) string) (constant, error) {
	inner, err := n.inner.eval(value)
	return constant{kind: boolean, truth: !inner.truth}, err
}

type minus struct {
	inner  node
	column int
}

func (m minus) eval(value func(string) string) (constant, error) {
	inner, err := number(m.inner, value)
	if err == nil && inner == math.MinInt64 {
		err = fmt.Errorf("evaluate - in column %d: the number does not fit in 64 bits", m.column)
	}
	return constant{kind: integer, number: -inner}, err
}

type remainder struct {
	left, right node
	column      int
}

func (r remainder) eval(value func(string) string) (constant, error) {
	left, right, err := numbers(r.left, r.right, value)
	if err == nil && right == 0 {
		err = fmt.Errorf("evaluate %% in column %d: the right side is zero", r.column)
	}
	if err != nil {
		return constant{}, err
	}
	return constant{kind: integer, number: left % right}, nil
}

type comparison struct {
	operator    string
	left, right node
}

func (c comparison) eval(value func(string) string) (constant, error) {
	if c.operator == "==" || c.operator == "!=" {
		equal, err := equal(c.left, c.right, value)
		return constant{kind: boolean, truth: equal == (c.operator == "==")}, err
	}
	left, right, err := numbers(c.left, c.right, value)
	if err != nil {
		return constant{}, err
	}
	return constant{kind: boolean, truth: inOrder(left, c.operator, right)}, nil
}

func inOrder(left int64, operator string, right int64) bool {
	switch operator {
	case "<":
		return left < right
	case "<=":
		return left <= right
	case ">":
		return left > right
	}
	return left >= right
}

func equal(left, right node, value func(string) string) (bool, error) {
	a, err := left.eval(value)
	if err != nil {
		return false, err
	}
	b, err := right.eval(value)
	return err == nil && a.equals(b), err
}

func number(n node, value func(string) string) (int64, error) {
	got, err := n.eval(value)
	if err != nil {
		return 0, err
	}
	return got.integer()
}

func numbers(left, right node, value func(string) string) (a, b int64, err error) {
	if a, err = number(left, value); err == nil {
		b, err = number(right, value)
	}
	return a, b, err
}
