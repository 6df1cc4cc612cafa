package cond

import (
	"slices"
	"strconv"

	"discobot-hooks/internal/wording"
)

// A parser reads a condition by recursive descent, one token ahead.
type parser struct {
	lexer
	token token // not taken yet
	done  int   // end of the last token taken
	depth int
}

// A term is a part of the condition, with what the checks of types tell.
type term struct {
	node   node
	kind   kind
	start  int
	source string
}

func (p *parser) advance() error {
	next, err := p.next()
	p.done, p.token = p.token.end, next
	return err
}

// term makes one of what was read since start.
func (p *parser) term(start int, kind kind, node node) term {
	return term{node: node, kind: kind, start: start, source: p.text[start:p.done]}
}

func (p *parser) expression() (term, error) { return p.logical("||", p.conjunction) }

func (p *parser) conjunction() (term, error) { return p.logical("&&", p.comparison) }

func (p *parser) logical(operator string, operand func() (term, error)) (term, error) {
	left, err := operand()
	for err == nil && p.token.is(operator) {
		if err := p.wantBoolean(left); err != nil {
			return term{}, err
		}
		if err := p.advance(); err != nil {
			return term{}, err
		}
		right, err := operand()
		if err == nil {
			err = p.wantBoolean(right)
		}
		if err != nil {
			return term{}, err
		}
		left = p.term(left.start, boolean, logical{or: operator == "||", left: left.node, right: right.node})
	}
	return left, err
}

var comparisons = []string{"==", "!=", "<", "<=", ">", ">="}

func (p *parser) atComparison() bool {
	return p.token.kind == operatorToken && slices.Contains(comparisons, p.token.text)
}

func (p *parser) comparison() (term, error) {
	left, err := p.remainder()
	if err != nil || !p.atComparison() {
		return left, err
	}
	operator := p.token.text
	if err := p.advance(); err != nil {
		return term{}, err
	}
	right, err := p.remainder()
	if err != nil {
		return term{}, err
	}
	if err := p.wantComparable(operator, left, right); err != nil {
		return term{}, err
	}
	if p.atComparison() {
		return term{}, p.fail(p.token.start, "`%s` follows another comparison: join them with &&, as in 1 < 2 && 2 < 3", p.token.text)
	}
	return p.term(left.start, boolean, comparison{operator: operator, left: left.node, right: right.node}), nil
}

func (p *parser) remainder() (term, error) {
	left, err := p.unary()
	for err == nil && p.token.is("%") {
		column := p.column(p.token.start)
		if err := p.wantInteger("%", left); err != nil {
			return term{}, err
		}
		if err := p.advance(); err != nil {
			return term{}, err
		}
		right, err := p.unary()
		if err == nil {
			err = p.wantInteger("%", right)
		}
		if err != nil {
			return term{}, err
		}
		left = p.term(left.start, integer, remainder{left: left.node, right: right.node, column: column})
	}
	return left, err
}

// unary reads an operand with all that stands before it.
func (p *parser) unary() (term, error) {
	t := p.token
	if !t.is("!") && !t.is("-") && !t.is("(") {
		return p.operand(t)
	}
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		return term{}, p.fail(t.start, "`%s` is nested more than %d deep: let the hook's command decide", t.text, maxDepth)
	}
	column := p.column(p.token.start)
	if err := p.advance(); err != nil {
		return term{}, err
	}
	switch {
	case t.is("("):
		return p.group(t)
	case t.is("-") && p.token.kind == integerToken:
		return p.integer(t.start, "-"+p.token.text) // the least integer has no positive
	}
	inner, err := p.unary()
	if err != nil {
		return term{}, err
	}
	if t.is("!") {
		return p.term(t.start, boolean, not{inner.node}), p.wantNegatable(inner)
	}
	return p.term(t.start, integer, minus{inner.node, column}), p.wantInteger("-", inner)
}

// group reads what is behind a parenthesis.
func (p *parser) group(open token) (term, error) {
	inner, err := p.expression()
	switch {
	case err != nil:
		return term{}, err
	case p.token.kind == endToken:
		return term{}, p.fail(open.start, "`(` is not closed: add )")
	case !p.token.is(")"):
		return term{}, p.unexpected()
	}
	err = p.advance()
	return p.term(open.start, inner.kind, inner.node), err
}

func (p *parser) operand(t token) (term, error) {
	switch t.kind {
	case integerToken:
		return p.integer(t.start, t.text)
	case stringToken:
		err := p.advance()
		return p.term(t.start, literal, constant{kind: literal, text: t.text}), err
	case booleanToken:
		err := p.advance()
		return p.term(t.start, boolean, constant{kind: boolean, truth: t.text == "true"}), err
	case variableToken:
		return p.variableTerm(t)
	case endToken:
		return term{}, p.fail(t.start, "the condition ends where a value is due: add ${NAME}, 'text', a whole number, true or false")
	}
	return term{}, p.fail(t.start, "%s stands where a value is due: write ${NAME}, 'text', a whole number, true or false", wording.Quote(t.text))
}

func (p *parser) variableTerm(t token) (term, error) {
	if !slices.Contains(p.known, t.text) {
		return term{}, p.fail(t.start, "%s", unknown(t.text, p.known))
	}
	err := p.advance()
	return p.term(t.start, variable, reference(t.text)), err
}

// integer takes the token of digits that text ends with.
func (p *parser) integer(start int, text string) (term, error) {
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return term{}, p.fail(start, "%s does not fit in 64 bits: write a smaller number, or quote it as text", wording.Quote(text))
	}
	err = p.advance()
	return p.term(start, integer, constant{kind: integer, number: number}), err
}

// unexpected is the error about a token where an operator or the end is due.
func (p *parser) unexpected() error {
	t := p.token
	switch {
	case t.is(")"):
		return p.fail(t.start, "`)` closes nothing: take it out, or add ( before")
	case t.is("-"):
		return p.fail(t.start, "%s", insteadOfMinus(p.text[t.end:]))
	}
	return p.fail(t.start, "%s follows a value: put an operator between, such as == or &&", wording.Quote(p.text[t.start:t.end]))
}
