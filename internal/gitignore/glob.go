package gitignore

import "strings"

// A glob is a compiled pattern: a step after the other.
type glob []step

type step struct {
	kind kind
	char byte
	set  *set // of chars
}

type kind byte

const (
	char   kind = iota // this one
	one                // any one; no slash in a path
	oneOf              // one of a set; no slash in a path
	run                // any number, none too; no slash in a path
	runAll             // any number, slashes too
	deep               // `**/`: nothing, or anything up to a slash
)

type set [256 / 8]byte

func (s *set) has(c byte) bool { return s[c/8]&(1<<(c%8)) != 0 }
func (s *set) add(from, to byte) {
	for c := int(from); c <= int(to); c++ {
		s[c/8] |= 1 << (c % 8)
	}
}

// compile reads a pattern as git's wildmatch does. In a path a slash is matched
// by a slash and by `**` alone. It is not ok if the pattern is broken: such a
// one matches nothing.
func compile(pattern string, path bool) (glob, bool) {
	var g glob
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; c {
		case '?':
			g = append(g, step{kind: one})
		case '*':
			end := i
			for end < len(pattern) && pattern[end] == '*' {
				end++
			}
			s, used := stars(pattern, i, end, path)
			g, i = append(g, s), i+used-1
		case '[':
			s, used, ok := bracket(pattern[i:], path)
			if !ok {
				return nil, false
			}
			g, i = append(g, step{kind: oneOf, set: s}), i+used-1
		case '\\':
			if i++; i == len(pattern) {
				return nil, false
			}
			g = append(g, step{char: pattern[i]})
		default:
			g = append(g, step{char: c})
		}
	}
	if !path { // slashes are nothing special
		for i := range g {
			if g[i].kind == run {
				g[i].kind = runAll
			}
		}
	}
	return g, true
}

// stars reads asterisks from start to end. Two or more are something else than
// one if they stand alone between slashes.
func stars(pattern string, start, end int, path bool) (step, int) {
	rest := pattern[end:]
	alone := end-start > 1 && (start == 0 || pattern[start-1] == '/') &&
		(rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`))
	switch {
	case !path || !alone:
		return step{kind: run}, end - start
	case strings.HasPrefix(rest, "/"):
		return step{kind: deep}, end - start + 1
	default:
		return step{kind: runAll}, end - start
	}
}

// maxSteps bounds the comparison of one path with one pattern. Patterns are
// workspace content, and stars can be made to take for ever.
const maxSteps = 20_000

// match tells whether all of text matches.
func (g glob) match(text string) (matched, certain bool) {
	steps := maxSteps
	matched = g.try(text, &steps)
	return matched, steps > 0
}

func (g glob) try(text string, steps *int) bool {
	for len(g) > 0 {
		if *steps--; *steps <= 0 {
			return false
		}
		switch g[0].kind {
		case run, runAll:
			return g.tryRun(text, steps)
		case deep:
			return g.tryDeep(text, steps)
		}
		if text == "" || !g[0].takes(text[0]) {
			return false
		}
		g, text = g[1:], text[1:]
	}
	return text == ""
}

func (s step) takes(c byte) bool {
	switch s.kind {
	case char:
		return c == s.char
	case one:
		return c != '/'
	default:
		return s.set.has(c)
	}
}

func (g glob) tryRun(text string, steps *int) bool {
	all := g[0].kind == runAll
	rest := g[1:]
	if len(rest) == 0 {
		return all || !strings.Contains(text, "/")
	}
	for i := 0; ; i++ {
		if rest.try(text[i:], steps) {
			return true
		}
		if i == len(text) || !all && text[i] == '/' || *steps <= 0 {
			return false
		}
	}
}

func (g glob) tryDeep(text string, steps *int) bool {
	for {
		if g[1:].try(text, steps) {
			return true
		}
		slash := strings.IndexByte(text, '/')
		if slash < 0 || *steps <= 0 {
			return false
		}
		text = text[slash+1:]
	}
}
