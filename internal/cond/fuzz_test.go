package cond_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"discobot-hooks/internal/cond"
	"discobot-hooks/internal/plaintext"
)

// values are what a variable may hold, to harm or to mislead.
var values = []string{
	"", "0", "1", "2", "-3", "10", "010", "+10", "-0", " 10", "10\n", "1.0", "0x10", "1_0", "a", "plan", "true",
	"9223372036854775807", "-9223372036854775808", "9223372036854775808", "99999999999999999999999",
	"x' == 'x' || '1' == '1", `" || true || "`, "1 || 1 == 1", "${X}", "'", `\`, ")", "-", "\x00", "\xff", "١",
}

func FuzzParse(f *testing.F) {
	for i, text := range []string{
		"${X} == 10", "${X} % 10 == 0 && ${Y} == 'plan'", "!(${X} < 5) || -${Y} >= 1", "true != (1 == 1)", `"a\"b" == 'a\'b\\'`,
		"1 < 2 < 3", "((((true))))", "--1 == - -1", "${X} == plan", "${Z} == 1", "1 = 1", "'a", "${X", "$X", "é ☃\u202e", "\xff", "", "-9223372036854775808 == ${X}",
		"${X} -eq 10", "'${X}' == ''", "1 % 0 == ${X} % ${Y}", "${X}==${Y}||${X}!=${Y}&&!true",
	} {
		f.Add(text, values[i], values[len(values)-1-i])
	}
	f.Fuzz(func(t *testing.T, text, x, y string) {
		expr, err := cond.Parse(text, []string{"X", "Y"})
		if err != nil {
			checkError(t, text, err)
			return
		}
		lookup := func(name string) string { return map[string]string{"X": x, "Y": y}[name] }
		checkLikeOracle(t, text, expr, lookup)
	})
}

// checkError holds what the doc comment of SyntaxError promises.
func checkError(t *testing.T, text string, err error) {
	t.Helper()
	syntax, ok := errors.AsType[*cond.SyntaxError](err)
	if !ok || syntax.Column < 1 || syntax.Column > utf8.RuneCountInString(text)+1 {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	if plaintext.Line(syntax.Message) != syntax.Message || len(syntax.Message) > 400 {
		t.Fatalf("Parse(%q): not one short line: %q", text, syntax.Message)
	}
}

// The same without a fuzzer: conditions that are well formed, whatever the
// types, each with values that harm.
func TestGenerated(t *testing.T) {
	t.Parallel()
	g := generator{
		Rand:    rand.New(rand.NewPCG(1, 2)),
		numbers: []string{"${X}", "${Y}", "0", "1", "2", "10", "-3", "9223372036854775807", "-9223372036854775808"},
		others:  []string{"${X}", "${Y}", "'plan'", `"a"`, "''", "'10'", "'010'", `'x\' == \'x\' || \'1\' == \'1'`, `"\\"`},
	}
	parsed := 0
	for range 2000 {
		text := g.truth(4)
		expr, err := cond.Parse(text, known)
		if err != nil {
			if len(text) <= 1024 {
				t.Fatalf("Parse(%q): %v", text, err)
			}
			continue
		}
		parsed++
		x, y := g.pick(values...), g.pick(values...)
		checkLikeOracle(t, text, expr, func(name string) string { return map[string]string{"X": x, "Y": y}[name] })
	}
	if parsed < 1000 {
		t.Errorf("only %d conditions are tried", parsed)
	}
}

// A generator writes random conditions, of a depth at most.
type generator struct {
	*rand.Rand
	numbers []string
	others  []string // that == takes too
}

func (g generator) pick(of ...string) string { return of[g.IntN(len(of))] }

func (g generator) blank() string { return g.pick("", " ", "  ", "\n") }

func (g generator) join(parts ...string) string {
	var out strings.Builder
	for _, part := range parts {
		out.WriteString(part + g.blank())
	}
	return out.String()
}

func (g generator) truth(depth int) string {
	if depth == 0 {
		return g.pick("true", "false")
	}
	switch g.IntN(8) {
	case 0, 1:
		return g.join("(", g.truth(depth-1), g.pick("&&", "||"), g.truth(depth-1), ")")
	case 2:
		return g.join(g.comparison(depth-1), g.pick("&&", "||"), g.comparison(depth-1), g.pick("&&", "||"), g.comparison(depth-1))
	case 3:
		return g.join("!", "(", g.truth(depth-1), ")")
	case 4:
		return g.join("(", g.truth(depth-1), ")", g.pick("==", "!="), "(", g.truth(depth-1), ")")
	}
	return g.comparison(depth - 1)
}

func (g generator) comparison(depth int) string {
	if g.IntN(2) == 0 {
		return g.join(g.number(depth), g.pick("<", "<=", ">", ">="), g.number(depth))
	}
	return g.join(g.operand(depth), g.pick("==", "!="), g.operand(depth))
}

func (g generator) operand(depth int) string {
	if len(g.others) == 0 || g.IntN(2) == 0 {
		return g.number(depth)
	}
	return g.pick(g.others...)
}

func (g generator) number(depth int) string {
	if depth <= 0 {
		return g.pick(g.numbers...)
	}
	switch g.IntN(4) {
	case 0:
		return g.join(g.number(0), "%", g.number(depth-1))
	case 1:
		return g.join("-", "(", g.number(depth-1), ")")
	}
	return g.number(0)
}
