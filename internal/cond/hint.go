package cond

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"discobot-hooks/internal/wording"
)

// otherWords are what other languages write for our operators. They are made
// when somebody errs, and not, as a variable is, at each start of the program.
func otherWords() map[string]string {
	return map[string]string{
		"and": "&&", "or": "||", "not": "!", "is": "==", "mod": "%",
		"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
	}
}

// otherSigns say the same of characters, and of what is not in the language.
func otherSigns() map[rune]string {
	return map[rune]string{
		'=': "write == to compare", '&': "write && for and", '|': "write || for or",
		'≠': "write !=", '≤': "write <=", '≥': "write >=", '−': "write a plain -",
		'`': "quote text with ' or \"", '‘': "write a plain '", '’': "write a plain '", '“': `write a plain "`, '”': `write a plain "`,
		'+': "% is the only arithmetic", '*': "% is the only arithmetic", '/': "% is the only arithmetic",
		'[': "write ( for grouping", ']': "write ) for grouping", '{': "a variable is ${NAME}", '}': "a variable is ${NAME}",
		';': "a condition is one expression",
	}
}

// insteadOf says what to write for a character that begins no token.
func insteadOf(r rune) string {
	if hint, ok := otherSigns()[r]; ok {
		return hint
	}
	return "write it in quotes if it is text"
}

// insteadOfWord says what to write for a bare word.
func (l *lexer) insteadOfWord(word string) string {
	lower := strings.ToLower(word)
	operator := otherWords()[lower]
	switch {
	case operator != "":
		return fmt.Sprintf("write %s for %s", operator, wording.Quote(word))
	case lower == "true" || lower == "false":
		return fmt.Sprintf("write %s for %s", lower, wording.Quote(word))
	}
	same := func(name string) bool { return strings.EqualFold(name, word) }
	if i := slices.IndexFunc(l.known, same); i >= 0 {
		return fmt.Sprintf("%s is bare: a variable is ${%s}, and text is in quotes", wording.Quote(word), l.known[i])
	}
	return fmt.Sprintf("%s is bare: write text in quotes, as in 'text'", wording.Quote(word))
}

// insteadOfMinus says what to write for a hyphen between two values, which may
// begin an operator of test(1).
func insteadOfMinus(rest string) string {
	end := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		end = len(rest)
	}
	if operator := otherWords()[rest[:end]]; operator != "" {
		return fmt.Sprintf("write %s for `-%s`", operator, rest[:end])
	}
	return "`-` stands before a number only: % is the only arithmetic"
}

// unknown is the message about a variable that is not among the known.
func unknown(name string, known []string) string {
	shown := wording.Quote("${" + name + "}")
	if near, ok := wording.Nearest(name, known); ok {
		return fmt.Sprintf("unknown variable %s: did you mean ${%s}?", shown, near)
	}
	if len(known) == 0 {
		return fmt.Sprintf("unknown variable %s: there are none here", shown)
	}
	return fmt.Sprintf("unknown variable %s: there are %s", shown, strings.Join(known, ", "))
}
