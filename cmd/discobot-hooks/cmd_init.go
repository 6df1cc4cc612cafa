package main

import (
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"discobot-hooks/initproc"
	"discobot-hooks/internal/account"
)

const initLong = `Be PID 1 of a container: run the session hooks, then the agent as the user, pass
on every signal, reap orphans, and end with the agent's own exit status.

Hooks run in a child process; nothing that they or the workspace contain keeps
the agent from starting. Only a TERM or INT that arrives before does.`

const initExample = `  discobot-hooks init --user discobot --dir /home/discobot/workspace -- my-agent --serve`

const initName = "init"

type initFlags struct {
	sessionFlags
	sessionTimeout, grace time.Duration
}

func (a *app) initCommand() *cobra.Command {
	var flags initFlags
	cmd := &cobra.Command{
		Use: initName + " [flags] -- COMMAND [ARG...]", Short: "Be PID 1: run the session hooks, then supervise the agent",
		Long: initLong, Example: initExample, Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.init(flags, args) },
	}
	addSessionFlags(cmd, &flags.sessionFlags)
	cmd.Flags().DurationVar(&flags.sessionTimeout, "session-timeout", initproc.DefaultSessionTimeout, "how long the agent waits for the session hooks, all together")
	cmd.Flags().DurationVar(&flags.grace, "grace", 5*time.Second, "how long what the agent leaves behind has between TERM and KILL; 0 leaves at once")
	cmd.Flags().SetInterspersed(false) // what follows COMMAND is the agent's
	return cmd
}

func (a *app) init(flags initFlags, args []string) error {
	if flags.sessionTimeout <= 0 || flags.grace < 0 {
		return usageError{errors.New("read flags: --session-timeout must be above 0, --grace 0 or above")}
	}
	user, home, err := a.user(flags.user)
	if err != nil {
		return err
	}
	agent := initproc.Process{Argv: args, Env: a.env}
	if os.Geteuid() == 0 && user.UID != 0 {
		agent.User = &initproc.Credential{UID: user.UID, GID: user.GID, Groups: user.Groups}
		agent.Env = userEnv(a.env, user, home)
	}
	code, err := initproc.Run(initproc.Config{
		Session:        a.sessionProcess(flags.sessionFlags),
		SessionTimeout: flags.sessionTimeout,
		Agent:          agent,
		Grace:          flags.grace,
		Log:            a.logger(zerolog.InfoLevel),
	})
	if err != nil {
		return err
	}
	return exitCode(code)
}

// sessionProcess is the session command with what we were told.
func (a *app) sessionProcess(flags sessionFlags) *initproc.Process {
	argv := []string{"discobot-hooks", "session", "--ready-fd", "3"}
	for _, flag := range []struct{ name, value string }{
		{"--user", flags.user}, {"--dir", a.flags.dir}, {"--session", a.flags.session},
		{"--log-format", a.flags.logFormat}, {"--log-level", a.flags.logLevel},
	} {
		if flag.value != "" {
			argv = append(argv, flag.name+"="+flag.value)
		}
	}
	if flags.noInstall {
		argv = append(argv, "--no-install")
	}
	return &initproc.Process{Argv: argv, Path: selfPath(), Env: a.env}
}

// userEnv is the container's environment with what names the user made anew,
// at its end.
func userEnv(env []string, user account.Account, home string) []string {
	env = slices.Clone(env)
	for _, entry := range []string{"HOME=" + home, "USER=" + user.Name, "LOGNAME=" + user.Name, "SHELL=" + user.Shell} {
		name, _, _ := strings.Cut(entry, "=")
		env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
		env = append(env, entry)
	}
	return env
}
