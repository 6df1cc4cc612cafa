package main

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"discobot-hooks/agenthost"
	"discobot-hooks/frontmatter"
	"discobot-hooks/hook"
	"discobot-hooks/internal/account"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/wording"
	"discobot-hooks/internal/workspace"
)

const connectExample = `  discobot-hooks connect claude-code`

// connectLong names the agents, which only agenthost knows.
func connectLong() string {
	return `Have a coding agent run eval-turn at the end of each turn, and session when a
session starts: our entries go into the agent's own configuration file, where all
else stays as it is, comments too. Connecting again changes nothing; with other
options it changes our entries alone. disconnect takes them back.

The agents: ` + strings.Join(agentNames(), ", ") + `.`
}

func agentNames() (names []string) {
	for _, h := range agenthost.Hosts() {
		names = append(names, h.Name)
	}
	return names
}

type connectFlags struct {
	user, background bool
	timeout          string
}

func (a *app) connectCommand() *cobra.Command {
	var flags connectFlags
	cmd := &cobra.Command{
		Use: "connect AGENT [flags]", Short: "Have a coding agent check each turn",
		Long: connectLong(), Example: connectExample, Args: oneAgent, ValidArgs: agentNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			host, options, ws, err := a.agentOptions(args[0], flags)
			if err != nil {
				return err
			}
			out, err := host.Connect(cmd.Context(), options)
			if errors.Is(err, agenthost.ErrNoBackground) {
				return usageError{fmt.Errorf("read --background: %s runs no hook in the background; %s do", host.Name, strings.Join(backgroundNames(), " and "))}
			}
			if err != nil {
				return err
			}
			if _, err := exec.LookPath("discobot-hooks"); err != nil {
				a.warn("discobot-hooks is not in PATH, where " + host.Title + " looks for it")
			}
			steps := host.Steps(options)
			switch set, err := frontmatter.Load(ws.Dir); {
			case options.User:
				out.Notes = append(out.Notes, "file hooks now run at the end of your turns in every workspace that has some, also in one that you have just cloned")
			case err == nil && len(set.For(hook.File)) == 0:
				steps = append(steps, noFileHooks+"; "+fileHookHint)
			}
			if message, err := untrusted(ws); err != nil {
				a.warn(err.Error()) // the agent is connected all the same
			} else if message != "" {
				steps = append(steps, message+"; "+trustHint)
			}
			a.printConnection(host, out, steps)
			return nil
		},
	}
	cmd.Flags().BoolVar(&flags.user, "user", false, "edit your own configuration, for all workspaces")
	cmd.Flags().BoolVar(&flags.background, "background", false, "evaluate beside your next turn, where the agent can be woken by it: "+strings.Join(backgroundNames(), ", "))
	cmd.Flags().StringVar(&flags.timeout, "timeout", "", "how long the agent waits for an evaluation: a `TIME` such as 5m; else 2m")
	return cmd
}

// oneAgent takes the name of one agent.
func oneAgent(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("read arguments: want one agent: %s", strings.Join(agentNames(), ", "))
	}
	return nil
}

func backgroundNames() (names []string) {
	for _, h := range agenthost.Hosts() {
		if h.Background {
			names = append(names, h.Name)
		}
	}
	return names
}

// agentOptions resolves what connect and disconnect have in common.
func (a *app) agentOptions(name string, flags connectFlags) (host agenthost.Host, options agenthost.Options, ws workspace.Workspace, err error) {
	if host, err = agenthost.Find(name); err != nil {
		return host, options, ws, usageError{err}
	}
	if ws, err = a.workspace(); err != nil {
		return host, options, ws, err
	}
	options = a.placeOptions(ws)
	options.User, options.Background = flags.user, flags.background
	if options.Timeout, err = agentTimeout(flags.timeout); err != nil {
		err = usageError{fmt.Errorf("read --timeout: %w", err)}
	}
	return host, options, ws, err
}

// agentTimeout reads how long an agent waits; zero where nothing is said.
func agentTimeout(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	limit, err := wording.TimeLimit(text)
	switch {
	case err != nil:
		return 0, err
	case limit < agenthost.MinTimeout:
		return 0, fmt.Errorf("%v is less than %v, which it takes to end a hook that will not", limit, agenthost.MinTimeout)
	case limit%time.Second != 0:
		return 0, fmt.Errorf("%q is no whole number of seconds", text)
	}
	return limit, nil
}

// placeOptions are those that only say where things are.
func (a *app) placeOptions(ws workspace.Workspace) agenthost.Options {
	return agenthost.Options{Workspace: ws.Dir, Home: account.OwnHome(a.getenv), StateRoot: ws.StateRoot, Getenv: a.getenv}
}

// printConnection says what happened, and what is left to do by hand.
func (a *app) printConnection(host agenthost.Host, out agenthost.Outcome, steps []string) {
	if a.flags.json {
		a.printJSON(struct {
			Agent   string             `json:"agent"`
			Changes []agenthost.Change `json:"changes"`
			Notes   []string           `json:"notes"`
			Steps   []string           `json:"steps"`
		}{host.Name, append([]agenthost.Change{}, out.Changes...), append([]string{}, out.Notes...), append([]string{}, steps...)})
		return
	}
	for _, c := range out.Changes {
		fmt.Fprintf(a.out, "%s %s\n", c.Change, plaintext.Path(c.Path))
	}
	if len(out.Changes) == 0 {
		fmt.Fprintln(a.out, "nothing to do for "+host.Title)
	}
	for _, note := range out.Notes {
		fmt.Fprintln(a.out, "note: "+plaintext.Line(note))
	}
	for _, step := range steps {
		fmt.Fprintln(a.out, "still to do: "+plaintext.Line(step))
	}
}
