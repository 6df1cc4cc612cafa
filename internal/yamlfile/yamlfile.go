// Package yamlfile reads small YAML files that people write by hand, and says
// what is wrong with them: every problem has its line, and a way out.
//
// Start with [New], [File.Read] and [File.Mapping]. The package knows YAML and
// no format; values stay nodes until somebody asks for a kind of value.
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/regular"
	"discobot-hooks/internal/wording"
)

const (
	maxDepth    = 32
	maxProblems = 100 // of one file
)

// A File is one file on its way to what it means, and its problems.
type File struct {
	path  string // as problems name it
	lines int

	// AllowEmpty makes a file without any value one that is not ok, and has no
	// problem.
	AllowEmpty bool

	errors   int
	problems []hook.Problem
	dropped  int // problems over maxProblems
}

// New is a file that problems call path.
func New(path string) *File { return &File{path: path} }

// Path is what problems call the file.
func (f *File) Path() string { return f.path }

// Broken tells that there was an error.
func (f *File) Broken() bool { return f.errors > 0 }

// Errors counts those so far, so that a reader can tell whether a part of the
// file had any.
func (f *File) Errors() int { return f.errors }

// Errorf notes what must not run as it is; a line of 0 is the file.
func (f *File) Errorf(line int, format string, args ...any) {
	f.errors++
	f.Add(line, hook.Error, format, args...)
}

// Warnf notes what is merely odd.
func (f *File) Warnf(line int, format string, args ...any) {
	f.Add(line, hook.Warning, format, args...)
}

// Add notes a problem which, whatever its severity, breaks nothing: see
// [File.Broken].
func (f *File) Add(line int, severity hook.Severity, format string, args ...any) {
	if len(f.problems) == maxProblems {
		f.dropped++
		return
	}
	line = min(line, f.lines) // YAML puts what is missing at the end behind it
	f.problems = append(f.problems, hook.Problem{File: f.path, Line: line, Severity: severity, Message: fmt.Sprintf(format, args...)})
}

// Problems gives them by line.
func (f *File) Problems() []hook.Problem {
	slices.SortStableFunc(f.problems, func(a, b hook.Problem) int { return a.Line - b.Line })
	if f.dropped == 0 {
		return f.problems
	}
	severity := hook.Warning
	if f.Broken() {
		severity = hook.Error
	}
	return append(f.problems, hook.Problem{File: f.path, Severity: severity, Message: fmt.Sprintf("and %d more problems", f.dropped)})
}

// Read gives the one value that the file at path holds, of most bytes; when it
// is not ok, a problem says why. A file that is not there is an error only
// where it was asked for by name.
func (f *File) Read(path string, named bool, most int64) (*yaml.Node, bool) {
	content, err := regular.ReadAll(path, most)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named:
	case errors.Is(err, regular.ErrNotRegular):
		f.Errorf(0, "not a regular file: put the file itself here")
	case errors.Is(err, regular.ErrTooLarge):
		f.Errorf(0, "larger than %d KiB: keep what is long in scripts", most>>10)
	case err != nil:
		f.Errorf(0, "cannot be read: %v", wording.Cause(err))
	default:
		return f.Parse(content)
	}
	return nil, false
}

// Parse is Read of the file's content.
func (f *File) Parse(content []byte) (*yaml.Node, bool) {
	f.lines = lineBreaks(string(content)) + 1
	return f.document(content)
}

// document gives the one value of a YAML file.
func (f *File) document(content []byte) (*yaml.Node, bool) {
	in := yaml.NewDecoder(bytes.NewReader(content))
	var first, second yaml.Node
	err := in.Decode(&first)
	if errors.Is(err, io.EOF) {
		if !f.AllowEmpty {
			f.Errorf(0, "empty: fill it or remove it")
		}
		return nil, false
	}
	if err == nil {
		if err = in.Decode(&second); errors.Is(err, io.EOF) {
			return first.Content[0], true
		}
	}
	if err != nil {
		f.yamlError(err)
	} else {
		f.Errorf(second.Line, "a second document: write one a file")
	}
	return nil, false
}

// lineBreaks counts what YAML ends lines by (YAML 1.1, 5.4).
func lineBreaks(text string) int {
	n := strings.Count(text, "\n") + strings.Count(text, "\r") - strings.Count(text, "\r\n")
	return n + strings.Count(text, "\u0085") + strings.Count(text, "\u2028") + strings.Count(text, "\u2029")
}

// yamlError words what the YAML library says. The commonest cause is a glob
// without quotes: `*` starts an alias there.
func (f *File) yamlError(err error) {
	text, line := strings.TrimPrefix(err.Error(), "yaml: "), 0
	if number, rest, ok := strings.Cut(strings.TrimPrefix(text, "line "), ": "); ok {
		if n, err := strconv.Atoi(number); err == nil {
			line, text = n, rest
		}
	}
	hint := ""
	if strings.Contains(text, "anchor") || strings.Contains(text, "alphabetic") || strings.Contains(text, "cannot start any token") {
		hint = `; put a value that starts with * & ! % @ or ` + "`" + ` in quotes, such as "*.go"`
	}
	f.Errorf(line, "not YAML: %s%s", plaintext.Line(text), hint)
}

// Plain refuses what makes a small file large, and what a short hook has no
// use for: aliases, anchors, tags and depth.
func (f *File) Plain(n *yaml.Node) bool { return f.plain(n, 0) }

func (f *File) plain(n *yaml.Node, depth int) bool {
	switch {
	case depth > maxDepth:
		f.Errorf(n.Line, "nested more than %d deep: write it flat", maxDepth)
	case n.Kind == yaml.AliasNode:
		f.Errorf(n.Line, `aliases (*name) are not supported: write the value itself, in quotes if it starts with *`)
	case n.Anchor != "":
		f.Errorf(n.Line, `anchors (&name) are not supported: write the value alone, in quotes if it starts with &`)
	case n.Style&yaml.TaggedStyle != 0:
		f.Errorf(n.Line, `tags (!name) are not supported: write the value alone, in quotes if it starts with !`)
	default:
		for _, child := range n.Content {
			if !f.plain(child, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}
