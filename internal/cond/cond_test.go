package cond_test

import (
	"strings"
	"sync"
	"testing"

	"discobot-hooks/internal/cond"
)

var known = []string{"ITERATION", "STAGE", "X", "Y", "EMPTY"}

// with gives a lookup for X alone; the others are empty.
func with(x string) func(string) string {
	return func(name string) string {
		if name == "X" {
			return x
		}
		return ""
	}
}

func parse(t testing.TB, text string) *cond.Expr {
	t.Helper()
	expr, err := cond.Parse(text, known)
	if err != nil {
		t.Fatalf("Parse(%q): %v", text, err)
	}
	return expr
}

func TestEval(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text, x string
		want          bool
	}{
		{"the document: an iteration", "${X} == 10", "10", true},
		{"the document: every tenth", "${X} % 10 == 0", "30", true},
		{"the document: not the eleventh", "${X} % 10 == 0", "11", false},
		{"the document: a stage", "${X} == 'plan'", "plan", true},
		{"the document: both", "${X} > 5 && ${X} == '6'", "6", true},
		{"always", "true", "", true},
		{"never", " false\n", "", false},
		{"line breaks", "${X} == 1\r\n\t|| ${X} == 2", "2", true},
		{"no blanks", "!(${X}==1)&&-1<${X}%2", "2", true},

		{"and before or", "true || false && false", "", true},
		{"parentheses first", "(true || false) && false", "", false},
		{"comparison before and", "1 == 1 && 2 == 2", "", true},
		{"remainder before comparison", "3 == 7 % 4", "", true},
		{"remainder from the left", "7 % 4 % 2 == 1", "", true},
		{"minus before remainder", "-7 % 4 == -3", "", true},
		{"a parenthesis after minus", "-(7 % 4) == -3", "", true},
		{"not, twice", "!!true", "", true},
		{"not of a comparison", "!(${X} == 'a')", "a", false},
		{"minus, twice", "--${X} == 5", "5", true},

		{"leading zeros are decimal", "${X} == 10", "010", true},
		{"leading zeros, ordered", "${X} < 9", "08", true},
		{"a value's plus", "${X} == 10", "+10", true},
		{"a value's minus", "${X} == -10", "-10", true},
		{"minus zero", "${X} == 0", "-0", true},
		{"a blank makes text", "${X} == 10", " 10", false},
		{"a line break makes text", "${X} == 10", "10\n", false},
		{"a fraction is text", "${X} != 10", "10.0", true},
		{"hexadecimal is text", "${X} == 16", "0x10", false},
		{"an underscore is text", "${X} == 10", "1_0", false},
		{"other digits are text", "${X} == 1", "١", false},
		{"empty is not zero", "${X} == 0", "", false},
		{"empty differs from zero", "${X} != 0", "", true},
		{"too large is text", "${X} == 9223372036854775807", "9223372036854775808", false},

		{"an integer and text that is one", "10 == '010'", "", true},
		{"an integer and text that is none", "10 != 'ten'", "", true},
		{"calculated, and a variable", "12 % 11 == ${X}", "01", true},
		{"calculated, and text", "${X} % 2 == '1'", "3", true},
		{"two texts are no numbers", "'10' == '010'", "", false},
		{"two variables are no numbers", "${X} == ${Y}", "0", false},
		{"a variable and text that is a number", "${X} == '10'", "010", false},
		{"case counts", "${X} == 'Plan'", "plan", false},
		{"truths compare", "true == (1 < 2)", "", true},
		{"truths differ", "(${X} == 1) != false", "1", true},

		{"the other quote", `${X} == "it's"`, "it's", true},
		{"an escaped quote", `${X} == 'it\'s'`, "it's", true},
		{"an escaped backslash", `${X} == 'a\\'`, `a\`, true},
		{"an empty text", "${X} == ''", "", true},
		{"operators in text", `${X} == "a == b && (c)"`, "a == b && (c)", true},
		{"a dollar in text", "${X} == '$5'", "$5", true},
		{"not ASCII", "${X} == '日本 é 👩‍💻'", "日本 é 👩‍💻", true},
		{"a line break in text", "${X} == 'a\nb'", "a\nb", true},

		{"the least integer", "-9223372036854775808 < ${X}", "-9223372036854775807", true},
		{"the least integer % -1", "${X} % -1 == 0", "-9223372036854775808", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := parse(t, test.text).Eval(with(test.x))
			if err != nil || got != test.want {
				t.Errorf("%s with X=%q is %v, %v, want %v", test.text, test.x, got, err, test.want)
			}
		})
	}
}

func TestEvalErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, x, want string }{
		{"remainder by zero", "${ITERATION} == 1 || 5 % 0 == 1", "", "evaluate % in column 24: the right side is zero"},
		{"remainder by a variable", "5 % ${X} == 1", "0", "evaluate % in column 3: the right side is zero"},
		{"column in characters", "${X} == 'é' || 5 % 0 == 1", "", "evaluate % in column 18: the right side is zero"},
		{"an empty value", "${X} < 5", "", "evaluate ${X}: empty, not a whole number: ask for ${X} != '' first"},
		{"on the right", "5 > ${X}", "", "evaluate ${X}: empty, not a whole number: ask for ${X} != '' first"},
		{"a blank", "${X} < 5", " 4", "evaluate ${X}: not a whole number: compare text with == or !="},
		{"a secret is not shown", "${X} % 2 == 0", "s3cret", "evaluate ${X}: not a whole number: compare text with == or !="},
		{"behind !", "!(${X} < 5)", "x", "evaluate ${X}: not a whole number: compare text with == or !="},
		{"behind !=", "-${X} != 5", "x", "evaluate ${X}: not a whole number: compare text with == or !="},
		{"too large", "${X} >= 0", "9223372036854775808", "evaluate ${X}: the number does not fit in 64 bits: compare it as text"},
		{"minus the least integer", "-${X} > 0", "-9223372036854775808", "evaluate - in column 1: the number does not fit in 64 bits"},
		{"minus the least literal", "0 < - -9223372036854775808", "", "evaluate - in column 5: the number does not fit in 64 bits"},
		{"and stops", "${X} > 1 && true", "x", "evaluate ${X}: not a whole number: compare text with == or !="},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := parse(t, test.text).Eval(with(test.x))
			if got || err == nil || err.Error() != test.want {
				t.Errorf("%s with X=%q is %v, %v, want false, %s", test.text, test.x, got, err, test.want)
			}
		})
	}
}

// Where the left side decides, nothing on the right is evaluated.
func TestShortCircuit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"false && ${X} > 1":                 false,
		"true || ${X} > 1":                  true,
		"${X} != '' && ${X} > 1":            false,
		"(false && 1 % 0 == 0) || true":     true,
		"true || false && 1 % 0 == 0":       true,
		"false && 1 % 0 == 0 && 2 % 0 == 0": false,
	} {
		asked := false
		got, err := parse(t, text).Eval(func(name string) string {
			asked = true
			return ""
		})
		if err != nil || got != want || asked != strings.HasPrefix(text, "${X}") {
			t.Errorf("%s is %v, %v (a variable was asked for: %v), want %v", text, got, err, asked, want)
		}
	}
}

// What a shell would splice stays one operand.
func TestValueIsNoSyntax(t *testing.T) {
	t.Parallel()
	for _, x := range []string{
		"x' == 'x' || '1' == '1", "' || true || '", "plan' || 'a' == 'a", `plan\`, "${STAGE}", "true", "1 || 1", "$(touch CANARY)", "\x00", "\xff", ")",
	} {
		for text, want := range map[string]bool{"${X} == 'plan'": false, "${X} != 'plan'": true, "${X} == ${X}": true, "${X} == 1": false} {
			if got, err := parse(t, text).Eval(with(x)); err != nil || got != want {
				t.Errorf("%s with X=%q is %v, %v, want %v", text, x, got, err, want)
			}
		}
	}
}

// One Expr is used by many at once; the race detector watches.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	expr := parse(t, "${X} % 10 == 0 && ${STAGE} == ''")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got, err := expr.Eval(with("20")); !got || err != nil {
				t.Errorf("Eval = %v, %v, want true", got, err)
			}
		})
	}
	all.Wait()
}
