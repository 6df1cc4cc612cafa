package main

import (
	"bytes"
	"fmt"
	"strings"
)

// The repository of the turns: most turns change nothing that a hook is about.
const (
	turnFiles    = 1000
	turnDirs     = 50
	turnCheck    = "#!/bin/sh\n#---\n# name: check\n# type: file\n# pattern: \"*.go\"\n#---\nexit %d\n"
	turnPayload  = `{"session_id":"bench","cwd":%q,"prompt_id":"1","hook_event_name":"Stop","stop_hook_active":false,"background_tasks":[],"session_crons":[]}`
	turnRepo     = "turns"
	turnHookFile = turnRepo + "/.discobot/hooks/check.sh"
)

// turnPairs compares the end of a turn that changed nothing, as an agent's hook,
// with the least that git could be asked.
func (at place) turnPairs() ([]pair, error) {
	evaluate := []string{"discobot-hooks", "eval-turn", "--agent", "claude-code"}
	if err := at.prepareTurns(evaluate); err != nil {
		return nil, err
	}
	a := in(turnRepo, evaluate)
	name := fmt.Sprintf("eval-turn --agent, nothing changed in %d files", turnFiles)
	return []pair{
		{name: name, a: a, than: "git --version", b: in(turnRepo, []string{"git", "--version"}), wanted: "A/B <= 3"},
		{name: name, a: a, than: "git status --porcelain", b: in(turnRepo, []string{"git", "status", "--porcelain"})},
	}, nil
}

// prepareTurns makes sure that a change would be found and the hook run, or we
// would time an evaluation of nothing.
func (at place) prepareTurns(evaluate []string) error {
	for i := range turnFiles {
		if err := at.write(fmt.Sprintf("%s/d%d/f%d.go", turnRepo, i%turnDirs, i), fmt.Sprintf("package d // %d\n", i)); err != nil {
			return err
		}
	}
	if err := at.write(turnRepo+"/.git/info/exclude", "/payload.json\n"); err != nil {
		return err
	}
	if err := at.write(turnRepo+"/payload.json", fmt.Sprintf(turnPayload, at.path(turnRepo))); err != nil {
		return err
	}
	for _, exit := range []int{1, 0} {
		if err := at.write(turnHookFile, fmt.Sprintf(turnCheck, exit)); err != nil {
			return err
		}
		for _, argv := range [][]string{{"git", "init", "--quiet"}, {"git", "add", "-A"}, commit} {
			if _, err := at.run(turnRepo, argv, nil); err != nil {
				return err
			}
		}
		if err := at.write(turnRepo+"/d0/f0.go", fmt.Sprintf("package d // changed %d\n", exit)); err != nil {
			return err
		}
		var out bytes.Buffer
		if _, err := at.run(turnRepo, evaluate, &out); err != nil {
			return err
		}
		if blocked := strings.Contains(out.String(), `"block"`); blocked != (exit == 1) {
			return fmt.Errorf("eval-turn with a hook that exits with %d: %q", exit, &out)
		}
	}
	_, err := at.run(turnRepo, []string{"git", "checkout", "--quiet", "."}, nil)
	return err
}
