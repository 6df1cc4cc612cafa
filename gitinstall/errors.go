package gitinstall

import "strings"

// Error is a refusal or a fault that the caller can do something about: the
// hint is the way out, in one line, for a second line on the terminal.
type Error struct {
	msg  string
	hint string
	err  error
}

// Error says what is wrong, without the hint.
func (e *Error) Error() string {
	if e.err != nil {
		return e.msg + ": " + e.err.Error()
	}
	return e.msg
}

// Hint says what to do about it; it is never empty.
func (e *Error) Hint() string { return e.hint }

// Unwrap returns the cause, nil where the refusal is our own.
func (e *Error) Unwrap() error { return e.err }

// quote makes s one word for a POSIX shell, so that a hint can be pasted.
func quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
