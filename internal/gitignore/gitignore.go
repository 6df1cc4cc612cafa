// Package gitignore tells what git's ignore files name, rule by rule as
// gitignore(5) and git itself have it.
//
// Start with [Parse]; a [List] is one file's rules. Which files there are,
// which comes before which, and that nothing below an ignored directory can
// be had back, is the caller's knowledge: it knows the tree.
package gitignore

import (
	"bytes"
	"strings"
)

// A Verdict is what a list says about a path.
type Verdict int

const (
	Silent    Verdict = iota // no rule names the path: ask the next list
	Ignored                  // the last rule that names it ignores it
	Kept                     // the last rule that names it is one with `!`
	Uncertain                // it would take too long to tell
)

// A List is the rules of one file.
type List struct {
	base  string // where the file lies, with a slash at its end; empty at the top
	rules []rule
}

// Parse reads an ignore file. base is its directory from the top of the work
// tree, slash-separated; empty for the top and for files that lie elsewhere.
func Parse(text []byte, base string) List {
	list := List{base: base}
	if base != "" {
		list.base += "/"
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	for line := range bytes.Lines(text) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		line = bytes.TrimSuffix(line, []byte("\r"))
		line, _, _ = bytes.Cut(line, []byte{0}) // a C string ends there
		if r, ok := parseRule(trimSpaces(string(line))); ok {
			list.rules = append(list.rules, r)
		}
	}
	return list
}

// trimSpaces takes off the spaces at the end, but not one that is escaped.
func trimSpaces(line string) string {
	kept := 0
	for i := 0; i < len(line); i++ {
		if line[i] == ' ' {
			continue
		}
		if line[i] == '\\' {
			if i++; i == len(line) {
				return line
			}
		}
		kept = i + 1
	}
	return line[:kept]
}

// Match tells what the list says about a path, seen from the top of the work
// tree. A path that is not below the list's own directory is none of its
// business. A symbolic link to a directory is no directory.
func (l List) Match(path string, isDir bool) Verdict {
	below, ok := strings.CutPrefix(path, l.base)
	if !ok || below == "" {
		return Silent
	}
	name := below[strings.LastIndexByte(below, '/')+1:]
	for i := len(l.rules) - 1; i >= 0; i-- {
		r := &l.rules[i]
		if r.onlyDirs && !isDir {
			continue
		}
		matched, certain := r.match(below, name)
		switch {
		case !certain:
			return Uncertain
		case matched && r.keeps:
			return Kept
		case matched:
			return Ignored
		}
	}
	return Silent
}
