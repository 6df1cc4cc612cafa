package agenthost

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// pluginPath is where OpenCode looks for plugins. It has no hooks that run
// commands: a plugin of ours listens to its events and runs them.
func (a *agent) pluginPath(user bool) string {
	const name = program + ".js"
	if !user {
		return filepath.Join(a.Workspace, ".opencode", "plugins", name)
	}
	config := a.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) {
		config = filepath.Join(a.Home, ".config")
	}
	return filepath.Join(config, "opencode", "plugins", name)
}

// ownPlugin tells whether the file is ours: its first line says so.
func ownPlugin(content []byte) bool {
	first, _, _ := bytes.Cut(content, []byte("\n"))
	return bytes.Contains(first, []byte(program))
}

// pluginLine is the command that the plugin runs at the end of a turn.
func pluginLine(content []byte) string {
	line := program
	for text := range bytes.Lines(content) {
		var args []string
		if list, ok := bytes.CutPrefix(text, []byte("const evalTurn = ")); ok && json.Unmarshal(list, &args) == nil {
			line += " " + strings.Join(args, " ")
		}
	}
	return line
}

// A foreignFileError is somebody else's file where ours belongs.
type foreignFileError struct{ path string }

func (e *foreignFileError) Error() string { return fmt.Sprintf("%s is not ours", e.path) }

// Hint says what to do with it.
func (e *foreignFileError) Hint() string { return "rename it, then connect again" }

func (a *agent) connectPlugin(ctx context.Context) (Outcome, error) {
	f, err := openConfig(a.pluginPath(a.User))
	if err != nil {
		return Outcome{}, err
	}
	if !f.missing && !ownPlugin(f.content) {
		return Outcome{}, &foreignFileError{f.path}
	}
	content := openCodePlugin(a.Timeout, a.Options.Background)
	if bytes.Equal(f.content, content) {
		return Outcome{}, nil
	}
	out := Outcome{Changes: []Change{{f.path, "changed"}}}
	if f.missing {
		out.Changes[0].Change = "created"
		if err := a.note(ctx, f.path, &record{File: true, Dir: firstMissing(f.dir())}); err != nil {
			out.Notes = append(out.Notes, err.Error())
		}
	}
	return out, f.write(ctx, content)
}

func (a *agent) disconnectPlugin(ctx context.Context) (Outcome, error) {
	f, err := openConfig(a.pluginPath(a.User))
	if err != nil || f.missing {
		return Outcome{}, err
	}
	if !ownPlugin(f.content) {
		return Outcome{Notes: []string{f.path + " is not ours: it stays"}}, nil
	}
	if err := f.remove(ctx); err != nil {
		return Outcome{}, err
	}
	note, _ := a.readRecord(f.path)
	removeEmpty(f.dir(), note.Dir)
	out := Outcome{Changes: []Change{{f.path, "removed"}}}
	if err := a.note(ctx, f.path, nil); err != nil {
		out.Notes = append(out.Notes, err.Error())
	}
	return out, nil
}
