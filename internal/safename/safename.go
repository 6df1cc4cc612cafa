// Package safename tells which ids can be a file's name: of a session's
// directory, a hook's log.
package safename

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
