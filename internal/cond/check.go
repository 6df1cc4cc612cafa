package cond

import (
	"strconv"

	"discobot-hooks/internal/wording"
)

// A kind is what is known of a part before there are values.
type kind int

const (
	boolean  kind = iota
	integer       // a literal, or calculated
	literal       // text in quotes
	variable      // text, and an integer perhaps
)

// wantBoolean refuses what is neither true nor false.
func (p *parser) wantBoolean(t term) error {
	shown := wording.Quote(t.source)
	switch t.kind {
	case integer:
		return p.fail(t.start, "%s is a number, not true or false: compare it, as in ${NAME} %% 2 == 0", shown)
	case literal:
		return p.fail(t.start, "%s is text, not true or false: compare it, as in ${NAME} == 'text'", shown)
	case variable:
		return p.fail(t.start, "%s is text, not true or false: compare it, as in ${NAME} == 'true'", shown)
	}
	return nil
}

// wantNegatable is wantBoolean for what stands behind !, which many expect to
// hold for the whole comparison.
func (p *parser) wantNegatable(t term) error {
	if t.kind != boolean {
		return p.fail(t.start, "`!` negates only true or false, not %s: write != to compare, or !( ) around a comparison", wording.Quote(t.source))
	}
	return nil
}

// wantInteger refuses what can be no integer, whatever the values.
func (p *parser) wantInteger(operator string, t term) error {
	if t.kind == integer || t.kind == variable {
		return nil
	}
	shown := wording.Quote(t.source)
	if t.kind == boolean {
		return p.fail(t.start, "`%s` takes whole numbers, and %s is true or false: put ( ) around, or write && or || between conditions", operator, shown)
	}
	content := t.node.(constant).text // only a constant is of this kind
	if number, err := strconv.ParseInt(content, 10, 64); err == nil {
		return p.fail(t.start, "`%s` takes whole numbers, and %s is text: write %d", operator, shown, number)
	}
	return p.fail(t.start, "`%s` takes whole numbers, and %s is text: compare text with == or !=", operator, shown)
}

// wantComparable checks both sides of a comparison.
func (p *parser) wantComparable(operator string, left, right term) error {
	if operator != "==" && operator != "!=" {
		if err := p.wantInteger(operator, left); err != nil {
			return err
		}
		return p.wantInteger(operator, right)
	}
	if (left.kind == boolean) == (right.kind == boolean) {
		return nil
	}
	truth, other := left, right
	if right.kind == boolean {
		truth, other = right, left
	}
	shown := wording.Quote(truth.source)
	if _, ok := truth.node.(constant); ok && other.kind != integer {
		return p.fail(truth.start, "%s is no text: write it in quotes to compare it with %s", shown, wording.Quote(other.source))
	}
	return p.fail(truth.start, "%s is true or false and never equals %s: write && or || between conditions", shown, wording.Quote(other.source))
}
