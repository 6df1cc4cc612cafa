package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"discobot-hooks/githook"
	"discobot-hooks/hook"
	"discobot-hooks/internal/git"
)

const gitHookLong = `Run the workspace's hooks of one git hook. The script that install writes calls
this; git runs it in the work tree that is being committed.

Nothing is printed where all pass. A hook that fails blocks the commit (exit
code 2): each is named with its exit code and the end of its output.`

const gitHookExample = `  discobot-hooks git-hook pre-commit`

const gitHookName = "git-hook"

func (a *app) gitHookCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: gitHookName + " NAME [ARG...]", Short: "Run the hooks of a git hook (its script calls this)",
		Long: gitHookLong, Example: gitHookExample, Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			event := hook.Event(args[0])
			if event != hook.PreCommit {
				return usageError{fmt.Errorf("run git hook %q: only pre-commit has hooks here", args[0])}
			}
			if a.off() {
				return a.reportGitHook(hook.Proceed, nil)
			}
			return a.gitHook(cmd, event, args[1:])
		},
	}
	cmd.Flags().SetInterspersed(false) // what follows NAME is git's
	return cmd
}

func (a *app) gitHook(cmd *cobra.Command, event hook.Event, args []string) error {
	if a.flags.dir == "" {
		// DISCOBOT_WORKSPACE must not win here: in a linked work tree the
		// checks are those of the branch that is being committed.
		here, err := os.Getwd()
		if err != nil {
			return err
		}
		if top, ok := git.TopLevel(here); ok {
			here = top
		}
		a.flags.dir = filepath.Clean(here)
	}
	o, err := a.open()
	if err != nil {
		return err
	}
	verdict, ran, err := githook.Run{
		Workspace: o.ws, Recorder: a.store(o.ws), Event: event, Hooks: o.set.For(event), Env: a.env, Args: args,
		Original: originalExit(a.getenv("DISCOBOT_ORIGINAL_EXIT")),
		Timeout:  o.timeout, Watch: a.progress(), Out: a.err,
	}.Do(cmd.Context())
	if err != nil {
		return err
	}
	return a.reportGitHook(verdict, ran)
}

func (a *app) reportGitHook(verdict hook.Verdict, ran []hook.Ran) error {
	if a.flags.json {
		hooks := make([]ranJSON, 0, len(ran))
		for _, r := range ran {
			hooks = append(hooks, toRanJSON(r.Hook, r.Result))
		}
		a.printJSON(map[string]any{"verdict": verdict, "hooks": hooks})
	}
	if verdict == hook.Block {
		return exitCode(exitBlocked)
	}
	return nil
}

// originalExit reads what the generated script says of the user's own hook.
// Anything but a number is from elsewhere and means nothing.
func originalExit(text string) int {
	code, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return code
}
