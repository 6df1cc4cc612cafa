package registry

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
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
	maxFileBytes = 64 << 10
	maxDepth     = 32
	maxProblems  = 100 // of one file
)

// file is one file on its way to a definition.
type file struct {
	workspace string
	path      string // relative to the workspace
	lines     int

	broken   bool // what it holds must not run
	problems []hook.Problem
	dropped  int // problems over maxProblems
}

// errorf notes what keeps the hook from running; a line of 0 is the file.
func (f *file) errorf(line int, format string, args ...any) {
	f.broken = true
	f.add(line, hook.Error, format, args...)
}

func (f *file) warnf(line int, format string, args ...any) {
	f.add(line, hook.Warning, format, args...)
}

func (f *file) add(line int, severity hook.Severity, format string, args ...any) {
	if len(f.problems) == maxProblems {
		f.dropped++
		return
	}
	line = min(line, f.lines) // YAML puts what is missing at the end behind it
	f.problems = append(f.problems, hook.Problem{File: f.path, Line: line, Severity: severity, Message: fmt.Sprintf(format, args...)})
}

// sorted gives the problems by line.
func (f *file) sorted() []hook.Problem {
	slices.SortStableFunc(f.problems, func(a, b hook.Problem) int { return a.Line - b.Line })
	if f.dropped == 0 {
		return f.problems
	}
	severity := hook.Warning
	if f.broken {
		severity = hook.Error
	}
	return append(f.problems, hook.Problem{File: f.path, Severity: severity, Message: fmt.Sprintf("and %d more problems", f.dropped)})
}

// read makes the definition; when it is not ok, a problem says why.
func (f *file) read() (definition, bool) {
	content, err := regular.ReadAll(filepath.Join(f.workspace, f.path), maxFileBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return definition{}, false // gone since we listed it
	case errors.Is(err, regular.ErrNotRegular):
		f.errorf(0, "not a regular file: put the file itself here")
	case errors.Is(err, regular.ErrTooLarge):
		f.errorf(0, "larger than %d KiB: keep the hook's work in its script", maxFileBytes>>10)
	case err != nil:
		f.errorf(0, "cannot be read: %v", wording.Cause(err))
	default:
		return f.parse(content)
	}
	return definition{}, false
}

// parse makes the definition of a file's content.
func (f *file) parse(content []byte) (definition, bool) {
	f.lines = lineBreaks(string(content)) + 1
	root, ok := f.document(content)
	if !ok || !f.plain(root, 0) {
		return definition{}, false
	}
	if root.Kind != yaml.MappingNode {
		f.errorf(root.Line, "not a hook: write lines such as id: NAME")
		return definition{}, false
	}
	d := f.definition(root)
	return d, !f.broken
}

// document gives the one value of a YAML file.
func (f *file) document(content []byte) (*yaml.Node, bool) {
	in := yaml.NewDecoder(bytes.NewReader(content))
	var first, second yaml.Node
	err := in.Decode(&first)
	if errors.Is(err, io.EOF) {
		f.errorf(0, "empty: write a hook or remove the file")
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
		f.errorf(second.Line, "a second document: write one hook a file")
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
func (f *file) yamlError(err error) {
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
	f.errorf(line, "not YAML: %s%s", plaintext.Line(text), hint)
}

// plain refuses what a hook has no use for and what makes a small file large.
func (f *file) plain(n *yaml.Node, depth int) bool {
	switch {
	case depth > maxDepth:
		f.errorf(n.Line, "nested more than %d deep: write it flat", maxDepth)
	case n.Kind == yaml.AliasNode:
		f.errorf(n.Line, `aliases (*name) are not supported: write the value itself, in quotes if it starts with *`)
	case n.Anchor != "":
		f.errorf(n.Line, `anchors (&name) are not supported: write the value alone, in quotes if it starts with &`)
	case n.Style&yaml.TaggedStyle != 0:
		f.errorf(n.Line, `tags (!name) are not supported: write the value alone, in quotes if it starts with !`)
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
