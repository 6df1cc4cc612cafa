package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"discobot-hooks/frontmatter"
	"discobot-hooks/githook"
	"discobot-hooks/hook"
	"discobot-hooks/internal/git"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/progress"
	"discobot-hooks/internal/workspace"
	"discobot-hooks/run"
)

const runLong = `Run one hook by hand, show what it prints, and record it like any other run. The
exit code is the hook's own. A file hook gets the changed files that match, a
pre-commit hook the staged ones. Another git hook gets ARG as git's arguments;
without any, a hook of the commit message gets the last message.`

const runExample = `  discobot-hooks run go-fmt
  discobot-hooks run check-message .git/COMMIT_EDITMSG`

func (a *app) runCommand() *cobra.Command {
	return &cobra.Command{
		Use: "run HOOK-ID [ARG...]", Short: "Run one hook by hand",
		Long: runLong, Example: runExample, Args: cobra.MinimumNArgs(1),
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
			result, err := a.runByHand(cmd.Context(), o, h, args[1:])
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
func (a *app) completeHookID(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault // git's arguments may be files
	}
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

func (a *app) runByHand(ctx context.Context, o opened, h hook.Hook, args []string) (hook.Result, error) {
	if slices.Contains(hook.GitEvents(), h.Event) {
		return a.runGitHook(ctx, o, h, args)
	}
	if len(args) > 0 {
		return hook.Result{}, usageError{fmt.Errorf("run hook %s: a %s hook takes no arguments", h.ID, h.Event)}
	}
	switch h.Event {
	case hook.Session:
		stage, err := a.stage(sessionFlags{})
		if err != nil {
			return hook.Result{}, err
		}
		stage.Watch = a.show
		return stage.RunOne(ctx, h.ID)
	default:
		evaluator := a.evaluator(o)
		evaluator.Watch = a.show
		return evaluator.RunOne(ctx, h)
	}
}

// runGitHook runs a git hook as git would, with what there is instead of what
// git would give it.
func (a *app) runGitHook(ctx context.Context, o opened, h hook.Hook, args []string) (hook.Result, error) {
	if len(args) == 0 && (h.Event == hook.CommitMsg || h.Event == hook.PrepareCommitMsg) {
		message, err := a.lastMessage(ctx, o.ws)
		if err != nil {
			return hook.Result{}, err
		}
		args = []string{message}
	}
	input, err := a.gitInput(ctx, h.Event, []hook.Hook{h}, time.Now().Add(githook.Limit))
	if err != nil {
		return hook.Result{}, err
	}
	return githook.Run{
		Workspace: o.ws, Recorder: a.store(o.ws), Env: a.env, Args: args, Input: input,
		Timeout: o.timeout, Watch: a.show, Out: a.err,
	}.RunOne(ctx, h)
}

// lastMessage is the file where git keeps the last commit's message.
func (a *app) lastMessage(ctx context.Context, ws workspace.Workspace) (string, error) {
	out, err := git.Run(ctx, ws.Dir, a.env, "rev-parse", "--path-format=absolute", "--git-path", "COMMIT_EDITMSG")
	if err != nil {
		return "", fmt.Errorf("find the last commit message: %w", err)
	}
	path := strings.TrimSuffix(string(out), "\n")
	if _, err := os.Stat(path); err != nil {
		return "", noMessage{err}
	}
	return path, nil
}

type noMessage struct{ err error }

func (e noMessage) Error() string { return fmt.Sprintf("find the last commit message: %v", e.err) }

// Hint says what to do.
func (e noMessage) Hint() string {
	return "name a file with a message: discobot-hooks run HOOK-ID FILE"
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
