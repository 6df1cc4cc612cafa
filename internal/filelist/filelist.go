// Package filelist hands a list of files to a hook: space-separated in
// DISCOBOT_CHANGED_FILES, as documented, and NUL-separated in the file that
// DISCOBOT_CHANGED_FILES_FILE names, the one form that carries every name; for
// git hooks likewise in DISCOBOT_STAGED_FILES and DISCOBOT_STAGED_FILES_FILE.
package filelist

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"discobot-hooks/run"
)

const (
	// maxBytes is where a list is split: a single string of the environment
	// may have 128 KiB (execve(2), MAX_ARG_STRLEN).
	maxBytes = 96 << 10

	prefix       = ".changed-files-"
	stagedPrefix = "discobot-staged-files-" // in a directory of everybody's

	changed = "DISCOBOT_CHANGED_FILES"
	staged  = "DISCOBOT_STAGED_FILES"
)

// Commands makes one command of each batch of files. A list that is too long
// for the environment is split as xargs splits a command line; an empty one
// still is one batch. The lists lie in dir until cleanup is called.
func Commands(base run.Command, files []string, dir string) (commands []run.Command, cleanup func(), err error) {
	return makeCommands(base, changed, split(files), dir, prefix)
}

// Staged is Commands for the files of a commit, and for hooks whose match says
// that they are about files.
func Staged(base run.Command, files []string, dir string) (commands []run.Command, cleanup func(), err error) {
	return makeCommands(base, staged, split(files), dir, stagedPrefix)
}

// StagedWhole makes one command, however long the list: what a hook does
// without looking at files must not be done for each batch of them. A list too
// long for the environment is in the file alone.
func StagedWhole(base run.Command, files []string, dir string) (command run.Command, cleanup func(), err error) {
	commands, cleanup, err := makeCommands(base, staged, [][]string{files}, dir, stagedPrefix)
	if err != nil {
		return command, nil, err
	}
	command = commands[0]
	if len(split(files)) > 1 {
		command.Env = slices.DeleteFunc(command.Env, func(entry string) bool { return strings.HasPrefix(entry, staged+"=") })
	}
	return command, cleanup, nil
}

func makeCommands(base run.Command, variable string, batches [][]string, dir, prefix string) (commands []run.Command, cleanup func(), err error) {
	var lists []string
	cleanup = func() {
		for _, list := range lists {
			_ = os.Remove(list) // Sweep tries again
		}
	}
	for _, batch := range batches {
		list, err := write(dir, prefix, batch)
		if err != nil {
			cleanup()
			return nil, nil, err
		}
		lists = append(lists, list)
		command := base
		command.Env = append(base.Env[:len(base.Env):len(base.Env)],
			variable+"="+strings.Join(batch, " "), variable+"_FILE="+list)
		commands = append(commands, command)
	}
	return commands, cleanup, nil
}

// Sweep removes the lists that killed processes left in dir. The caller makes
// sure that none is in use.
func Sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // the next sweep tries again
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix) {
			_ = os.Remove(filepath.Join(dir, entry.Name())) // likewise
		}
	}
}

func split(files []string) [][]string {
	var all [][]string
	var batch []string
	size := 0
	for _, file := range files {
		if len(batch) > 0 && size+len(file) > maxBytes {
			all = append(all, batch)
			batch, size = nil, 0
		}
		batch = append(batch, file)
		size += len(file) + 1
	}
	return append(all, batch)
}

func write(dir, prefix string, files []string) (string, error) {
	f, err := os.CreateTemp(dir, prefix)
	if err != nil {
		return "", fmt.Errorf("write list of files: %w", err)
	}
	var content strings.Builder
	for _, file := range files {
		content.WriteString(file)
		content.WriteByte(0)
	}
	_, err = f.WriteString(content.String())
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name()) // the first error is the one to report
		return "", fmt.Errorf("write list of files: %w", err)
	}
	return f.Name(), nil
}
