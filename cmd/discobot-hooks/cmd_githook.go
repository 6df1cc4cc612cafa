package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"discobot-hooks/dialect"
	"discobot-hooks/dialect/advice"
	"discobot-hooks/event"
	"discobot-hooks/githook"
	"discobot-hooks/hook"
	"discobot-hooks/internal/git"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/workspace"
)

const gitHookLong = `Run the workspace's hooks of one git hook, with git's arguments and input. The
script that install writes calls this; git runs it in the work tree that is
being committed. Where install was told --advice, the hooks of advice run after
them.

Nothing is printed where all pass. A hook that fails is named with its exit code
and the end of its output, and blocks the commit or push (exit code 2). A post-*
hook cannot: what it follows is done, and the exit code is 0.`

const gitHookExample = `  discobot-hooks git-hook pre-commit`

const gitHookName = "git-hook"

func (a *app) gitHookCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: gitHookName + " NAME [ARG...]", Short: "Run the hooks of a git hook (its script calls this)",
		Long: gitHookLong, Example: gitHookExample, Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := hook.Event(args[0])
			if !slices.Contains(hook.GitEvents(), name) {
				return usageError{fmt.Errorf("run git hook %q: write %s", args[0], gitEventNames())}
			}
			if a.off() {
				return a.reportGitHook(hook.Proceed, nil)
			}
			return a.gitHook(cmd, name, args[1:])
		},
	}
	cmd.Flags().SetInterspersed(false) // what follows NAME is git's
	return cmd
}

func (a *app) gitHook(cmd *cobra.Command, name hook.Event, args []string) error {
	deadline := time.Now().Add(githook.Limit)
	if err := a.enterWorkTree(); err != nil {
		return err
	}
	o, err := a.open()
	if err != nil {
		return err
	}
	hooks := o.set.For(name)
	input, err := a.gitInput(cmd.Context(), name, hooks, deadline)
	if err != nil {
		return err
	}
	agent := a.askAdviceAgent(cmd.Context(), name, o.ws.Dir)
	verdict, ran, err := githook.Run{
		Workspace: o.ws, Recorder: a.store(o.ws), Event: name, Hooks: hooks, Env: a.env, Args: args, Input: input,
		Original: originalExit(a.getenv("DISCOBOT_ORIGINAL_EXIT")),
		Timeout:  o.timeout, Deadline: deadline, Watch: a.progress(), Out: a.err,
	}.Do(cmd.Context())
	if err != nil {
		return err
	}
	report, err := a.adviceAtGit(cmd.Context(), name, agent, o.ws, deadline)
	if err != nil {
		return err
	}
	for _, r := range report.Hooks {
		ran = append(ran, hook.Ran{Hook: r.Info.Hook, Result: r.Result})
	}
	if report.Blocked {
		verdict = hook.Block
	}
	return a.reportGitHook(verdict, ran)
}

// enterWorkTree makes the work tree that git runs us in the workspace.
// DISCOBOT_WORKSPACE must not win here: in a linked work tree the checks are
// those of the branch that is being committed.
func (a *app) enterWorkTree() error {
	if a.flags.dir != "" {
		return nil
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	if top, ok := git.TopLevel(here); ok {
		here = top
	}
	a.flags.dir = filepath.Clean(here)
	return nil
}

// askAdviceAgent asks git for the agent whose advice hooks run, while the
// workspace's own hooks do. What it returns waits for the answer.
func (a *app) askAdviceAgent(ctx context.Context, name hook.Event, dir string) func() (string, error) {
	if adviceTrigger(name) == "" {
		return func() (string, error) { return "", nil }
	}
	type answer struct {
		agent string
		err   error
	}
	answered := make(chan answer, 1)
	go func() { // ends with git, or with the process
		agent, err := a.installer(dir).Advice(ctx)
		answered <- answer{agent, err}
	}()
	return func() (string, error) {
		got := <-answered
		return got.agent, got.err
	}
}

// adviceTrigger is what advice calls a git hook; empty: nothing.
func adviceTrigger(name hook.Event) string {
	switch name {
	case hook.PreCommit:
		return advice.AdviceHookTriggerBeforeCommit
	case hook.PrePush:
		return advice.AdviceHookTriggerBeforePush
	}
	return ""
}

// adviceAtGit takes git's event to the hooks of advice, if the repository's
// owner asked for that.
func (a *app) adviceAtGit(ctx context.Context, name hook.Event, ask func() (string, error), ws workspace.Workspace, deadline time.Time) (event.Report, error) {
	agent, err := ask()
	if err != nil || agent == "" {
		return event.Report{}, err
	}
	if _, err := os.Stat(filepath.Join(ws.Dir, advice.DefaultFile)); errors.Is(err, fs.ErrNotExist) {
		a.warn(fmt.Sprintf("no advice for %s is run: there is no %s in %s", agent, advice.DefaultFile, ws.Dir))
	}
	engine := a.engine(ws, advice.New(advice.Options{Workspace: ws.Dir, Agent: agent}))
	engine.Env, engine.Deadline = githook.Environ(a.env), deadline
	ev := &dialect.Event{Name: adviceTrigger(name), Data: map[string]any{}, Time: time.Now(), Session: ws.Session, Warn: a.warn}
	report, err := engine.Emit(ctx, ev)
	if report.Blocked {
		fmt.Fprintf(a.err, "discobot-hooks: %s\n", plaintext.Line(githook.Blocked(name, report.Reason)))
	}
	return report, err
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
