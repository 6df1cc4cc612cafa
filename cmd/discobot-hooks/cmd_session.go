package main

import (
	"fmt"
	"os"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"discobot-hooks/agenthost"
	"discobot-hooks/internal/account"
	"discobot-hooks/run"
	"discobot-hooks/session"
)

const sessionLong = `Run the workspace's session hooks and install its git hook, then exit: as the
init container of a pod, from a systemd unit, or as init's own first stage.

As root, hooks with "run_as: root" run as root and all others as the user. A
hook that fails is logged and recorded; the exit code is 0 all the same.

With --agent it is what a coding agent runs at the start of a session, outside of
a container: it reads the agent's payload on stdin and runs only the user's hooks
and only those that trust has been given. Others are named, with what to do.`

const sessionExample = `  discobot-hooks session --dir /home/discobot/workspace --user discobot`

type sessionFlags struct {
	user      string
	noInstall bool
	readyFD   int
	agent     agentFlags
}

func (a *app) sessionCommand() *cobra.Command {
	var flags sessionFlags
	cmd := &cobra.Command{
		Use: "session [flags]", Short: "Run the session hooks and exit",
		Long: sessionLong, Example: sessionExample, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.session(cmd, flags) },
	}
	addSessionFlags(cmd, &flags)
	cmd.Flags().IntVar(&flags.readyFD, "ready-fd", 0, "descriptor to write a byte to when the agent may start")
	cmd.Flags().StringVar(&flags.agent.agent, "agent", "", "run for the coding agent `NAME`, as it begins a session")
	cmd.Flags().DurationVar(&flags.agent.timeout, "timeout", agenthost.StartTimeout, "with --agent, how long the agent waits for us: hooks end before")
	cmd.Flags().BoolVar(&flags.agent.background, "background", false, "run the hooks that do not block")
	for _, ours := range []string{"ready-fd", "background"} {
		_ = cmd.Flags().MarkHidden(ours) // the flag exists, so there is no error
	}
	return cmd
}

func addSessionFlags(cmd *cobra.Command, flags *sessionFlags) {
	cmd.Flags().StringVar(&flags.user, "user", "", "the `USER` to drop to: a name, uid or uid:gid; else DISCOBOT_USER, else discobot, else the workspace's owner")
	cmd.Flags().BoolVar(&flags.noInstall, "no-install", false, "do not install the git hook")
}

func (a *app) session(cmd *cobra.Command, flags sessionFlags) error {
	if cmd.Flags().Changed("agent") { // an empty name must not run what nobody trusts
		host, err := flags.agent.checkStart(a.flags.json)
		if err != nil {
			return usageError{err}
		}
		return a.startAgent(cmd.Context(), flags.agent, host)
	}
	ready := func() { signalReady(flags.readyFD) }
	if a.off() {
		ready()
		a.printSummary(session.Summary{})
		return nil
	}
	stage, err := a.stage(flags)
	if err != nil {
		return err
	}
	summary, err := stage.Run(cmd.Context(), ready)
	if err != nil {
		return err // init starts the agent at our end, too
	}
	a.printSummary(summary)
	return nil
}

func (a *app) printSummary(s session.Summary) {
	if a.flags.json {
		a.printJSON(map[string]int{"run": s.Run, "failed": s.Failed})
	}
}

func (a *app) stage(flags sessionFlags) (session.Stage, error) {
	user, home, err := a.user(flags.user)
	if err != nil {
		return session.Stage{}, err
	}
	ws, err := a.workspaceOf(home)
	if err != nil {
		return session.Stage{}, err
	}
	timeout, err := a.timeouts(run.DefaultTimeout)
	if err != nil {
		return session.Stage{}, err
	}
	policy, err := session.ParseRootPolicy(a.getenv("DISCOBOT_ROOT_HOOKS"))
	if err != nil {
		a.warn(err.Error())
	}
	return session.Stage{
		Workspace: ws, User: user, Root: os.Geteuid() == 0, Self: selfPath(), Env: a.env,
		Timeout: timeout, RootHooks: policy, NoInstall: flags.noInstall, Log: a.logger(zerolog.InfoLevel),
	}, nil
}

// user is whom hooks and agent run as, and that user's home. Only root can
// become somebody else.
func (a *app) user(flag string) (account.Account, string, error) {
	if os.Geteuid() != 0 {
		self := account.Current()
		if flag != "" {
			if named, err := account.Lookup(flag); err != nil || named.UID != self.UID {
				return account.Account{}, "", fmt.Errorf("become user %s: only root can", flag)
			}
		}
		return self, account.OwnHome(a.getenv), nil
	}
	spec := flag
	if spec == "" {
		spec = a.getenv("DISCOBOT_USER")
	}
	var user account.Account
	var err error
	if spec != "" {
		user, err = account.Lookup(spec)
	} else {
		var dir string
		if dir, err = a.workspaceDir(); err == nil {
			user, err = account.Default(dir)
		}
	}
	return user, account.HomeFor(user, a.getenv), err
}

const sessionUserLong = `Do one thing for a session stage that runs as root, with the identity of the
user. Not for people.`

func (a *app) sessionUserCommand() *cobra.Command {
	return &cobra.Command{
		Use: session.ServeCommand + " QUESTION", Hidden: true, Long: sessionUserLong, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ws, err := a.workspace()
			if err != nil {
				return err
			}
			return session.Serve(cmd.Context(), args[0], ws, a.env, a.in, a.out)
		},
	}
}
