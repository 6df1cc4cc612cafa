package main

import (
	"errors"
	"fmt"
	"strings"
)

// check is the one script that every manager runs; its header is ours.
const (
	checkFile = ".discobot/hooks/check.sh"
	check     = "#!/bin/sh\n#---\n# name: check\n# type: pre-commit\n#---\nexit %d\n"
)

// A manager puts a git hook into a repository that runs the check.
type manager struct {
	name    string
	files   map[string]string // in its repository
	install []string          // nil: the files are all there is to do
}

var (
	ours = manager{name: "ours", install: []string{"discobot-hooks", "install"}}
	bare = manager{name: "bare", files: map[string]string{".git/hooks/pre-commit": "#!/bin/sh\n" + checkFile + "\n"}}
)

var (
	preCommit = []string{"git", "hook", "run", "pre-commit"}
	commit    = []string{"git", "-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "--quiet", "--no-verify", "--message=start"}
)

// gitPairs compares what git starts at a commit, and an install that has
// nothing to do with the least that it must ask git.
func (at place) gitPairs(fetch bool) (pairs []pair, missing []string, err error) {
	for _, m := range []manager{ours, bare} {
		if err := at.prepare(m); err != nil {
			return nil, nil, err
		}
	}
	pairs = []pair{{
		name: "git hook run, ours", a: in(ours.name, preCommit), than: "a bare sh hook", b: in(bare.name, preCommit), wanted: "A/B <= 2.0",
	}}
	for _, r := range rivals {
		if err := at.prepareRival(r, fetch); err != nil {
			missing = append(missing, strings.TrimSpace(fmt.Sprintf("%s: %v", r.name, err)))
			continue
		}
		pairs = append(pairs, pair{
			name: "git hook run, " + r.name + " " + r.version, a: in(r.name, preCommit), than: "ours", b: in(ours.name, preCommit), wanted: "A/B >= 3",
		})
	}
	ask := []string{"git", "rev-parse", "--git-path", "hooks"}
	return append(pairs, pair{
		name: "install, nothing to do", a: in(ours.name, ours.install), than: "git rev-parse, twice", b: in(ours.name, ask, ask), wanted: "A-B <= 15 ms",
	}), missing, nil
}

// prepare makes a repository of the manager's name with its git hook, a commit
// and a file that is staged. It makes sure that the check runs, by one that
// fails, or we would time a git hook that runs nothing. In the end nothing is
// unstaged, which some managers hide for as long as the check runs.
func (at place) prepare(m manager) error {
	if _, err := at.run(".", []string{"git", "init", "--quiet", m.name}, nil); err != nil {
		return err
	}
	for name, content := range m.files {
		if err := at.write(m.name+"/"+name, content); err != nil {
			return err
		}
	}
	if err := at.stage(m, checkFile, fmt.Sprintf(check, 3)); err != nil {
		return err
	}
	if m.install != nil {
		if _, err := at.run(m.name, m.install, nil); err != nil {
			return err
		}
	}
	if _, err := at.run(m.name, preCommit, nil); err == nil {
		return errors.New("its git hook passes where the check fails")
	}
	if err := at.stage(m, checkFile, fmt.Sprintf(check, 0)); err != nil {
		return err
	}
	if _, err := at.run(m.name, commit, nil); err != nil {
		return err
	}
	if err := at.stage(m, "staged.txt", "staged\n"); err != nil {
		return err
	}
	if _, err := at.run(m.name, preCommit, nil); err != nil {
		return fmt.Errorf("%w(git hook run needs git 2.36 or later)", err)
	}
	return nil
}

func (at place) stage(m manager, name, content string) error {
	if err := at.write(m.name+"/"+name, content); err != nil {
		return err
	}
	_, err := at.run(m.name, []string{"git", "add", "--all"}, nil)
	return err
}
