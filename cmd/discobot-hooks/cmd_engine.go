package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"discobot-hooks/dialect"
	"discobot-hooks/engine"
	"discobot-hooks/event"
	"discobot-hooks/hook"
	"discobot-hooks/internal/workspace"
	"discobot-hooks/run"
)

const engineLong = `Run a pipeline of the workspace: its stages in order, each its command until
that decides to stop, at most as often as the stage says. The hooks of the
pipeline's points run in between. NAME is that of scripts/pipelines/NAME.yaml,
or of one stage alone in scripts/loops or scripts/stages; one that ends in .yaml
is a file's path in the workspace.

Commands run in the session directory and get the pipeline's variables. What the
last one prints is in DIR/output.json, what each printed in DIR/output/.

The exit code is 0 where all stages are done, 2 where a hook blocks, and 1 where
an iteration fails: its command does, or {"decision": "error"} is in $STATUS.`

const engineExample = `  mkdir -p scripts/loops/hello
  echo 'command: echo "hello from $SESSION"' >scripts/loops/hello/loop.yaml
  discobot-hooks engine --session-dir /tmp/hello-1 --pipeline hello --json`

const engineName = "engine"

func (a *app) engineCommand() *cobra.Command {
	var o engine.Options
	cmd := &cobra.Command{
		Use: engineName + " --session-dir DIR --pipeline NAME [flags]", Short: "Run a pipeline, and the hooks of its points",
		Long: engineLong, Example: engineExample, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.SessionDir == "":
				return usageError{errors.New("read --session-dir: name the directory that the pipeline works in")}
			case o.Pipeline == "":
				return usageError{errors.New("read --pipeline: name the pipeline")}
			case o.Timeout < 0:
				return usageError{fmt.Errorf("read --timeout: %v is less than 0", o.Timeout)}
			}
			return a.runPipeline(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.SessionDir, "session-dir", "", "the `DIR` of this run, made at need; its status.json and output.json are removed first")
	cmd.Flags().StringVar(&o.Pipeline, "pipeline", "", "the `NAME` of the pipeline")
	cmd.Flags().StringVar(&o.Inputs, "inputs", "", "a `FILE` for the commands, which is INPUTS to them; else DIR/inputs.json")
	cmd.Flags().StringVar(&o.Name, "name", "", "what SESSION is; else the last part of DIR")
	cmd.Flags().DurationVar(&o.Timeout, "timeout", 0, "how long one iteration may take; 0 for as long as it likes")
	return cmd
}

func (a *app) runPipeline(ctx context.Context, o engine.Options) error {
	ws, err := a.workspace()
	if err != nil {
		return err
	}
	o.Workspace, o.Env, o.Log = ws.Dir, run.InheritedEnv(a.env), a.err
	told := make(map[string]bool)
	o.Emit = func(ctx context.Context, point string, data map[string]any) (engine.Reply, error) {
		report, err := a.emitPoint(ctx, ws, point, data, told)
		return engine.Reply{Blocked: report.Blocked, Reason: report.Reason, Result: report.Result}, err
	}
	outcome, err := engine.Run(ctx, o)
	if errors.As(err, new(*engine.NameError)) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	return a.reportPipeline(o.Pipeline, outcome)
}

// emitPoint takes a hook point to the hooks of its dialect, as emit does. told
// are the problems that people know already: the points of a pipeline are many.
func (a *app) emitPoint(ctx context.Context, ws workspace.Workspace, point string, data map[string]any, told map[string]bool) (event.Report, error) {
	if a.off() {
		return event.Report{}, nil
	}
	var flags dialectFlags
	if err := flags.fromEvent(data); err != nil {
		return event.Report{}, err
	}
	spoken, err := a.dialectOf(point, ws, flags)
	if err != nil {
		return event.Report{}, err
	}
	data = maps.Clone(data)
	for key, value := range data {
		if number, ok := value.(int); ok { // as in every event
			data[key] = json.Number(fmt.Sprint(number))
		}
	}
	ev := &dialect.Event{Name: point, Data: data, Time: time.Now(), Session: a.flags.session, Warn: a.warn}
	hooks := a.engine(ws, spoken)
	hooks.Found = func(problems []hook.Problem) {
		a.warnFirst(slices.DeleteFunc(slices.Clone(problems), func(p hook.Problem) bool {
			known := told[p.String()]
			told[p.String()] = true
			return known
		}))
	}
	report, err := hooks.Emit(ctx, ev)
	if err != nil && report.Result != nil && ctx.Err() == nil {
		a.warn(oneLine(err)) // the hooks have run: what could not be recorded ends no pipeline, and opens no gate
		err = nil
	}
	return report, err
}

// pipelineJSON is engine's document.
type pipelineJSON struct {
	Pipeline string          `json:"pipeline"`
	Session  string          `json:"session"`
	Blocked  bool            `json:"blocked"`
	Failed   bool            `json:"failed"`
	Reason   string          `json:"reason"`
	Stages   []stageJSON     `json:"stages"`
	Output   json.RawMessage `json:"output"`
}

type stageJSON struct {
	Name       string `json:"name"`
	Iterations int    `json:"iterations"`
	Decision   string `json:"decision"`
}

// reportPipeline says how the pipeline ended and turns it into the exit code.
func (a *app) reportPipeline(name string, outcome engine.Outcome) error {
	if a.flags.json {
		document := pipelineJSON{
			Pipeline: name, Session: outcome.Session, Blocked: outcome.Blocked, Failed: outcome.Failed,
			Reason: outcome.Reason, Stages: []stageJSON{}, Output: outcome.Output,
		}
		for _, stage := range outcome.Stages {
			document.Stages = append(document.Stages, stageJSON(stage))
		}
		a.printJSON(document)
	}
	switch {
	case outcome.Failed:
		a.showText(a.err, "discobot-hooks: engine: "+outcome.Reason)
		return exitCode(exitFailed)
	case outcome.Blocked:
		a.showText(a.err, fmt.Sprintf("discobot-hooks: engine: %s is blocked: %s", outcome.Point, outcome.Reason))
		return exitCode(exitBlocked)
	}
	return nil
}
