package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"discobot-hooks/dialect"
	"discobot-hooks/dialect/advice"
	"discobot-hooks/dialect/autoagent"
	"discobot-hooks/dialect/pipeline"
	"discobot-hooks/dialect/registry"
	"discobot-hooks/hook"
	"discobot-hooks/internal/approval"
	"discobot-hooks/internal/workspace"
)

// discobotDialect is what --dialect calls design 1's own hooks.
const discobotDialect = "discobot"

// dialectFlags are the options of all dialects: their names differ, so each
// command that deals with dialects takes them all.
type dialectFlags struct {
	dialect     string
	agent       string   // advice
	subscribe   []string // advice
	file        string   // advice
	environment string   // registry
	stage       string   // pipeline
	pipeline    string   // pipeline
	callback    string   // pipeline
}

func (f *dialectFlags) add(flags *pflag.FlagSet, dialectUsage string) {
	flags.StringVar(&f.dialect, "dialect", "", dialectUsage)
	f.addAdvice(flags)
	f.addPipeline(flags)
	flags.StringVar(&f.environment, "env", "", "registry: the `NAME` of this environment; else HOOKS_ENV")
}

func (f *dialectFlags) addAdvice(flags *pflag.FlagSet) {
	flags.StringVar(&f.agent, "agent", "", "advice: who asks, as `rig/role/name`; else the event's agent, else BD_ACTOR")
	flags.StringSliceVar(&f.subscribe, "subscribe", nil, "advice: further `LABELS` that the agent subscribes to")
	flags.StringVar(&f.file, "file", "", "advice: the `FILE` of issues, - for stdin; else .beads/issues.jsonl")
}

func (f *dialectFlags) addPipeline(flags *pflag.FlagSet) {
	flags.StringVar(&f.stage, "stage", "", "pipeline: the stage's `FILE`, or its directory; else the event's stage_file")
	flags.StringVar(&f.pipeline, "pipeline", "", "pipeline: the pipeline's `FILE`, or its directory; else the event's pipeline_file")
	flags.StringVar(&f.callback, "callback-base-url", "", "pipeline: the `URL` by which people reach us who are not on this machine; else DISCOBOT_CALLBACK_BASE_URL")
}

// fromEvent takes from the event what the command line does not say.
func (f *dialectFlags) fromEvent(data map[string]any) error {
	for key, flag := range map[string]*string{"stage_file": &f.stage, "pipeline_file": &f.pipeline} {
		file, ok := data[key].(string)
		if data[key] != nil && !ok { // a gate may be in it
			return fmt.Errorf("read event: %s is no text: write the path of a file", key)
		}
		*flag = cmp.Or(*flag, file)
	}
	return nil
}

// check finds what is wrong with the flags by themselves.
func (f *dialectFlags) check() error {
	if err := approval.CheckBaseURL(f.callback); err != nil {
		return usageError{fmt.Errorf("read --callback-base-url: %w", err)}
	}
	return nil
}

// readsStdin tells that stdin is not the event's context.
func (f *dialectFlags) readsStdin() bool { return f.file == "-" }

// dialects are all formats but our own, in the order in which they are listed.
func (a *app) dialects(ws workspace.Workspace, f dialectFlags) []dialect.Dialect {
	inRegistry := registry.New(ws.Dir, a.environment(f.environment))
	inRegistry.DefaultSession = ws.Session
	return []dialect.Dialect{
		advice.New(a.adviceOptions(ws, f)),
		pipeline.New(a.pipelineOptions(ws, f)),
		autoagent.New(autoagent.Options{Workspace: ws.Dir, Home: ws.Home, Env: a.env, DefaultSession: ws.Session}),
		inRegistry,
	}
}

// environment is what --env says, else HOOKS_ENV.
func (a *app) environment(flag string) string { return cmp.Or(flag, a.getenv("HOOKS_ENV")) }

func (a *app) adviceOptions(ws workspace.Workspace, f dialectFlags) advice.Options {
	options := advice.Options{Workspace: ws.Dir, File: f.file, Agent: f.agent, Actor: a.getenv("BD_ACTOR"), Subscribe: f.subscribe}
	if f.readsStdin() {
		options.File, options.Issues = "", a.in
	}
	return options
}

func (a *app) pipelineOptions(ws workspace.Workspace, f dialectFlags) pipeline.Options {
	return pipeline.Options{
		Workspace: ws.Dir, Home: ws.Home, State: ws.State, Approvals: approvalsOf(ws), Env: a.env, Session: ws.Session,
		Stage: f.stage, Pipeline: f.pipeline,
		Engine: a.getenv("DISCOBOT_PIPELINE_ENGINE"), Local: []string{selfPath(), engineName, "--dir", ws.Dir},
		CallbackBaseURL: cmp.Or(f.callback, a.getenv("DISCOBOT_CALLBACK_BASE_URL")), Linger: a.linger,
	}
}

// approvalsOf is where questions wait for answers: beside the sessions, none of
// which can have that name.
func approvalsOf(ws workspace.Workspace) string { return filepath.Join(ws.StateRoot, ".approvals") }

// dialectOf finds the dialect that has this event.
func (a *app) dialectOf(event string, ws workspace.Workspace, f dialectFlags) (dialect.Dialect, error) {
	var known []string
	for _, d := range a.dialects(ws, f) {
		description := d.Description()
		if f.dialect != "" && f.dialect != description.Name {
			continue
		}
		if slices.Contains(description.Events, event) {
			return d, nil
		}
		known = append(known, description.Events...)
	}
	if known == nil {
		return nil, a.checkDialect(f.dialect, ws)
	}
	return nil, fmt.Errorf("%q is no event: it can be %s", event, strings.Join(known, ", "))
}

// chosen are the dialects that --dialect leaves, all without it. ours tells
// whether design 1's own hooks are among them.
func (a *app) chosen(ws workspace.Workspace, f dialectFlags) (others []dialect.Dialect, ours bool, err error) {
	all := a.dialects(ws, f)
	if f.dialect == "" {
		return all, true, nil
	}
	if f.dialect == discobotDialect {
		return nil, true, nil
	}
	others = slices.DeleteFunc(all, func(d dialect.Dialect) bool { return d.Description().Name != f.dialect })
	if len(others) == 0 {
		return nil, false, usageError{a.checkDialect(f.dialect, ws)}
	}
	return others, false, nil
}

func (a *app) checkDialect(name string, ws workspace.Workspace) error {
	names := []string{discobotDialect}
	for _, d := range a.dialects(ws, dialectFlags{}) {
		names = append(names, d.Description().Name)
	}
	if name == discobotDialect {
		return fmt.Errorf("read --dialect: discobot hooks are run by session, eval-turn and git-hook, not by emit")
	}
	return fmt.Errorf("read --dialect: %q is not one of %s", name, strings.Join(names, ", "))
}

// warnFirst names the first hook that cannot run, and how many more there are:
// what emit says on stderr may become an agent's reason to go on working.
func (a *app) warnFirst(problems []hook.Problem) {
	broken := slices.DeleteFunc(slices.Clone(problems), func(p hook.Problem) bool { return p.Severity != hook.Error })
	switch len(broken) {
	case 0:
	case 1:
		a.warn(broken[0].String())
	default:
		a.warn(fmt.Sprintf("%v (and %d more: discobot-hooks validate)", broken[0], len(broken)-1))
	}
}

// warnErrors names the hooks that cannot run. What is merely odd is for
// validate to say.
func (a *app) warnErrors(problems []hook.Problem) {
	for _, problem := range problems {
		if problem.Severity == hook.Error {
			a.warn(problem.String())
		}
	}
}
