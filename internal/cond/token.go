package cond

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"discobot-hooks/internal/expand"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/wording"
)

type tokenKind int

const (
	endToken      tokenKind = iota
	operatorToken           // also a parenthesis
	integerToken            // text is its digits
	stringToken             // text is what the quotes hold
	variableToken           // text is the name
	booleanToken
)

// A token is text[start:end] of the condition.
type token struct {
	kind       tokenKind
	text       string
	start, end int
}

func (t token) is(operator string) bool { return t.kind == operatorToken && t.text == operator }

// A lexer reads tokens one by one, so that the first error from the left is
// the one that is told.
type lexer struct {
	text  string
	known []string // variables, for hints
	at    int      // offset of what comes next
}

// column of an offset in bytes, in characters from 1.
func (l *lexer) column(offset int) int { return utf8.RuneCountInString(l.text[:offset]) + 1 }

// fail is an error at an offset in bytes.
func (l *lexer) fail(offset int, format string, args ...any) error {
	return &SyntaxError{Column: l.column(offset), Message: fmt.Sprintf(format, args...)}
}

// checkText refuses what no token may hold: above all characters that make a
// condition read otherwise than it is.
func checkText(text string) error {
	l := lexer{text: text}
	switch {
	case len(text) > maxBytes:
		return l.fail(0, "the condition is longer than %d bytes: let the hook's command decide", maxBytes)
	case strings.Trim(text, blanks) == "":
		return l.fail(0, "the condition is empty: leave it out, or write true")
	}
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			return l.fail(i, "the byte %#x is not UTF-8: save the file as UTF-8", text[i])
		}
		if r != '\r' && plaintext.Clean(string(r)) == "" {
			return l.fail(i, "the character %U cannot be seen: take it out", r)
		}
	}
	return nil
}

const blanks = " \t\r\n"

// operators are all there are, a longer one before what it begins with.
var operators = []string{"==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "-", "%", "(", ")"}

// next reads a token. Behind the last it is an endToken for ever.
func (l *lexer) next() (token, error) {
	l.at = len(l.text) - len(strings.TrimLeft(l.text[l.at:], blanks))
	rest := l.text[l.at:]
	r, _ := utf8.DecodeRuneInString(rest)
	switch {
	case rest == "":
		return token{start: l.at, end: l.at}, nil
	case r == '$':
		return l.variable(rest)
	case r == '\'' || r == '"':
		return l.quoted(rest)
	case isWord(r):
		return l.word(rest)
	}
	for _, operator := range operators {
		if strings.HasPrefix(rest, operator) {
			return l.take(operatorToken, operator, len(operator)), nil
		}
	}
	if unicode.IsSpace(r) {
		return token{}, l.fail(l.at, "%U is no plain blank: write a space", r)
	}
	return token{}, l.fail(l.at, "%s has no meaning here: %s", wording.Quote(string(r)), insteadOf(r))
}

// take makes a token of the next bytes.
func (l *lexer) take(kind tokenKind, text string, length int) token {
	t := token{kind: kind, text: text, start: l.at, end: l.at + length}
	l.at = t.end
	return t
}

func (l *lexer) variable(rest string) (token, error) {
	for v := range expand.All(rest) {
		if v.Start > 0 {
			break
		}
		return l.take(variableToken, v.Name, v.End), nil
	}
	odd := "$"
	if found := expand.Odd(rest); len(found) > 0 && strings.HasPrefix(rest, found[0]) {
		odd = found[0]
	}
	return token{}, l.fail(l.at, "%s is no variable: write ${NAME}, with letters, digits and _ only", wording.Quote(odd))
}

// quoted reads a string with its escapes.
func (l *lexer) quoted(rest string) (token, error) {
	quote := rest[0]
	var out strings.Builder
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; c {
		case quote:
			if names := expand.Names(rest[:i]); len(names) > 0 {
				return token{}, l.fail(l.at, "${%s} in quotes would stay text: write it without quotes", names[0])
			}
			return l.take(stringToken, out.String(), i+1), nil
		case '\\':
			i++
			if i < len(rest) && rest[i] != '\\' && rest[i] != quote {
				return token{}, l.fail(l.at+i-1, `a backslash escapes only itself and %c here: write \\ for one`, quote)
			}
		}
		if i < len(rest) {
			out.WriteByte(rest[i])
		}
	}
	return token{}, l.fail(l.at, "the text that begins here does not end: add %c", quote)
}

func (l *lexer) word(rest string) (token, error) {
	digits := rest[0] >= '0' && rest[0] <= '9'
	end := strings.IndexFunc(rest, func(r rune) bool { return !isWord(r) && r != '.' && (digits || r != '-') })
	if end < 0 {
		end = len(rest)
	}
	word := rest[:end]
	switch {
	case word == "true" || word == "false":
		return l.take(booleanToken, word, end), nil
	case !digits:
		return token{}, l.fail(l.at, "%s", l.insteadOfWord(word))
	case strings.Trim(word, "0123456789") != "":
		return token{}, l.fail(l.at, "%s is no whole number: write one, or quote it as text", wording.Quote(word))
	case word != "0" && word[0] == '0':
		return token{}, l.fail(l.at, "%s begins with a zero, which reads as octal in a shell: write the number without", wording.Quote(word))
	}
	return l.take(integerToken, word, end), nil
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
