package engine

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"discobot-hooks/internal/safename"
	"discobot-hooks/internal/wording"
)

// plan is a pipeline as its files say.
type plan struct {
	file   string // absolute; empty for a stage alone
	stages []stage
}

type stage struct {
	name    string
	file    string // absolute; empty where the pipeline has the command itself
	command string
	most    int    // iterations
	log     string // what its logs are called, different for each stage
}

// load finds and reads a pipeline and the files of its stages. A file without
// `stages` is a stage alone, wherever it lies.
func load(workspace, name string) (plan, error) {
	if !safename.IsPath(name) {
		return plan{}, &NameError{name}
	}
	places := pipelinePlaces(name)
	found, ok := find(workspace, places)
	if !ok {
		return plan{}, &NotFoundError{Kind: "pipeline", Name: name, Looked: places}
	}
	f := newFile(found)
	top := f.read(workspace)
	list := top.Value("stages")
	if f.Broken() || list == nil {
		alone := stage{name: shortName(name), file: filepath.Join(workspace, found)}
		alone.complete(top)
		return plan{stages: named([]stage{alone})}, f.err()
	}
	p := plan{file: filepath.Join(workspace, found)}
	if list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
		f.Errorf(list.Line, "stages is no list of stages: write an item such as - loop: NAME")
	}
	for i, item := range list.Content {
		if item, ok = f.Resolve(item); !ok {
			break
		}
		s, err := entry(workspace, f.mapping(item), i)
		if err != nil {
			return plan{}, err
		}
		p.stages = append(p.stages, s)
	}
	p.stages = named(p.stages)
	return p, f.err()
}

// entry reads one of a pipeline's stages, and its file where it names one.
func entry(workspace string, m mapping, position int) (stage, error) {
	s := stage{name: m.text("name"), command: m.text("command")}
	s.most = cmp.Or(m.iterations("max_iterations"), m.iterations("runs"))
	loop, other := m.text("loop"), m.text("stage")
	ref := cmp.Or(loop, other)
	switch {
	case m.Broken(): // what is missing may be in what could not be read
	case loop != "" && other != "":
		m.Errorf(m.Line(), "a stage with both loop and stage: take one out")
	case ref == "" && s.command == "":
		m.Errorf(m.Line(), "a stage without loop and command: write loop: NAME, or command: COMMAND")
	case ref != "" && !safename.IsPath(ref):
		m.Errorf(m.Line(), "%s cannot be the name of a stage: a name %s", wording.Quote(ref), nameForm)
	}
	if err := (file{m.File}).err(); err != nil || ref == "" {
		s.name, s.most = cmp.Or(s.name, "stage-"+strconv.Itoa(position+1)), max(s.most, 1)
		return s, err
	}
	places := stagePlaces(ref)
	found, ok := find(workspace, places)
	if !ok {
		return s, &NotFoundError{Kind: "stage", Name: ref, Looked: places, Cited: fmt.Sprintf("%s:%d", m.Path(), m.Line())}
	}
	f := newFile(found)
	s.name, s.file = cmp.Or(s.name, shortName(ref)), filepath.Join(workspace, found)
	s.complete(f.read(workspace))
	return s, f.err()
}

// complete fills in from the stage's own file what the pipeline leaves open.
// The pipeline's name for the stage counts, since its hooks ask for that.
func (s *stage) complete(own mapping) {
	s.command = cmp.Or(s.command, own.text("command"))
	s.most = cmp.Or(s.most, own.iterations("max_iterations"), 1)
	if s.command == "" && !own.Broken() {
		own.Errorf(0, "no command: write command: COMMAND, which is what an iteration runs")
	}
}

// shortName is a name without directories and suffix.
func shortName(name string) string { return strings.TrimSuffix(path.Base(name), ".yaml") }

// named gives each stage a name for its logs that can be a file's.
func named(stages []stage) []stage {
	taken := make(map[string]bool)
	for i := range stages {
		log := strings.Map(logRune, stages[i].name)
		log = log[:min(len(log), 100)]
		for taken[log] {
			log += "." + strconv.Itoa(i+1)
		}
		taken[log] = true
		stages[i].log = log
	}
	return stages
}

func logRune(r rune) rune {
	if r < 0x80 && (safename.IsPath(string(r)) || r == '-' || r == '.') {
		return r
	}
	return '-'
}
