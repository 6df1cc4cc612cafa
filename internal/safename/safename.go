// Package safename tells which ids can be a file's name, of a session's
// directory or a hook's log, and which names a path.
package safename

import "strings"

// Is tells whether text is 1 to most letters, digits, dots, underscores and
// hyphens, the first a letter or a digit: nothing that leaves a directory,
// is hidden, or reads as an option.
func Is(text string, most int) bool {
	for i, c := range []byte(text) {
		alphanumeric := c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if !alphanumeric && (i == 0 || c != '.' && c != '_' && c != '-') {
			return false
		}
	}
	return text != "" && len(text) <= most
}

// IsPath tells whether text is made of letters, digits, dots, underscores,
// hyphens and slashes, the first a letter, a digit or an underscore, without
// two dots in a row: nothing that leaves a directory or reads as an option.
func IsPath(text string) bool {
	const first = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
	return text != "" && strings.Contains(first, text[:1]) &&
		strings.Trim(text, first+"./-") == "" && !strings.Contains(text, "..")
}
