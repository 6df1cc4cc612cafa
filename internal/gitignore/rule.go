package gitignore

import "strings"

// A rule is one line, taken apart.
type rule struct {
	keeps    bool // it began with `!`
	onlyDirs bool // it ended with a slash
	anywhere bool // no slash in it: the last name of a path counts alone

	literal string // the pattern up to its first special character
	plain   bool   // there is none
	suffix  string // of a pattern `*suffix` without further specials
	glob    glob   // what follows literal
}

// parseRule takes a line apart. A line whose pattern can match nothing is no
// rule.
func parseRule(line string) (rule, bool) {
	var r rule
	line, r.keeps = strings.CutPrefix(line, "!")
	line, r.onlyDirs = strings.CutSuffix(line, "/")
	r.anywhere = !strings.Contains(line, "/")
	pattern := strings.TrimPrefix(line, "/")
	special := strings.IndexAny(pattern, `*?[\`)
	if special < 0 {
		r.literal, r.plain = pattern, true
		return r, pattern != ""
	}
	if rest, star := strings.CutPrefix(pattern, "*"); star && r.anywhere && !strings.ContainsAny(rest, `*?[\`) {
		r.suffix = rest
		return r, true
	}
	// git compares the literal part first and sees only the rest as a pattern:
	// there `a**/b` begins with `**/`.
	var ok bool
	r.literal = pattern[:special]
	r.glob, ok = compile(pattern[special:], !r.anywhere)
	return r, ok
}

// match looks at a path seen from the list's directory, and at its last name.
func (r *rule) match(path, name string) (matched, certain bool) {
	text := path
	if r.anywhere {
		text = name
	}
	switch {
	case r.plain:
		return text == r.literal, true
	case r.glob == nil:
		return strings.HasSuffix(text, r.suffix), true
	}
	rest, ok := strings.CutPrefix(text, r.literal)
	if !ok {
		return false, true
	}
	return r.glob.match(rest)
}
