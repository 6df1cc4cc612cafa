package pattern

import (
	"errors"
	"strings"
)

// alternative is a pattern without braces.
type alternative struct {
	base bool // the one segment is about the base name, wherever it is

	// groups are the segments between `**`s; one group is a pattern without
	// any. The first stands at the start of a path, the last at its end.
	groups [][]segment
}

// newAlternatives compiles what braces expanded to. Those that stand for no
// file, as one of `{,x}` does, are left out.
func newAlternatives(sequences [][]token, anchored bool) ([]alternative, error) {
	var out []alternative
	for _, tokens := range sequences {
		a, err := newAlternative(tokens, anchored)
		if err != nil {
			return nil, err
		}
		if len(a.groups) > 0 {
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		return nil, errors.New(`matches nothing: write "**" for every file`)
	}
	return out, nil
}

func newAlternative(tokens []token, anchored bool) (alternative, error) {
	var a alternative
	names := split(tokens)
	if len(names) == 0 {
		return a, nil
	}
	if globstar(names[len(names)-1]) {
		// What ends in `**` wants a name there, as `**/*` does.
		names = append(names, []token{{kind: star}})
	}
	a.base = !anchored && len(names) == 1
	a.groups = [][]segment{nil}
	for i, name := range names {
		if globstar(name) {
			if i == 0 || !globstar(names[i-1]) {
				a.groups = append(a.groups, nil)
			}
			continue
		}
		s, err := newSegment(name)
		if err != nil {
			return a, err
		}
		if s.plain() && s.pieces[0].text == ".." {
			return a, errors.New("a .. leads out of the workspace: write the path from its top")
		}
		last := len(a.groups) - 1
		a.groups[last] = append(a.groups[last], s)
	}
	return a, nil
}

// split cuts tokens at the slashes. Empty names and `.` stand for nothing; a
// slash at the end stands for all below.
func split(tokens []token) [][]token {
	var names [][]token
	start := 0
	for i := 0; i <= len(tokens); i++ {
		if i < len(tokens) && tokens[i].kind != slash {
			continue
		}
		name := tokens[start:i]
		here := len(name) == 1 && name[0].kind == literal && name[0].char == '.'
		if len(name) > 0 && !here {
			names = append(names, name)
		}
		start = i + 1
	}
	if len(names) > 0 && tokens[len(tokens)-1].kind == slash {
		names = append(names, []token{{kind: star}, {kind: star}})
	}
	return names
}

func globstar(name []token) bool {
	return len(name) == 2 && name[0].kind == star && name[1].kind == star
}

// match tells whether the alternative stands for the whole path. Each segment
// is held against each name once at most.
func (a alternative) match(names []string, dots bool) bool {
	if a.base {
		return a.groups[0][0].match(names[len(names)-1], dots)
	}
	last := len(a.groups) - 1
	head, tail := a.groups[0], a.groups[last]
	if last == 0 {
		return len(names) == len(head) && fits(head, names, dots)
	}
	if len(names) < len(head)+len(tail) || !fits(head, names, dots) || !fits(tail, names[len(names)-len(tail):], dots) {
		return false
	}
	names = names[len(head) : len(names)-len(tail)]
	for _, group := range a.groups[1:last] {
		var ok bool
		if names, ok = search(group, names, dots); !ok {
			return false
		}
	}
	for _, name := range names {
		if !passes(name, dots) {
			return false
		}
	}
	return true
}

// search finds the first place where the group fits, with nothing before it
// that `**` does not pass over, and gives the names after it. A later place
// is never better: were there a dot between the two that `**` has to pass, it
// would have to pass it for the later one, too.
func search(group []segment, names []string, dots bool) (rest []string, ok bool) {
	for ; len(names) >= len(group); names = names[1:] {
		if fits(group, names, dots) {
			return names[len(group):], true
		}
		if !passes(names[0], dots) {
			return nil, false
		}
	}
	return nil, false
}

// fits holds the group against the first names, of which there are enough.
func fits(group []segment, names []string, dots bool) bool {
	for i, s := range group {
		if !s.match(names[i], dots) {
			return false
		}
	}
	return true
}

// passes tells whether `**` goes through a directory of this name.
func passes(name string, dots bool) bool {
	return dots || !strings.HasPrefix(name, ".")
}
