package cond_test

import (
	"errors"
	"strings"
	"testing"

	"discobot-hooks/internal/cond"
)

func TestSyntaxErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		column     int
		want       string
	}{
		{"empty", "", 1, "the condition is empty: leave it out, or write true"},
		{"blank", " \t\n", 1, "the condition is empty: leave it out, or write true"},
		{"no UTF-8", "é\xff", 2, "the byte 0xff is not UTF-8: save the file as UTF-8"},
		{"a replacement character is one", "\uFFFD", 1, "`\uFFFD` has no meaning here: write it in quotes if it is text"},
		{"NUL", "true\x00", 5, "the character U+0000 cannot be seen: take it out"},
		{"an escape in text", "${X} == 'a\x1b[31m'", 11, "the character U+001B cannot be seen: take it out"},
		{"turned text", "${X} == '\u202ea'", 10, "the character U+202E cannot be seen: take it out"},

		{"a bare variable", "${X}", 1, "`${X}` is text, not true or false: compare it, as in ${NAME} == 'true'"},
		{"a bare variable behind &&", "true && ${X}", 9, "`${X}` is text, not true or false: compare it, as in ${NAME} == 'true'"},
		{"a bare variable before ||", "(${X}) || true", 1, "`(${X})` is text, not true or false: compare it, as in ${NAME} == 'true'"},
		{"a bare text", "'true'", 1, "`'true'` is text, not true or false: compare it, as in ${NAME} == 'text'"},
		{"a bare number", "1", 1, "`1` is a number, not true or false: compare it, as in ${NAME} % 2 == 0"},
		{"a bare remainder", "${X} % 2", 1, "`${X} % 2` is a number, not true or false: compare it, as in ${NAME} % 2 == 0"},
		{"not of a variable", "!${X} == 'a'", 2, "`!` negates only true or false, not `${X}`: write != to compare, or !( ) around a comparison"},
		{"not of a number", "!1", 2, "`!` negates only true or false, not `1`: write != to compare, or !( ) around a comparison"},

		{"true and a text", "true == 'true'", 1, "`true` is no text: write it in quotes to compare it with `'true'`"},
		{"a variable and true", "${X} == true", 9, "`true` is no text: write it in quotes to compare it with `${X}`"},
		{"a truth and a number", "1 == true", 6, "`true` is true or false and never equals `1`: write && or || between conditions"},
		{"a comparison and a text", "(1 < 2) != 'true'", 1, "`(1 < 2)` is true or false and never equals `'true'`: write && or || between conditions"},
		{"ordered text", "${X} < 'b'", 8, "`<` takes whole numbers, and `'b'` is text: compare text with == or !="},
		{"ordered text that is a number", "'07' >= ${X}", 1, "`>=` takes whole numbers, and `'07'` is text: write 7"},
		{"ordered truths", "1 < true", 5, "`<` takes whole numbers, and `true` is true or false: put ( ) around, or write && or || between conditions"},
		{"remainder of text", "'a' % 2 == 0", 1, "`%` takes whole numbers, and `'a'` is text: compare text with == or !="},
		{"remainder by a truth", "2 % false == 0", 5, "`%` takes whole numbers, and `false` is true or false: put ( ) around, or write && or || between conditions"},
		{"minus text", "-'1' == 1", 2, "`-` takes whole numbers, and `'1'` is text: write 1"},
		{"types where nothing runs", "false && 'a' < 1", 10, "`<` takes whole numbers, and `'a'` is text: compare text with == or !="},

		{"unknown", "${FOO} == 1", 1, "unknown variable `${FOO}`: there are ITERATION, STAGE, X, Y, EMPTY"},
		{"unknown, but near", "true || ${ITERATON} == 1", 9, "unknown variable `${ITERATON}`: did you mean ${ITERATION}?"},
		{"unknown by its case", "${stage} == 'plan'", 1, "unknown variable `${stage}`: did you mean ${STAGE}?"},
		{"unknown where nothing runs", "false && ${FOO} == 1", 10, "unknown variable `${FOO}`: there are ITERATION, STAGE, X, Y, EMPTY"},
		{"no braces", "$X == 1", 1, "`$X` is no variable: write ${NAME}, with letters, digits and _ only"},
		{"a default", "${X:-1} == 1", 1, "`${X:-1}` is no variable: write ${NAME}, with letters, digits and _ only"},
		{"blanks in braces", "1 == ${ X }", 6, "`${ X }` is no variable: write ${NAME}, with letters, digits and _ only"},
		{"a brace is missing", "${X == 1", 1, "`${X` is no variable: write ${NAME}, with letters, digits and _ only"},
		{"no name", "${} == 1", 1, "`${}` is no variable: write ${NAME}, with letters, digits and _ only"},
		{"a command", "$(date) == ${X}", 1, "`$` is no variable: write ${NAME}, with letters, digits and _ only"},
		{"a dollar", "1 == $", 6, "`$` is no variable: write ${NAME}, with letters, digits and _ only"},
		{"a variable in quotes", `"${STAGE}" == "plan"`, 1, "${STAGE} in quotes would stay text: write it without quotes"},

		{"a text without end", "${X} == 'plan", 9, "the text that begins here does not end: add '"},
		{"an escaped end", `${X} == "plan\"`, 9, `the text that begins here does not end: add "`},
		{"a backslash at the end", `${X} == 'a\`, 9, "the text that begins here does not end: add '"},
		{"an unknown escape", `${X} == 'é\n'`, 11, `a backslash escapes only itself and ' here: write \\ for one`},
		{"the other quote escaped", `${X} == 'a\"'`, 11, `a backslash escapes only itself and ' here: write \\ for one`},

		{"a bare word", "${X} == plan", 9, "`plan` is bare: write text in quotes, as in 'text'"},
		{"a bare word with a hyphen", "${X} == code-review && true", 9, "`code-review` is bare: write text in quotes, as in 'text'"},
		{"a bare word, not ASCII", "é == ${X}", 1, "`é` is bare: write text in quotes, as in 'text'"},
		{"a bare name", "STAGE == 'plan'", 1, "`STAGE` is bare: a variable is ${STAGE}, and text is in quotes"},
		{"a bare name in lower case", "stage == 'plan'", 1, "`stage` is bare: a variable is ${STAGE}, and text is in quotes"},
		{"and", "true and true", 6, "write && for `and`"},
		{"OR", "true OR true", 6, "write || for `OR`"},
		{"not", "not true", 1, "write ! for `not`"},
		{"True", "True", 1, "write true for `True`"},
		{"-eq", "${X} -eq 10", 6, "write == for `-eq`"},
		{"-lt in parentheses", "(${X} -lt 10)", 7, "write < for `-lt`"},

		{"one =", "${X} = 1", 6, "`=` has no meaning here: write == to compare"},
		{"three =", "${X} === 1", 8, "`=` has no meaning here: write == to compare"},
		{"one &", "true & true", 6, "`&` has no meaning here: write && for and"},
		{"one |", "true | true", 6, "`|` has no meaning here: write || for or"},
		{"plus", "${X} + 1 == 2", 6, "`+` has no meaning here: % is the only arithmetic"},
		{"minus between values", "${X} - 1 == 2", 6, "`-` stands before a number only: % is the only arithmetic"},
		{"test's brackets", "[ ${X} == 1 ]", 1, "`[` has no meaning here: write ( for grouping"},
		{"a template", "{{stage}} == 'a'", 1, "`{` has no meaning here: a variable is ${NAME}"},
		{"curly quotes", "${X} == ‘plan’", 9, "`‘` has no meaning here: write a plain '"},
		{"a wide blank", "1 ==\u00a01", 5, "U+00A0 is no plain blank: write a space"},
		{"something else", "1 == 1 ☃", 8, "`☃` has no meaning here: write it in quotes if it is text"},

		{"chained", "1 < 2 < 3", 7, "`<` follows another comparison: join them with &&, as in 1 < 2 && 2 < 3"},
		{"chained equality", "1 == 1 == true", 8, "`==` follows another comparison: join them with &&, as in 1 < 2 && 2 < 3"},
		{"nothing on the right", "${X} ==", 8, "the condition ends where a value is due: add ${NAME}, 'text', a whole number, true or false"},
		{"nothing behind and", "true && ", 9, "the condition ends where a value is due: add ${NAME}, 'text', a whole number, true or false"},
		{"nothing on the left", "== 1", 1, "`==` stands where a value is due: write ${NAME}, 'text', a whole number, true or false"},
		{"nothing in parentheses", "()", 2, "`)` stands where a value is due: write ${NAME}, 'text', a whole number, true or false"},
		{"nothing between", "1 % % 1 == 1", 5, "`%` stands where a value is due: write ${NAME}, 'text', a whole number, true or false"},
		{"two values", "${X} 'a'", 6, "`'a'` follows a value: put an operator between, such as == or &&"},
		{"two values in parentheses", "(true true)", 7, "`true` follows a value: put an operator between, such as == or &&"},
		{"not closed", "true && (1 == 1", 9, "`(` is not closed: add )"},
		{"closed twice", "(true))", 7, "`)` closes nothing: take it out, or add ( before"},

		{"a fraction", "1.5 < 2", 1, "`1.5` is no whole number: write one, or quote it as text"},
		{"letters in a number", "${X} == 10a", 9, "`10a` is no whole number: write one, or quote it as text"},
		{"hexadecimal", "${X} == 0x10", 9, "`0x10` is no whole number: write one, or quote it as text"},
		{"leading zeros", "${X} == 010", 9, "`010` begins with a zero, which reads as octal in a shell: write the number without"},
		{"two zeros", "${X} == 00", 9, "`00` begins with a zero, which reads as octal in a shell: write the number without"},
		{"a plus", "${X} == +1", 9, "`+` has no meaning here: % is the only arithmetic"},
		{"too large", "${X} < 9223372036854775808", 8, "`9223372036854775808` does not fit in 64 bits: write a smaller number, or quote it as text"},
		{"too small", "${X} < -9223372036854775809", 8, "`-9223372036854775809` does not fit in 64 bits: write a smaller number, or quote it as text"},
		{"too large behind a parenthesis", "-(9223372036854775808) < 1", 3, "`9223372036854775808` does not fit in 64 bits: write a smaller number, or quote it as text"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			checkSyntaxError(t, test.text, test.column, test.want)
		})
	}
}

func checkSyntaxError(t *testing.T, text string, column int, message string) {
	t.Helper()
	expr, err := cond.Parse(text, known)
	got, ok := errors.AsType[*cond.SyntaxError](err)
	if !ok || expr != nil {
		t.Fatalf("Parse(%q) = %v, %v, want a SyntaxError alone", text, expr, err)
	}
	if got.Column != column || got.Message != message {
		t.Errorf("Parse(%q):\ngot  %d %s\nwant %d %s", text, got.Column, got.Message, column, message)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for _, around := range []struct{ name, before, inner, after string }{
		{"(", "(", "true", ")"}, {"!", "!", "true", ""}, {"-", "- ", "${X}", ""},
	} {
		deep := func(n int) string {
			text := strings.Repeat(around.before, n) + around.inner + strings.Repeat(around.after, n)
			if around.name == "-" {
				text += " == 0"
			}
			return text
		}
		if _, err := parse(t, deep(64)).Eval(with("1")); err != nil {
			t.Errorf("64 of %s: %v", around.name, err)
		}
		want := "`" + around.name + "` is nested more than 64 deep: let the hook's command decide"
		checkSyntaxError(t, deep(65), 64*len(around.before)+1, want)
	}
	side := strings.Repeat("(", 40) + "true" + strings.Repeat(")", 40)
	parse(t, side+"&&"+side) // depth is that of one operand, not of all

	long := "true" + strings.Repeat(" ", 1020)
	parse(t, long)
	checkSyntaxError(t, long+" ", 1, "the condition is longer than 1024 bytes: let the hook's command decide")
	wide := "1" + strings.Repeat("%1", 509) + "==0"
	if got, err := parse(t, wide).Eval(with("")); !got || err != nil {
		t.Errorf("a wide condition is %v, %v", got, err)
	}
}

func TestNoVariablesKnown(t *testing.T) {
	t.Parallel()
	_, err := cond.Parse("1 == ${X}", nil)
	if want := "column 6: unknown variable `${X}`: there are none here"; err == nil || err.Error() != want {
		t.Errorf("Parse = %v, want %s", err, want)
	}
}
