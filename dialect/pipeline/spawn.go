package pipeline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"discobot-hooks/dialect"
	"discobot-hooks/internal/regular"
	"discobot-hooks/internal/safename"
	"discobot-hooks/internal/variables"
	"discobot-hooks/internal/wording"
	"discobot-hooks/internal/yamlfile"
)

// engineScript is the engine of a workspace that has one, relative to it.
const engineScript = "scripts/engine.sh"

// engineFlags are what the document gives its engine.
var engineFlags = []string{"--session-dir", "{session_dir}", "--pipeline", "{pipeline}", "--inputs", "{inputs}"}

const maxOutputBytes = 1 << 20

const (
	// depthVariable tells a child's own hooks how deep they are: a hook of all
	// pipelines that spawns one would go on for ever.
	depthVariable = "DISCOBOT_PIPELINE_DEPTH"
	maxDepth      = 8
)

// childSpec is what a file says of a child pipeline.
type childSpec struct {
	pipeline string
	inputs   any // JSON values
}

func childOf(in yamlfile.Mapping) childSpec {
	c := childSpec{pipeline: required(in, "pipeline", "code-review"), inputs: map[string]any{}}
	if c.pipeline != "" && !safename.IsPath(c.pipeline) {
		in.Wrong("pipeline", " is %s: write letters, digits and _ . / -, without ..", wording.Quote(c.pipeline))
	}
	if n := in.Value("inputs"); n != nil {
		c.inputs = tree(in, n)
		if _, ok := c.inputs.(map[string]any); !ok {
			in.Wrong("inputs", " is %s: write a line NAME: VALUE for each", yamlfile.Kind(n))
		}
	}
	return c
}

// child is a child pipeline, run by an engine.
type child struct {
	Engine   []string // argv with its places
	Pipeline string
	Inputs   []byte // JSON
	Parent   string // absolute: the directory of all children
	Name     string // of its directory
	Depth    int    // how many pipelines it is in, itself too
	Tries

	output string // of the last attempt
}

// child makes the child of a spawn action.
func (f *Format) child(d definition, v values, ev *dialect.Event) (*child, error) {
	engine, err := f.options.engine()
	depth, _ := strconv.Atoi(f.getenv(depthVariable)) // nobody else's: what is no number is no child
	if err == nil && depth >= maxDepth {
		err = fmt.Errorf("spawn pipeline %s: pipelines spawn each other %d deep: give the hook a when, or the pipeline disable_global_hooks", d.child.pipeline, maxDepth)
	}
	return &child{
		Depth:  depth + 1,
		Engine: engine, Pipeline: d.child.pipeline,
		Inputs: variables.JSON(expandTree(d.child.inputs, f.texts(v, " in inputs"))),
		Parent: filepath.Join(v.sessionDir, "children"),
		Name:   fileName(ev.Name + "-" + cmp.Or(v.get("ITERATION"), "0")),
		Tries:  d.tries(),
	}, err
}

// engine is the command that runs pipelines: the configured one, the
// workspace's own, or ours.
func (o Options) engine() ([]string, error) {
	script := filepath.Join(o.Workspace, engineScript)
	argv := append([]string{script}, engineFlags...)
	switch configured := strings.TrimSpace(o.Engine); {
	case strings.HasPrefix(configured, "["):
		argv = nil
		if err := json.Unmarshal([]byte(configured), &argv); err != nil || len(argv) == 0 {
			return nil, errors.New(`read DISCOBOT_PIPELINE_ENGINE: not a JSON list of words, such as ["./engine", "{session_dir}"]`)
		}
	case configured != "":
		argv = strings.Fields(configured)
	default:
		if _, err := os.Stat(script); errors.Is(err, fs.ErrNotExist) && len(o.Local) > 0 {
			argv = append(append([]string{}, o.Local...), engineFlags...)
		}
	}
	for i, word := range argv {
		argv[i] = strings.ReplaceAll(word, "{workspace}", o.Workspace)
	}
	if strings.Contains(argv[0], "/") && !filepath.IsAbs(argv[0]) { // it runs in the child's directory
		argv[0] = filepath.Join(o.Workspace, argv[0])
	}
	return argv, nil
}

// Run implements [dialect.Action]. Each attempt has a directory of its own.
func (c *child) Run(ctx context.Context, exec dialect.Exec) dialect.Outcome {
	return c.run(ctx, exec, func() dialect.Outcome {
		dir, err := c.makeDir()
		if err != nil {
			return failure(fmt.Sprintf("make directory of child pipeline: %v", err))
		}
		say(exec, "pipeline %s runs in %s", c.Pipeline, dir)
		outcome := exec.Process(dialect.Process{Argv: c.argv(dir), Dir: dir, Isolated: true, Timeout: c.Timeout, Env: []string{fmt.Sprintf("%s=%d", depthVariable, c.Depth)}})
		if outcome.Success() {
			if c.output, err = readOutput(dir); err != nil {
				return failure(err.Error())
			}
		}
		return outcome
	})
}

func (c *child) wire() (wire, error) { return wire{Child: c}, nil }

func (c *child) argv(dir string) []string {
	places := strings.NewReplacer("{session_dir}", dir, "{pipeline}", c.Pipeline, "{inputs}", filepath.Join(dir, "inputs.json"))
	argv := make([]string, len(c.Engine))
	for i, word := range c.Engine {
		argv[i] = places.Replace(word)
	}
	return argv
}

// makeDir makes the child's directory, which is its alone: one that is taken,
// by another child of the same point or by an attempt before, gets a number.
func (c *child) makeDir() (string, error) {
	if err := os.MkdirAll(c.Parent, 0o700); err != nil {
		return "", err
	}
	dir := filepath.Join(c.Parent, c.Name)
	for n := 2; ; n++ {
		err := os.Mkdir(dir, 0o700)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) || n > maxChildren {
			return "", err
		}
		dir = fmt.Sprintf("%s-%d", filepath.Join(c.Parent, c.Name), n)
	}
	return dir, errors.Join(
		os.WriteFile(filepath.Join(dir, "inputs.json"), append(c.Inputs, '\n'), 0o600),
		os.WriteFile(filepath.Join(dir, "progress.md"), nil, 0o600),
	)
}

// maxChildren is more than one point of one iteration spawns.
const maxChildren = 10_000

// readOutput is what the child left; nothing is no failure.
func readOutput(dir string) (string, error) {
	content, err := regular.ReadAll(filepath.Join(dir, "output.json"), maxOutputBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read output of child pipeline: %w", err)
	}
	return strings.TrimRight(string(content), "\n"), nil
}
