package engine

import (
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"discobot-hooks/hook"
	"discobot-hooks/internal/variables"
	"discobot-hooks/internal/wording"
	"discobot-hooks/internal/yamlfile"
)

// maxFileBytes leaves room for prompts, which some files hold.
const maxFileBytes = 1 << 20

// A FileError is something wrong with a file of the pipeline.
type FileError hook.Problem

func (e *FileError) Error() string { return "read pipeline: " + hook.Problem(*e).String() }

// file is one file on its way to a plan. What it gives once something is wrong
// with it is not used.
type file struct{ *yamlfile.File }

func newFile(path string) file { return file{yamlfile.New(path)} }

// err is the first thing wrong with the file.
func (f file) err() error {
	for _, p := range f.Problems() {
		if p.Severity == hook.Error {
			return (*FileError)(&p)
		}
	}
	return nil
}

// read gives the mapping that the file is.
func (f file) read(workspace string) mapping {
	root, ok := f.Read(filepath.Join(workspace, f.Path()), true, maxFileBytes)
	if !ok {
		return mapping{yamlfile.Mapping{File: f.File}}
	}
	return f.mapping(root)
}

// Keys of a pipeline or stage that are ours; others are others' business.
var keys = yamlfile.Keys{Known: []string{"name", "command", "max_iterations", "runs", "loop", "stage", "stages"}, Foreign: true}

// mapping is one of the files', by its keys.
type mapping struct{ yamlfile.Mapping }

func (f file) mapping(n *yaml.Node) mapping {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.MappingNode {
		f.Errorf(n.Line, "not a mapping: write lines such as command: COMMAND")
		return mapping{yamlfile.Mapping{File: f.File}}
	}
	return mapping{f.Mapping("", n, keys)}
}

// text gives a value of one piece, as it is written; empty where there is none.
func (m mapping) text(key string) string {
	text := m.Text(key)
	if len(text) > variables.MaxBytes { // as an argument it has the limit of a variable
		m.Wrong(key, " is larger than %d KiB: keep it in a script", variables.MaxBytes>>10)
	}
	return text
}

// iterations gives a number from 1, or 0 where there is none.
func (m mapping) iterations(key string) int {
	n := m.Value(key)
	if n == nil {
		return 0
	}
	var number int
	if n.ShortTag() != "!!int" || n.Decode(&number) != nil || number < 1 {
		m.Wrong(key, " is %s: write a number from 1", wording.Quote(n.Value))
	}
	return number
}
