package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

const rootLong = `discobot-hooks runs the checks and set-up scripts of a workspace, its hooks, at
the right moment of a coding agent's life: when its container starts, after
each turn of the model, and before a commit. Hooks are executable files in
.discobot/hooks/ with a few lines of YAML at their top.`

const rootExample = `  discobot-hooks list
  discobot-hooks eval-turn`

// rootCommand is the program for a command line that begins with args.
func (a *app) rootCommand(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:           "discobot-hooks",
		Short:         "The hook runtime for coding agents",
		Long:          rootLong,
		Example:       rootExample,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			a.command = nameOf(cmd)
			if err := a.checkFlags(); err != nil {
				return err
			}
			a.started = true
			if cmd.Name() != initName { // PID 1 catches all signals itself, and keeps descriptors for the agent
				keepDescriptorsFromHooks()
				ctx, catch, stop := withSignals(cmd.Context())
				cmd.SetContext(ctx)
				a.catch, a.stop = catch, stop
				if agent := cmd.Flag("agent"); cmd.Name() != evalTurnName || !agent.Changed {
					catch() // an agent's hook catches them once it has something to lose
				}
			}
			return nil
		},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.flags.dir, "dir", "", "the workspace `DIR`; else DISCOBOT_WORKSPACE, else the git work tree around the current directory")
	flags.StringVar(&a.flags.session, "session", "", "the session `ID`; else DISCOBOT_SESSION_ID, else SESSION_ID, else made from the workspace's path")
	flags.BoolVar(&a.flags.json, "json", false, "print exactly one JSON document on stdout")
	flags.StringVar(&a.flags.logFormat, "log-format", "", "json or console; else console on a terminal")
	flags.StringVar(&a.flags.logLevel, "log-level", "", "trace, debug, info, warn or error; else info for init and session, warn for the rest")
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { printHelp(a.out, cmd) })
	root.SetUsageFunc(func(cmd *cobra.Command) error { printHelp(a.err, cmd); return nil })
	root.SetHelpCommand(helpCommand(root))
	a.addCommands(root, args)
	return root
}

func unknownShell(_ *cobra.Command, args []string) error {
	return usageError{fmt.Errorf("write completion: %q is not bash, zsh, fish or powershell", strings.Join(args, " "))}
}

// nameOf is a command as people write it, without the program's own name.
func nameOf(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Help about a command",
		Long: "Print what a command is for, its flags, and an example.", Example: "  discobot-hooks help eval-turn",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, _, err := root.Find(args)
			if err != nil {
				return usageError{err}
			}
			cmd.InitDefaultHelpFlag() // cobra does so only for the command that runs
			return cmd.Help()
		},
	}
}

// printHelp is cobra's help without its template, which would link
// text/template into the binary; and it ends with the example, where the
// reader's eye is.
func printHelp(w io.Writer, cmd *cobra.Command) {
	var text strings.Builder
	long := cmd.Long
	if long == "" {
		long = cmd.Short
	}
	fmt.Fprintf(&text, "%s\n\nUsage:\n  %s\n", strings.TrimSpace(long), useLine(cmd))
	if cmd.HasAvailableSubCommands() {
		text.WriteString("\nCommands:\n")
		width := 12
		for _, sub := range cmd.Commands() {
			width = max(width, len(sub.Name()))
		}
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				fmt.Fprintf(&text, "  %-*s %s\n", width, sub.Name(), sub.Short)
			}
		}
	}
	if cmd.HasAvailableLocalFlags() {
		fmt.Fprintf(&text, "\nFlags:\n%s", cmd.LocalFlags().FlagUsages())
	}
	if cmd.HasAvailableInheritedFlags() {
		fmt.Fprintf(&text, "\nFlags of every command:\n%s", cmd.InheritedFlags().FlagUsages())
	}
	if cmd.Example != "" {
		fmt.Fprintf(&text, "\nExample:\n%s\n", cmd.Example)
	}
	_, _ = io.WriteString(w, text.String()) // nobody left to tell
}

func useLine(cmd *cobra.Command) string {
	if cmd.HasAvailableSubCommands() {
		return cmd.CommandPath() + " COMMAND"
	}
	return cmd.UseLine()
}

// group makes a command of others: alone it prints its help, and what is none
// of them is wrong usage, where cobra would print help and succeed.
func group(cmd *cobra.Command, others ...*cobra.Command) *cobra.Command {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usageError{fmt.Errorf("unknown command %q", args[0])}
		}
		return cmd.Help()
	}
	cmd.AddCommand(others...)
	return cmd
}
