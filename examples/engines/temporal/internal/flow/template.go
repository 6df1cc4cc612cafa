package flow

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"discobot-hooks/examples/engines/temporal/internal/child"
)

// Template is a command line for the local engine, a word each. It is never
// given to a shell, and a value never becomes more than a part of one word.
type Template []string

// DefaultTemplate runs the engine that comes with discobot-hooks.
const DefaultTemplate = "discobot-hooks engine --session-dir {session_dir} --pipeline {pipeline} --inputs {inputs} --dir {workspace}"

// ParseTemplate splits a template at white space, unless it is a JSON list of
// words: DISCOBOT_PIPELINE_ENGINE is read in the same way. The program is looked
// up now, so that its absence is not first noticed by a child; a relative path is
// one from here.
func ParseTemplate(text string) (Template, error) {
	words := strings.Fields(text)
	if len(words) > 0 && strings.HasPrefix(words[0], "[") {
		words = nil
		if err := json.Unmarshal([]byte(text), &words); err != nil {
			return nil, fmt.Errorf("engine: not a JSON list of words: %w", err)
		}
	}
	if len(words) == 0 {
		return nil, errors.New("engine: no command")
	}
	program, err := exec.LookPath(words[0])
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	if words[0], err = filepath.Abs(program); err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	return words, nil
}

// Argv is the command line for a child whose inputs lie at a path.
func (t Template) Argv(c child.Child, inputs string) []string {
	values := strings.NewReplacer("{session_dir}", c.SessionDir, "{pipeline}", c.Pipeline, "{inputs}", inputs, "{workspace}", c.Workspace)
	argv := slices.Clone(t)
	for i, word := range argv[1:] {
		argv[i+1] = values.Replace(word)
	}
	return argv
}

// childEnv is the part of an environment that spawn hooks let through, so that
// what else the worker was given, a key for Temporal say, stays with it.
func childEnv(environ []string, workspace string) []string {
	inherited := strings.Fields("PATH HOME USER LOGNAME SHELL LANG TZ TERM TMPDIR XDG_CONFIG_HOME")
	var env []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		switch {
		case name == "DISCOBOT_WORKSPACE":
		case slices.Contains(inherited, name),
			strings.HasPrefix(name, "LC_"), strings.HasPrefix(name, "DISCOBOT_"):
			env = append(env, entry)
		}
	}
	return append(env, "DISCOBOT_WORKSPACE="+workspace)
}
