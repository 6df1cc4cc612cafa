// Package pipeline is the dialect of design 3: at six points of a pipeline's
// life, lists of actions in YAML files. An action is a shell command, a
// webhook or a child pipeline, is awaited or goes on by itself, and may have a
// condition.
//
// Start with [Format]. No value of an event ever becomes text that is parsed
// as anything: a shell reads it from its environment, a condition has it as an
// operand, a JSON body inside a string.
package pipeline

import (
	"context"
	"os"
	"slices"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
	"discobot-hooks/internal/approval"
)

// Name is what the dialect is called.
const Name = "pipeline"

const onError = "on_error"

// Points are the hook points, which are the format's events, in the document's
// order.
var Points = []string{"on_session_start", "on_iteration_start", "on_iteration_complete", "on_stage_complete", "on_session_complete", onError}

// Options say for whom the hooks are read, and how actions reach what is
// outside.
type Options struct {
	Workspace string   // absolute
	Home      string   // absolute; empty: no global file
	State     string   // absolute: where child pipelines run that have no session directory
	Approvals string   // absolute: where questions wait for answers, of all sessions, since they share ports
	Env       []string // what ${NAME} may also be, and where configuration lies

	Stage, Pipeline string // the layers' files, or their directories; empty: none

	// Session is what SESSION is where neither the event nor the command line
	// has one.
	Session string

	// Engine is the command that runs child pipelines, as DISCOBOT_PIPELINE_ENGINE
	// has it; empty: see [Options.Local].
	Engine string

	// Local is the engine where Engine is empty and the workspace has no
	// scripts/engine.sh.
	Local []string

	// CallbackBaseURL is where people reach us who are not on this machine;
	// empty: they are.
	CallbackBaseURL string

	// Linger keeps telling people that an approval was used; nil: nobody does.
	// It takes over the listener and the file of the approval.
	Linger func(listener *os.File, file string) error
}

// check finds what would keep gates from being asked, one by one.
func (o Options) check() error {
	if err := approval.CheckBaseURL(o.CallbackBaseURL); err != nil {
		return err
	}
	_, err := o.engine()
	return err
}

// A Format is the dialect for one workspace and one event; see
// [dialect.Dialect].
type Format struct {
	options Options
	layers  []layer
	values  values
	warn    func(string)
	secrets *secrets         // nil until one is asked for
	used    []*approval.Wait // whose answers this event has used
}

// New is the format for a workspace.
func New(o Options) *Format { return &Format{options: o, warn: func(string) {}} }

// Description implements [dialect.Dialect].
func (f *Format) Description() dialect.Description {
	return dialect.Description{Name: Name, Events: slices.Clone(Points)}
}

// Load implements [dialect.Dialect]. Hooks run stage by stage of the layers:
// the stage's, the pipeline's, the global ones. A file that cannot be read as
// YAML is a [*dialect.FileError], since a gate may be in it.
func (f *Format) Load() (dialect.Set, error) {
	var set dialect.Set
	if err := f.options.check(); err != nil {
		return set, err
	}
	if err := f.readLayers(&set); err != nil {
		return set, err
	}
	for _, l := range f.layers {
		set.Hooks = append(set.Hooks, l.hooks...)
	}
	f.secrets = readSecrets(f.configFile("secrets.env"))
	set.Problems = append(set.Problems, f.secrets.problems...)
	return set, nil
}

// Open implements [dialect.Dialect]. It makes the document's variables.
func (f *Format) Open(_ context.Context, ev *dialect.Event) error {
	f.warn = ev.Warn
	f.values = newValues(ev, f.options)
	return nil
}

// Fold implements [dialect.Dialect]: what an action leaves is there for the
// next. A skipped one leaves nothing.
func (f *Format) Fold(_ *dialect.Event, h dialect.Hook, j dialect.Judgement) {
	switch j.Status {
	case hook.Skipped:
		return
	case hook.OK, hook.Detached:
		f.values.set("LAST_HOOK_STATUS", "success")
	default:
		f.values.set("LAST_HOOK_STATUS", "failed")
	}
	for name, value := range j.Result {
		if text, ok := value.(string); ok {
			f.values.set(name, text)
		}
	}
}

// Close implements [dialect.Dialect]. It returns what carries over to a hook
// point that fires next, under the keys that its event has for it.
func (f *Format) Close(context.Context, *dialect.Event, bool) map[string]any {
	for _, wait := range f.used {
		if err := wait.Done(); err != nil {
			f.warn(err.Error())
		}
	}
	return f.values.carried()
}

// Carried is what carries over where no hook may run.
func (f *Format) Carried(ev *dialect.Event) map[string]any {
	return newValues(ev, f.options).carried()
}
