package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"discobot-hooks/internal/wording"
)

// A NameError is a name that no pipeline can have.
type NameError struct{ Name string }

func (e *NameError) Error() string {
	return fmt.Sprintf("find pipeline: %s cannot be the name of one", wording.Quote(e.Name))
}

// Hint says what a name is.
func (*NameError) Hint() string { return "a name " + nameForm }

const nameForm = "has letters, digits and _ . / -, begins with a letter, digit or _, and has no .. in it"

// A NotFoundError is a pipeline or stage without a file.
type NotFoundError struct {
	Kind   string // pipeline or stage
	Name   string
	Looked []string // where, relative to the workspace
	Cited  string   // file:line that names it; empty: the caller did
}

func (e *NotFoundError) Error() string {
	text := fmt.Sprintf("find %s %s: no such file", e.Kind, wording.Quote(e.Name))
	if e.Cited != "" {
		text = e.Cited + ": " + text
	}
	return text
}

// Hint says where it would be found.
func (e *NotFoundError) Hint() string {
	if len(e.Looked) == 1 {
		return "write it: " + e.Looked[0]
	}
	return "write " + e.Looked[0] + "; a file at " + strings.Join(e.Looked[1:], ", ") + " would do, too"
}

// find is the first of these places that exists, relative to the workspace.
// What lies there is for the reader to like or not.
func find(workspace string, places []string) (path string, ok bool) {
	for _, place := range places {
		if _, err := os.Lstat(filepath.Join(workspace, place)); err == nil {
			return place, true
		}
	}
	return "", false
}

func pipelinePlaces(name string) []string {
	if strings.HasSuffix(name, ".yaml") {
		return []string{name}
	}
	return append([]string{"scripts/pipelines/" + name + ".yaml", "scripts/pipelines/" + name + "/pipeline.yaml"}, stagePlaces(name)...)
}

func stagePlaces(name string) []string {
	if strings.HasSuffix(name, ".yaml") {
		return []string{name}
	}
	loop, stage := "scripts/loops/"+name, "scripts/stages/"+name
	return []string{loop + "/loop.yaml", loop + "/stage.yaml", stage + "/stage.yaml", stage + "/loop.yaml"}
}
