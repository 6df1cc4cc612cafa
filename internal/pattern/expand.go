package pattern

import (
	"errors"
	"fmt"
	"slices"
)

const (
	maxAlternatives = 256     // of one pattern
	maxWork         = 1 << 15 // tokens to copy on the way, wide classes for more
)

// expand turns a pattern with braces into those without that it stands for.
func expand(tokens []token) ([][]token, error) {
	e := expander{tokens: tokens, left: maxWork}
	return e.sequence()
}

// expander walks over tokens whose braces are balanced.
type expander struct {
	tokens []token
	left   int // of maxWork
}

// sequence expands up to the end, or to the comma or brace that ends it.
func (e *expander) sequence() ([][]token, error) {
	out := [][]token{nil}
	for len(e.tokens) > 0 {
		t := e.tokens[0]
		if t.kind == comma || t.kind == shut {
			break
		}
		e.tokens = e.tokens[1:]
		next := [][]token{{t}}
		if t.kind == open {
			var err error
			if next, err = e.group(); err != nil {
				return nil, err
			}
		}
		var err error
		if out, err = e.cross(out, next); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// group expands from after a { to after its }.
func (e *expander) group() ([][]token, error) {
	var out [][]token
	start := e.tokens
	for commas := 0; ; commas++ {
		alternatives, err := e.sequence()
		if err != nil {
			return nil, err
		}
		if out = append(out, alternatives...); len(out) > maxAlternatives {
			return nil, errAlternatives()
		}
		end := e.tokens[0]
		e.tokens = e.tokens[1:]
		if end.kind == comma {
			continue
		}
		if commas == 0 {
			return nil, noCommaError(start[:len(start)-len(e.tokens)-1])
		}
		return out, nil
	}
}

// errAlternatives is no variable: every start of the program would word it.
func errAlternatives() error {
	return fmt.Errorf("the braces stand for more than %d patterns, or for long ones: write a list of simpler ones", maxAlternatives)
}

// cross joins each of a with each of b.
func (e *expander) cross(a, b [][]token) ([][]token, error) {
	if len(a)*len(b) > maxAlternatives {
		return nil, errAlternatives()
	}
	if len(b) == 1 && len(b[0]) == 1 {
		if e.left -= len(a) * weight(b[0]); e.left < 0 {
			return nil, errAlternatives()
		}
		for i := range a {
			a[i] = append(a[i], b[0][0])
		}
		return a, nil
	}
	var out [][]token
	for _, x := range a {
		for _, y := range b {
			if e.left -= weight(x) + weight(y); e.left < 0 {
				return nil, errAlternatives()
			}
			out = append(out, slices.Concat(x, y))
		}
	}
	return out, nil
}

// weight is what tokens take to copy and to compile.
func weight(tokens []token) int {
	sum := len(tokens)
	for _, t := range tokens {
		sum += len(t.class) / 16
	}
	return sum
}

// noCommaError is about braces around one alternative. Shells take these for
// plain characters, other matchers drop the braces: nobody means it.
func noCommaError(inside []token) error {
	for i := 1; i < len(inside); i++ {
		a, b := inside[i-1], inside[i]
		if a.kind == literal && a.char == '.' && b.kind == literal && b.char == '.' {
			return errors.New("{a..b} ranges are not supported: write the members, as in {1,2,3}")
		}
	}
	return errors.New(`{…} without a comma: leave the braces out, or write \{ and \} for the characters themselves`)
}
