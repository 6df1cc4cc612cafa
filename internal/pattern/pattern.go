// Package pattern answers whether a path concerns a hook: a [hook.Match]
// compiled, in bounded time.
//
// Start with [Compile]. Patterns come from the workspace, so from whoever
// writes there; a matcher that can be made to backtrack would stall the end
// of every turn. Braces are therefore expanded first, each alternative is cut
// at its slashes and each segment at its stars. What is left between two
// stars is of fixed length, and gobwas/glob, asked for no more than that, has
// nothing to go back to. Finding such pieces from left to right, and segments
// between two `**` likewise, is right without going back too: taking the
// first place where a piece fits leaves the most room for those after it.
//
// The time for a path is then a sum that Compile knows beforehand, and a
// Match over its budget is refused. The nastiest patterns that it accepts,
// against the nastiest paths of 4 KiB that we know, take 3 ms on one
// core of a small shared machine (BenchmarkWorst); 10 ms is the promise.
//
// What a pattern means is picomatch's without extglobs, but for one thing: a
// pattern without a slash is about the base name, at any depth.
package pattern

import (
	"errors"
	"fmt"
	"strings"

	"discobot-hooks/hook"
)

const (
	maxPattern = 1 << 10 // bytes of one pattern

	// MaxItems is how many patterns a Match holds, those to ignore counted.
	MaxItems = 256
)

// A Matcher is a [hook.Match] ready for use. It is safe for concurrent use.
type Matcher struct {
	all     bool // the single `!x`: everything that exclude leaves
	include []item
	exclude []item
}

// Compile prepares m. An error says what is wrong with which pattern and what
// to write instead.
func Compile(m hook.Match) (*Matcher, error) {
	if n := len(m.Patterns) + len(m.Ignore); n > MaxItems {
		return nil, fmt.Errorf("%d patterns: write %d at most, with * and {a,b}", n, MaxItems)
	}
	c := &Matcher{all: len(m.Patterns) == 1}
	for _, p := range m.Patterns {
		it, err := compile(p)
		if err != nil {
			return nil, fmt.Errorf("pattern %s: %w", quote(p), err)
		}
		if it.negated {
			c.exclude = append(c.exclude, it)
		} else {
			c.include, c.all = append(c.include, it), false
		}
	}
	if len(m.Patterns) > 1 && len(c.include) == 0 {
		return nil, errors.New(`a list of only ! items matches nothing: add "**" before them`)
	}
	for _, p := range m.Ignore {
		it, err := compileIgnore(p)
		if err != nil {
			return nil, fmt.Errorf("ignore %s: %w", quote(p), err)
		}
		c.exclude = append(c.exclude, it)
	}
	if c.cost() > budget {
		return nil, errors.New("the patterns together take too long to match: use fewer of them, and fewer *, ** and {…}")
	}
	return c, nil
}

// CompileAll is [Compile] with wildcards that match names which start with a
// dot, too.
func CompileAll(m hook.Match) (*Matcher, error) {
	c, err := Compile(m)
	if err != nil {
		return nil, err
	}
	for i := range c.include {
		c.include[i].dots = true
	}
	return c, nil
}

// Check tells what is wrong with one item of a Match's patterns.
func Check(pattern string) error {
	_, err := compile(pattern)
	return err
}

// CheckIgnore tells what is wrong with one item of a Match's ignore list.
func CheckIgnore(pattern string) error {
	_, err := compileIgnore(pattern)
	return err
}

// Match tells whether the path, slash-separated and relative to the
// workspace, is one that the hook waits for. Paths are bytes: they need not
// be UTF-8.
func (m *Matcher) Match(path string) bool {
	if path == "" {
		return false
	}
	names := strings.Split(decodable(path), "/")
	return (m.all || matchAny(m.include, names)) && !matchAny(m.exclude, names)
}

func matchAny(items []item, names []string) bool {
	for _, it := range items {
		if it.match(names) {
			return true
		}
	}
	return false
}

// item is one pattern, without its `!`.
type item struct {
	negated      bool
	dots         bool // wildcards match names that start with a dot
	alternatives []alternative
}

func (it item) match(names []string) bool {
	for _, a := range it.alternatives {
		if a.match(names, it.dots) {
			return true
		}
	}
	return false
}

func compileIgnore(pattern string) (item, error) {
	it, err := compile(pattern)
	if err != nil {
		return it, err
	}
	if it.negated {
		return it, fmt.Errorf("! is not for ignore: write %s under pattern, or \\! for a name that starts with it",
			quote(strings.TrimPrefix(pattern, "!")))
	}
	it.dots = true
	return it, nil
}

func compile(pattern string) (item, error) {
	var it item
	switch {
	case len(pattern) > maxPattern:
		return it, fmt.Errorf("longer than %d bytes: write several shorter ones as a list", maxPattern)
	case strings.ContainsRune(pattern, 0):
		return it, errors.New("a NUL character is in no file name: take it out")
	}
	rest := pattern
	if strings.HasPrefix(rest, "!") && !strings.HasPrefix(rest, "!(") {
		rest, it.negated, it.dots = rest[1:], true, true
	}
	if strings.HasPrefix(rest, "!") && !strings.HasPrefix(rest, "!(") {
		return it, errors.New(`!! is not a negation: write one ! or none, or !\! to leave out a name that starts with one`)
	}
	rest, anchored := unanchor(rest)
	if rest == "" {
		return it, errors.New(`an empty pattern matches nothing: write "**" for every file`)
	}
	tokens, err := scan(decodable(rest))
	if err != nil {
		return it, err
	}
	sequences, err := expand(tokens)
	if err != nil {
		return it, err
	}
	for _, t := range tokens {
		anchored = anchored || t.kind == slash
	}
	it.alternatives, err = newAlternatives(sequences, anchored)
	if err == nil && it.cost() > budget {
		err = errors.New("takes too long to match: use fewer *, ** and {…}, or fewer ? and […] between two *")
	}
	return it, err
}

// unanchor takes `./` or `/` off; either one says that the pattern starts at
// the top of the workspace.
func unanchor(pattern string) (rest string, anchored bool) {
	rest = pattern
	for strings.HasPrefix(rest, "./") {
		rest, anchored = rest[2:], true
	}
	if strings.HasPrefix(rest, "/") {
		rest, anchored = rest[1:], true
	}
	return rest, anchored
}

// quote shows a pattern in a message, the start of a long one.
func quote(pattern string) string {
	const most = 60
	if len(pattern) <= most {
		return fmt.Sprintf("%q", pattern)
	}
	return fmt.Sprintf("%q…", pattern[:most])
}
