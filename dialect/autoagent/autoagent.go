// Package autoagent is the dialect of design 4: hooks in the `hooks` object of
// .autoagent/config.json, the event as JSON on stdin, exit code 2 or a
// decision on stdout to block, and a session file that the events keep.
//
// Start with [Format]. A command's {{name}} never becomes text of the shell:
// internal/shtemplate rewrites the template, and the value comes by the
// environment. The built-in git hooks start git with arguments, never a shell.
package autoagent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
	"discobot-hooks/internal/jsonedit"
	"discobot-hooks/internal/regular"
	"discobot-hooks/internal/sessionfile"
)

const (
	// ConfigFile is where hooks are, relative to the workspace and to the
	// home.
	ConfigFile = ".autoagent/config.json"

	// DefaultTimeout is what a hook has that names no timeout.
	DefaultTimeout = 60 * time.Second

	// DefaultCommitMessage is that of a git-commit without one.
	DefaultCommitMessage = "feat: Auto-commit by AutoAgent"
)

const (
	name = "autoagent"

	preExecutionStart = "PreExecutionStart"
	postExecutionEnd  = "PostExecutionEnd"
	stop              = "Stop"
)

// Points are the hook points, which are the format's events, in the document's
// order.
var Points = []string{preExecutionStart, "PostExecutionStart", "PreExecutionEnd", postExecutionEnd, stop}

// neverFired are points of the document's table that nothing reaches: a commit
// is a hook here, not an event.
var neverFired = []string{"PreGitCommit", "PostGitCommit"}

// Options say for whom the hooks are read.
type Options struct {
	Workspace string   // absolute
	Home      string   // absolute; empty: no global file, and no session files
	Env       []string // for what git is asked about the workspace

	// DefaultSession is what hooks read as sessionId where no session is
	// known.
	DefaultSession string
}

// A Format is the dialect for one workspace and one event; see
// [dialect.Dialect].
type Format struct {
	options  Options
	sessions sessionfile.Store
	session  string // the AutoAgent session that the event belongs to; empty: none
	named    bool   // by the event or the command line
	warned   bool   // that its file could not be written
}

// New is the format for a workspace.
func New(o Options) *Format {
	return &Format{options: o, sessions: sessionfile.Store{Dir: filepath.Join(o.Home, ".autoagent", "sessions")}}
}

// Description implements [dialect.Dialect].
func (f *Format) Description() dialect.Description {
	return dialect.Description{Name: name, Events: slices.Clone(Points)}
}

// Load implements [dialect.Dialect]. The hooks are the workspace's where its
// file has any `hooks`, also an empty one, else the home's: the two are never
// mixed. A file that is not JSON is a [*dialect.FileError].
func (f *Format) Load() (dialect.Set, error) {
	var set dialect.Set
	global, err := f.globalConfig(&set)
	if err != nil {
		return set, err
	}
	content, err := regular.ReadAll(filepath.Join(f.options.Workspace, ConfigFile), jsonedit.MaxBytes)
	local, err := parseConfig(ConfigFile, content, err)
	if err != nil {
		return set, err
	}
	from := global
	if _, ok := local.member("hooks"); ok {
		from = local
	}
	for _, c := range []*config{global, local} {
		l := loader{config: c, set: &set, format: f}
		l.removedKeys()
		if c == from {
			l.points()
		}
		if c == local && c == from {
			l.replaces(global)
		}
	}
	return set, nil
}

// globalConfig is the home's file. A home that is closed to us is somebody
// else's, and so are its hooks.
func (f *Format) globalConfig(set *dialect.Set) (*config, error) {
	path := filepath.Join(f.options.Home, ConfigFile)
	if f.options.Home == "" || path == filepath.Join(f.options.Workspace, ConfigFile) {
		return nil, nil
	}
	target := path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		target = real // configuration is often a link into a repository of dotfiles
	}
	content, err := regular.ReadAll(target, jsonedit.MaxBytes)
	if errors.Is(err, fs.ErrPermission) {
		message := fmt.Sprintf("cannot be read, so its hooks do not run: %v", cause(err))
		set.Problems = append(set.Problems, hook.Problem{File: path, Severity: hook.Warning, Message: message})
		return nil, nil
	}
	return parseConfig(path, content, err)
}

// Fold implements [dialect.Dialect]: hooks bring nothing together.
func (f *Format) Fold(*dialect.Event, dialect.Hook, dialect.Judgement) {}

// Open implements [dialect.Dialect]. It finds the session and, where an issue
// begins, notes that in its file.
func (f *Format) Open(ctx context.Context, ev *dialect.Event) error {
	f.sessions.Warn = ev.Warn
	f.session = f.findSession(ev)
	ev.Session = f.session
	if ev.Name == preExecutionStart && !ev.DryRun {
		f.begin(ctx, ev)
	}
	return nil
}

// Close implements [dialect.Dialect]. It returns the event's session as
// `sessionId`, so that an orchestrator can name it from then on.
func (f *Format) Close(ctx context.Context, ev *dialect.Event, blocked bool) map[string]any {
	if f.session == "" {
		return nil
	}
	f.end(ctx, ev, blocked)
	return map[string]any{"sessionId": f.session}
}

func isPoint(name string) bool { return slices.Contains(Points, name) }

// canBlock tells whether the event has yet to happen: what comes after it
// cannot keep it from happening.
func canBlock(event hook.Event) bool {
	switch event {
	case preExecutionStart, "PreExecutionEnd", stop:
		return true
	}
	return false
}
