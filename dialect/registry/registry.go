// Package registry is the dialect of design 5: one small YAML file a hook in
// .system/hooks, the event's context as JSON on stdin, a HookResult as JSON
// on stdout, and the results of all hooks merged into one.
//
// Start with [Format]. No text of an event ever becomes part of a command or
// the name of a variable: hooks read it from stdin alone.
package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
	"discobot-hooks/internal/wording"
	"discobot-hooks/internal/yamlfile"
)

const (
	// Dir is where a workspace keeps its hooks, relative to it.
	Dir = ".system/hooks"

	// LogFile gets what hooks return as logs, relative to the workspace.
	LogFile = ".system/logs/hooks.log"

	// DefaultTimeout is what a hook has that names no timeout.
	DefaultTimeout = 60 * time.Second
)

// Name is what the dialect is called.
const Name = "registry"

const postAbilityCall = "PostAbilityCall"

// Events are the names of the format's events, in the document's order.
var Events = []string{"UserPromptSubmit", "PreAbilityCall", postAbilityCall, "SessionStart", "SessionEnd", "SessionStop"}

// A Format is the dialect for one workspace and one event; see
// [dialect.Dialect].
type Format struct {
	Workspace   string // absolute
	Environment string // that hooks may be limited to; empty: none is named

	// DefaultSession is what hooks read as session_id where neither the
	// event nor the command line has one.
	DefaultSession string

	merged    map[string]any // nil until a hook has run
	unwritten bool           // a log could not be written, which has been said
}

// New is the format for a workspace.
func New(workspace, environment string) *Format {
	return &Format{Workspace: workspace, Environment: environment}
}

// Description implements [dialect.Dialect].
func (f *Format) Description() dialect.Description {
	return dialect.Description{Name: Name, Events: slices.Clone(Events)}
}

// Load implements [dialect.Dialect]. A hook of several events is in the set
// once for each, with the same id.
func (f *Format) Load() (dialect.Set, error) {
	names, err := list(filepath.Join(f.Workspace, Dir))
	if err != nil {
		return dialect.Set{}, &dialect.FileError{File: Dir, Severity: hook.Error, Message: wording.Cause(err).Error()}
	}
	var set dialect.Set
	files := make(map[string]string) // by the id of its hook
	for _, name := range names {
		in := yamlfile.New(Dir + "/" + name)
		if d, ok := readDefinition(in, f.Workspace); ok {
			if first, taken := files[d.id]; taken {
				in.Errorf(d.line, "id %s is that of %s: write another one", d.id, first)
			} else {
				files[d.id] = in.Path()
				set.Hooks = append(set.Hooks, f.hooks(in.Path(), d)...)
			}
		}
		set.Problems = append(set.Problems, in.Problems()...)
	}
	return set, nil
}

// readDefinition makes the definition in a file that was there a moment ago.
func readDefinition(in *yamlfile.File, workspace string) (definition, bool) {
	root, ok := in.Read(filepath.Join(workspace, in.Path()), false, maxFileBytes)
	if !ok {
		return definition{}, false
	}
	return parse(in, root, workspace)
}

// list gives the names of the definitions in byte order. Hidden files are an
// editor's.
func list(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(dir); err == nil {
			return nil, fmt.Errorf("%s is a symbolic link that leads nowhere", dir)
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries { // ReadDir has sorted them
		ext := filepath.Ext(entry.Name())
		if (ext == ".yaml" || ext == ".yml") && !strings.HasPrefix(entry.Name(), ".") {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// hooks are those of one definition.
func (f *Format) hooks(path string, d definition) []dialect.Hook {
	var out []dialect.Hook
	for _, event := range d.events {
		out = append(out, &scriptHook{
			definition: d,
			workspace:  f.Workspace,
			info: dialect.Info{
				Hook: hook.Hook{
					ID: d.id, Name: d.id, Description: d.summary,
					Dialect: Name, Event: hook.Event(event), File: path,
					Action: hook.Action{RunAs: hook.AsUser, Timeout: d.timeout},
				},
				Kind: kindScript, Line: d.line, Command: strings.TrimSpace(d.command), Off: d.off(f.Environment),
			},
		})
	}
	return out
}

// Open implements [dialect.Dialect]: it fills in what the document's context
// always has.
func (f *Format) Open(_ context.Context, ev *dialect.Event) error {
	data := maps.Clone(ev.Data)
	if data == nil {
		data = make(map[string]any)
	}
	own, _ := data["session_id"].(string)
	data["session_id"] = cmp.Or(own, ev.Session, f.DefaultSession)
	data["event_type"] = ev.Name
	fill(data, "timestamp", timestamp(ev))
	fill(data, "repository_root", f.Workspace)
	ev.Data, ev.Session = data, cmp.Or(ev.Session, own)
	return nil
}

// fill sets what the orchestrator has left out.
func fill(data map[string]any, key, value string) {
	if old := data[key]; old == nil || old == "" {
		data[key] = value
	}
}

func timestamp(ev *dialect.Event) string { return ev.Time.UTC().Format(time.RFC3339) }
