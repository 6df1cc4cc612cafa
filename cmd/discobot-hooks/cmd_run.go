package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"discobot-hooks/frontmatter"
	"discobot-hooks/githook"
	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/progress"
	"discobot-hooks/run"
)

const runLong = `Run one hook by hand, show what it prints, and record it like any other run. The
exit code is the hook's own. A file hook gets the changed files that match.`

const runExample = `  discobot-hooks run go-fmt`

func (a *app) runCommand() *cobra.Command {
	return &cobra.Command{
		Use: "run HOOK-ID", Short: "Run one hook by hand",
		Long: runLong, Example: runExample, Args: cobra.ExactArgs(1),
		ValidArgsFunction: a.completeHookID,
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := a.open()
			if err != nil {
				return err
			}
			i := slices.IndexFunc(o.set.Hooks, func(h hook.Hook) bool { return h.ID == args[0] })
			if i < 0 {
				return hookNotFound{args[0]}
			}
			h := o.set.Hooks[i]
			result, err := a.runByHand(cmd.Context(), o, h)
			if err != nil && result.Status == "" {
				return err
			}
			if err != nil { // it ran, and its exit code is ours
				a.warn(err.Error())
			}
			if cause := context.Cause(cmd.Context()); cause != nil {
				return cause
			}
			if a.flags.json {
				a.printJSON(toRanJSON(h, result))
			}
			if result.ExitCode != 0 {
				return exitCode(result.ExitCode)
			}
			return nil
		},
	}
}

// completeHookID offers the ids that there are to the shell.
func (a *app) completeHookID(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var ids []cobra.Completion
	if ws, err := a.workspace(); err == nil {
		if set, err := frontmatter.Load(ws.Dir); err == nil {
			for _, h := range set.Hooks {
				ids = append(ids, cobra.CompletionWithDesc(h.ID, plaintext.Line(h.Name)))
			}
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) runByHand(ctx context.Context, o opened, h hook.Hook) (hook.Result, error) {
	switch h.Event {
	case hook.Session:
		stage, err := a.stage(sessionFlags{})
		if err != nil {
			return hook.Result{}, err
		}
		stage.Watch = a.show
		return stage.RunOne(ctx, h.ID)
	case hook.File:
		evaluator := a.evaluator(o)
		evaluator.Watch = a.show
		return evaluator.RunOne(ctx, h)
	}
	return githook.Run{
		Workspace: o.ws, Recorder: a.store(o.ws), Env: a.env, Timeout: o.timeout, Watch: a.show, Out: a.err,
	}.RunOne(ctx, h)
}

type hookNotFound struct{ id string }

func (e hookNotFound) Error() string {
	return fmt.Sprintf("find hook %s: no such hook", plaintext.Line(e.id))
}

// Hint says where the ids are.
func (e hookNotFound) Hint() string {
	return "discobot-hooks list shows the hooks and their ids; emit runs those of other formats"
}

// show passes on what a hook prints.
func (a *app) show(hook.Hook) run.Watcher {
	if a.flags.json {
		return &progress.Stream{To: a.err}
	}
	return &progress.Stream{To: a.out}
}
