package frontmatter

import (
	"cmp"
	"strings"

	"discobot-hooks/hook"
	"discobot-hooks/internal/pattern"
	"discobot-hooks/internal/wording"
)

// match reads which files the hook is for.
func (in fields) match() hook.Match {
	var m hook.Match
	var bad, badToo bool
	m.Patterns, bad = in.patterns("pattern", pattern.Check)
	m.Ignore, badToo = in.patterns("ignore", pattern.CheckIgnore)
	if bad || badToo {
		return m
	}
	if _, err := pattern.Compile(m); err != nil {
		in.errorf(cmp.Or(in.lines["pattern"], in.lines["ignore"]), "%v", err)
	}
	return m
}

// patterns reads a list of patterns, or one alone.
func (in fields) patterns(key string, check func(string) error) (patterns []string, bad bool) {
	for i, s := range in.values[key].scalars {
		if i == pattern.MaxItems {
			in.errorf(s.line, "%s has more than %d items: write fewer, with * and {a,b}", key, pattern.MaxItems)
			return patterns, true
		}
		if err := check(s.text); err != nil {
			in.errorf(s.line, "%s %s: %v", key, wording.Quote(s.text), err)
			bad = true
		}
		in.suspicious(key, s)
		patterns = append(patterns, s.text)
	}
	return patterns, bad
}

// suspicious warns of a value that YAML would read another way.
func (in fields) suspicious(key string, s scalar) {
	switch {
	case s.quoted:
	case strings.Contains(s.text, " #"):
		in.warnf(s.line, "%s has a # in it, which starts no comment here: put a comment in a line of its own, or the value in quotes", key)
	case strings.HasPrefix(s.text, "[") && strings.HasSuffix(s.text, "]") && strings.Count(s.text, "]") == 1:
		in.warnf(s.line, "%s %s is one character of those in brackets: for a list of one write the item without them", key, wording.Quote(s.text))
	}
}

// isVariable tells what a shell takes for the name of a variable (POSIX, 3.216).
func isVariable(text string) bool {
	for i, c := range []byte(text) {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return text != ""
}

func (in fields) passEnv() []string {
	var out []string
	for _, s := range in.values["pass_env"].scalars {
		if !isVariable(s.text) {
			in.errorf(s.line, "pass_env %s is no name of a variable: write names such as GITHUB_TOKEN, one an item", wording.Quote(s.text))
		}
		out = append(out, s.text)
	}
	return out
}
