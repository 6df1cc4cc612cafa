// Package advice reads the hooks that beads' advice carries: issues of the
// type advice in a workspace's issues.jsonl, whose advice_hook_* fields name
// a command and the event that it waits for.
//
// Start with [Format], which is the [dialect.Dialect]. Which advice reaches
// an agent is [Reaches]; what the fields may hold is in schema.go, and how the
// file is read in read.go. [Add] and [List] are for people who look after
// advice by hand.
//
// The file is the workspace's, and other tools write to it while we read: a
// line that is broken is a problem and hides no other. It is never rewritten.
package advice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/regular"
)

// Name is what the dialect is called.
const Name = "advice"

// DefaultFile is where beads keeps a workspace's issues.
const DefaultFile = ".beads/issues.jsonl"

// Options say where advice is and whom it is for.
type Options struct {
	Workspace string // absolute

	// File holds the issues instead of DefaultFile in the workspace, and must
	// then exist. It is relative to the current directory.
	File string

	Issues io.Reader // read instead of a file, once; it is not closed

	Agent     string   // goes before the one that an event names
	Actor     string   // BD_ACTOR: the agent where nothing else names one
	Subscribe []string // labels beside those that the agent's id gives
}

// Format is the advice of one workspace. It reads the issues anew with each
// Load.
type Format struct {
	options       Options
	agent         string
	subscriptions []string
	broken        []hook.Problem // lines that should have been issues
}

// New makes the dialect. Nothing is read yet.
func New(o Options) *Format { return &Format{options: o} }

// Description says that all hooks run: of several that block, the first gives
// the reason.
func (f *Format) Description() dialect.Description {
	return dialect.Description{Name: Name, Events: slices.Clone(ValidAdviceHookTriggers), RunsOn: true}
}

// Load reads the hooks of all agents. Priority 0 comes first, then whichever
// is older, then the id decides. A workspace without issues has none; issues
// that are there and cannot be read are a [*dialect.FileError].
func (f *Format) Load() (dialect.Set, error) {
	found, err := load(f.options)
	if err != nil && f.options.File == "" && f.options.Issues == nil {
		_, shown := f.options.source()
		err = &dialect.FileError{File: shown, Severity: hook.Error, Message: plaintext.Line(err.Error())}
	}
	if err != nil {
		return dialect.Set{}, err
	}
	f.broken = found.broken
	set := dialect.Set{Problems: found.problems}
	for _, a := range found.runnable {
		set.Hooks = append(set.Hooks, &adviceHook{format: f, advice: a, file: found.file})
	}
	return set, nil
}

// Open finds out who the agent is. Where nobody is named, no hook matches, and
// people are told.
func (f *Format) Open(_ context.Context, ev *dialect.Event) error {
	named := ""
	switch agent := ev.Data["agent"].(type) {
	case nil:
	case string:
		named = agent
	default:
		return errors.New("read event: agent must be a string")
	}
	f.agent = cmp.Or(f.options.Agent, named, f.options.Actor)
	f.subscriptions = Subscriptions(f.agent, f.options.Subscribe)
	if f.agent == "" {
		ev.Warn("no agent named (--agent, the event's agent, or BD_ACTOR): no advice applies")
	}
	// A check that blocks may be in such a line: whoever relies on it must
	// learn that it does not run, and not only from validate.
	if len(f.broken) > 0 {
		ev.Warn(fmt.Sprintf("%v (such lines: %d)", f.broken[0], len(f.broken)))
	}
	session, _ := ev.Data["session_id"].(string)
	ev.Session = cmp.Or(ev.Session, session)
	return nil
}

// Fold has nothing to take in.
func (f *Format) Fold(*dialect.Event, dialect.Hook, dialect.Judgement) {}

// Close has nothing to add to what the hooks said.
func (f *Format) Close(context.Context, *dialect.Event, bool) map[string]any { return nil }

// loaded is what a file of issues comes to.
type loaded struct {
	file     string    // as problems name it
	open     []*Advice // all open advice, in order
	runnable []*Advice // those that are hooks
	problems []hook.Problem
	broken   []hook.Problem // lines that should have been issues
}

func load(o Options) (loaded, error) {
	path, shown := o.source()
	from := o.Issues
	if from == nil {
		f, err := regular.Open(path)
		if errors.Is(err, fs.ErrNotExist) && o.File == "" {
			return loaded{file: shown}, nil
		}
		if err != nil {
			return loaded{}, fmt.Errorf("read issues: %w", err)
		}
		defer f.Close() // read only
		from = f
	}
	in, err := read(from, shown)
	if err != nil {
		return loaded{}, fmt.Errorf("read issues: %w", err)
	}
	broken := slices.Clone(in.problems[:in.broken]) // sift sorts
	out := sift(in, shown)
	out.broken = broken
	return out, nil
}

// source is the file to read, and how people know it: relative to the
// workspace where it is inside.
func (o Options) source() (path, shown string) {
	switch {
	case o.Issues != nil:
		return "", "-"
	case o.File == "":
		return filepath.Join(o.Workspace, filepath.FromSlash(DefaultFile)), DefaultFile
	}
	if whole, err := filepath.Abs(o.File); err == nil {
		relative, err := filepath.Rel(o.Workspace, whole)
		if err == nil && relative != ".." && !strings.HasPrefix(relative, "../") {
			return o.File, filepath.ToSlash(relative)
		}
	}
	return o.File, o.File
}
