package main

import (
	"github.com/spf13/cobra"

	"discobot-hooks/session"
)

// A named command is made only where it is asked for.
type named struct {
	name string
	make func() *cobra.Command
}

// commands are all that there are.
func (a *app) commands() []named {
	return []named{
		{initName, a.initCommand},
		{"session", a.sessionCommand},
		{session.ServeCommand, a.sessionUserCommand},
		{"install", a.installCommand},
		{"uninstall", a.uninstallCommand},
		{gitHookName, a.gitHookCommand},
		{"eval-turn", a.evalTurnCommand},
		{"emit", a.emitCommand},
		{engineName, a.engineCommand},
		{"list", a.listCommand},
		{"validate", a.validateCommand},
		{"register", a.registerCommand},
		{"run", a.runCommand},
		{"status", a.statusCommand},
		{"doctor", a.doctorCommand},
		{"trust", a.trustCommand},
		{"connect", a.connectCommand},
		{"disconnect", a.disconnectCommand},
		{"advice", a.adviceCommand},
		{"config", a.configCommand},
		{"sessions", a.sessionsCommand},
		{"version", a.versionCommand},
		{detachedName, a.detachedCommand},
		{answeredName, a.answeredCommand},
	}
}

// addCommands gives root its commands: where args begin with the name of one,
// that one alone, since making all takes longer than most of them run.
func (a *app) addCommands(root *cobra.Command, args []string) {
	all := a.commands()
	for _, c := range all {
		if len(args) > 0 && args[0] == c.name {
			root.AddCommand(c.make())
			root.CompletionOptions.DisableDefaultCmd = true // four more
			return
		}
	}
	for _, c := range all {
		root.AddCommand(c.make())
	}
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.Args = cobra.ArbitraryArgs // or cobra prints help to stdout, for the shell to run
		completion.RunE = unknownShell
	}
}
