// Package dialect holds the terms in which a format of hooks tells the engine
// (package event) which hooks it has, what each of them runs for an event, and
// what its end means.
//
// Start with [Dialect]. Each format is a package below this one. A format
// reads and words; it starts no process by itself, so that time limits,
// process groups, logs and records are the same for all.
package dialect

import (
	"context"
	"time"

	"discobot-hooks/hook"
)

// A Dialect is one format, for one workspace and one event: a value may keep
// what it learns from one hook for the next. Nothing in it is safe for
// concurrent use, and nothing needs to be.
type Dialect interface {
	Description() Description

	// Load reads the hooks of all events, in the order in which they run. A
	// file that cannot be read is a problem in the set; an error is for when
	// nothing can be said at all.
	Load() (Set, error)

	// Open fills in what the format promises its hooks, and names the
	// session. It comes after Load, and before anything else. Where
	// ev.DryRun is set it writes nothing.
	Open(ctx context.Context, ev *Event) error

	// Fold takes in what a hook brought, in order.
	Fold(ev *Event, h Hook, j Judgement)

	// Close ends the event and returns what the hooks brought together; nil
	// is nothing. It does not come where a signal ended the event.
	Close(ctx context.Context, ev *Event, blocked bool) map[string]any
}

// Description says what is fixed in a format.
type Description struct {
	Name   string   // as in --dialect
	Events []string // names, none of which another dialect has

	// RunsOn tells that the remaining hooks run after one has blocked. The
	// first reason to block is the event's.
	RunsOn bool
}

// A Set is what a format found.
type Set struct {
	Hooks    []Hook
	Problems []hook.Problem
}

// An Event is what happened, as the orchestrator tells it.
type Event struct {
	Name string
	Data map[string]any // the context; numbers are json.Number, so that none loses digits
	Time time.Time      // when it was emitted

	// Session is what the command line says, or empty; Open replaces it by
	// the dialect's own. Empty stays where the dialect has none: the engine
	// then takes the workspace's.
	Session string

	DryRun bool

	// Warn tells people one line. Nil is nobody to the engine, never to a
	// dialect.
	Warn func(string)
}

// A Hook is one hook of one event.
type Hook interface {
	Info() Info

	// Match returns why the hook does not run for an event that it waits
	// for, in a few words; empty: it runs.
	Match(ev *Event) (reason string)

	// Prepare makes the hook's action. It changes nothing, since a dry run
	// asks too. An error refuses: nothing runs, and the hook is invalid. A
	// [*Skip] is a condition that does not hold.
	Prepare(ev *Event) (Action, error)

	// Judge says what the end of the action means.
	Judge(ev *Event, o Outcome) Judgement
}

// Info is what is known of a hook before any event.
type Info struct {
	// Hook has ID (fit for a file name), Name, Description, Dialect, Event,
	// File and Action.Timeout; the latter is never zero.
	hook.Hook

	// Limit is that of the action with all its attempts. Zero: Action.Timeout.
	Limit time.Duration

	Kind    string // of action, in the format's own word: script, command, git-commit
	Line    int    // in File, from 1; 0: not known
	Command string // what it runs, for people
	Off     string // why it runs for no event at all, in a few words; empty: it may
}

// A Skip is a condition of the hook that does not hold.
type Skip struct{ Reason string }

func (s *Skip) Error() string { return s.Reason }

// A Judgement is what an outcome means in the format.
type Judgement struct {
	Status hook.Status
	Block  bool
	Reason string // why it blocks or failed, one line or more; empty: nothing to add to Status and exit code

	// Out and Err are for people and LLMs, as the hook or the format words
	// them: what belongs to the event's answer, and what is about a failure.
	Out, Err string

	Fields map[string]any // more keys for this hook in --json, none of the engine's
	Result map[string]any // what Fold takes in; the format's own
}

// A FileError is a file that keeps all hooks of its format from running, so
// that emitting an event must not go on as if there were none.
type FileError hook.Problem

func (e *FileError) Error() string { return "read hooks: " + hook.Problem(*e).String() }
