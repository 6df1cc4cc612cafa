package main

import (
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"discobot-hooks/dialect"
	"discobot-hooks/event"
	"discobot-hooks/hook"
	"discobot-hooks/internal/git"
	"discobot-hooks/internal/workspace"
	"discobot-hooks/run"
)

const emitLong = `Take one event to the hooks that listen, in whichever of the other formats the
workspace writes them. The event's context is one JSON object on stdin; none is
an empty one.

The exit code is 2 where a hook blocks: stderr says why. What hooks say for
people is on stdout or, with --json, on stderr, and stdout is the verdict.`

const emitExample = `  echo '{"user_message": "run the tests"}' | discobot-hooks emit UserPromptSubmit --json
  echo '{"stage": "plan"}' | discobot-hooks emit on_stage_complete --pipeline pipeline.yaml
  discobot-hooks emit before-push --agent beads/polecats/quartz --dry-run </dev/null`

func (a *app) emitCommand() *cobra.Command {
	var flags dialectFlags
	var dryRun bool
	cmd := &cobra.Command{
		Use: "emit EVENT [flags]", Short: "Take an event to the hooks of another format",
		Long: emitLong, Example: emitExample, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.emit(cmd, args[0], flags, dryRun)
		},
	}
	flags.add(cmd.Flags(), "`D` is advice, pipeline, autoagent or registry; else told from the event's name")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would run, and why the rest would not")
	return cmd
}

func (a *app) emit(cmd *cobra.Command, name string, flags dialectFlags, dryRun bool) error {
	// What is wrong with the command line comes before any waiting for stdin.
	if _, err := a.dialectOf(name, workspace.Workspace{}, flags); err != nil {
		return usageError{err}
	}
	if err := flags.check(); err != nil {
		return err
	}
	data, err := a.eventData(cmd.Context(), flags.readsStdin())
	if err != nil {
		return err
	}
	ws, err := a.eventWorkspace(data)
	if err != nil {
		return err
	}
	if err := flags.fromEvent(data); err != nil {
		return err
	}
	spoken, err := a.dialectOf(name, ws, flags)
	if err != nil {
		return usageError{err}
	}
	ev := &dialect.Event{Name: name, Data: data, Time: time.Now(), Session: a.flags.session, Warn: a.warn}
	engine := a.engine(ws, spoken)
	switch {
	case a.off():
		ev.Session, ev.DryRun = ws.Session, dryRun
		return a.reportEvent(ev, spoken, event.Report{Result: carriedBy(spoken, ev)})
	case dryRun:
		plan, err := engine.Plan(cmd.Context(), ev)
		if err != nil {
			return err
		}
		a.printPlan(ev, spoken, plan)
		return nil
	}
	report, err := engine.Emit(cmd.Context(), ev)
	if err != nil && (!report.Blocked || cmd.Context().Err() != nil) {
		return err
	}
	if err != nil {
		a.warn(oneLine(err)) // the caller must not go on, whatever else went wrong
	}
	return a.reportEvent(ev, spoken, report)
}

// carriedBy is what a dialect passes on from event to event, also where no hook
// runs; nil is nothing.
func carriedBy(spoken dialect.Dialect, ev *dialect.Event) map[string]any {
	if carrier, ok := spoken.(interface {
		Carried(*dialect.Event) map[string]any
	}); ok {
		return carrier.Carried(ev)
	}
	return nil
}

// eventWorkspace is the workspace and session that the command line names, else
// the event as agents word it (`cwd`, `session_id`), else the environment.
func (a *app) eventWorkspace(data map[string]any) (workspace.Workspace, error) {
	if cwd, ok := data["cwd"].(string); ok && a.flags.dir == "" && filepath.IsAbs(cwd) {
		top, ok := git.TopLevel(cwd)
		if !ok {
			top = cwd
		}
		a.flags.dir = top
	}
	ws, err := a.workspace()
	if id, ok := data["session_id"].(string); err == nil && ok && id != "" && a.flags.session == "" {
		return ws.InSession(id, "the event")
	}
	return ws, err
}

// engine runs a dialect's hooks in the workspace, in the environment that
// file and git hooks get too.
func (a *app) engine(ws workspace.Workspace, spoken dialect.Dialect) event.Engine {
	return event.Engine{
		Dialect: spoken, Workspace: ws.Dir, Env: run.InheritedEnv(a.env),
		Record: func(session string) (string, hook.Recorder, error) {
			own, err := a.workspaceFor(ws, session)
			return own.Session, a.store(own), err
		},
		Watch: a.progress(), Show: a.showRan, Found: a.warnFirst, Detach: a.detach,
	}
}

// workspaceFor is the workspace in a dialect's own session, or in ours where
// it has none.
func (a *app) workspaceFor(ws workspace.Workspace, session string) (workspace.Workspace, error) {
	switch session {
	case "":
		return ws, nil
	case a.flags.session:
		return ws.InSession(session, "--session")
	}
	return ws.InSession(session, "the event")
}
