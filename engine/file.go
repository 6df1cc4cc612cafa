package engine

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/regular"
	"discobot-hooks/internal/wording"
)

// maxFileBytes leaves room for prompts, which some files hold.
const maxFileBytes = 1 << 20

// A FileError is something wrong with a file of the pipeline.
type FileError hook.Problem

func (e *FileError) Error() string { return "read pipeline: " + hook.Problem(*e).String() }

// file is one file on its way to a plan. The first thing wrong with it is its
// error; nothing that it gives afterwards is used.
type file struct {
	path string // relative to the workspace
	err  error
}

// failf notes what is wrong; a line of 0 is the file.
func (f *file) failf(line int, format string, args ...any) {
	if f.err == nil {
		f.err = &FileError{File: f.path, Line: line, Severity: hook.Error, Message: fmt.Sprintf(format, args...)}
	}
}

// read gives the mapping that the file is.
func (f *file) read(workspace string) mapping {
	content, err := regular.ReadAll(filepath.Join(workspace, f.path), maxFileBytes)
	switch {
	case errors.Is(err, regular.ErrNotRegular):
		f.failf(0, "not a regular file: put the file itself here")
	case errors.Is(err, regular.ErrTooLarge):
		f.failf(0, "larger than %d KiB: keep what is long in scripts", maxFileBytes>>10)
	case err != nil:
		f.failf(0, "cannot be read: %v", wording.Cause(err))
	default:
		return f.parse(content)
	}
	return mapping{file: f}
}

func (f *file) parse(content []byte) mapping {
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		f.yamlError(err)
		return mapping{file: f}
	}
	if len(document.Content) == 0 {
		f.failf(0, "empty: write lines such as command: COMMAND")
		return mapping{file: f}
	}
	return f.mapping(document.Content[0])
}

// yamlError takes the line out of what the YAML library says.
func (f *file) yamlError(err error) {
	text, line := strings.TrimPrefix(err.Error(), "yaml: "), 0
	if number, rest, ok := strings.Cut(strings.TrimPrefix(text, "line "), ": "); ok {
		if n, err := strconv.Atoi(number); err == nil {
			line, text = n, rest
		}
	}
	f.failf(line, "not YAML: %s", plaintext.Line(text))
}

// mapping is a YAML mapping by its keys. Keys that we do not know are others'
// business.
type mapping struct {
	*file
	line   int
	values map[string]*yaml.Node
}

func (f *file) mapping(n *yaml.Node) mapping {
	n = meant(n)
	m := mapping{file: f, line: n.Line, values: make(map[string]*yaml.Node)}
	if n.Kind != yaml.MappingNode {
		f.failf(n.Line, "not a mapping: write lines such as command: COMMAND")
		return m
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], meant(n.Content[i+1])
		if m.values[key.Value] != nil {
			f.failf(key.Line, "%s is here a second time: take one out", wording.Quote(key.Value))
		}
		if value.ShortTag() != "!!null" {
			m.values[key.Value] = value
		}
	}
	return m
}

// meant follows an alias, which a stage may be.
func meant(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// text gives a value of one piece, as it is written; empty where there is none.
func (m mapping) text(key string) string {
	n := m.values[key]
	switch {
	case n == nil:
		return ""
	case n.Kind != yaml.ScalarNode:
		m.failf(n.Line, "%s is a list or mapping: write one value", key)
	case strings.ContainsRune(n.Value, 0):
		m.failf(n.Line, "%s has a NUL character, which no program can be given: take it out", key)
	case len(n.Value) > maxValueBytes: // as an argument it has the limit of a variable
		m.failf(n.Line, "%s is larger than %d KiB: keep it in a script", key, maxValueBytes>>10)
	}
	return n.Value
}

// iterations gives a number from 1, or 0 where there is none.
func (m mapping) iterations(key string) int {
	n := m.values[key]
	if n == nil {
		return 0
	}
	var number int
	if n.ShortTag() != "!!int" || n.Decode(&number) != nil || number < 1 {
		m.failf(n.Line, "%s is %s: write a number from 1", key, wording.Quote(n.Value))
	}
	return number
}
