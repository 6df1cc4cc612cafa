package main

import (
	"github.com/spf13/cobra"
)

const disconnectLong = `Take back what connect wrote: our entries, and the lists, the file and the
directories that it made for them, where nobody has put anything else there.`

const disconnectExample = `  discobot-hooks disconnect claude-code`

func (a *app) disconnectCommand() *cobra.Command {
	var flags connectFlags
	cmd := &cobra.Command{
		Use: "disconnect AGENT [flags]", Short: "Take our entries out of an agent's configuration",
		Long: disconnectLong, Example: disconnectExample, Args: oneAgent, ValidArgs: agentNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			host, options, _, err := a.agentOptions(args[0], flags)
			if err != nil {
				return err
			}
			out, err := host.Disconnect(cmd.Context(), options)
			if err != nil {
				return err
			}
			a.printConnection(host, out, nil)
			return nil
		},
	}
	cmd.Flags().BoolVar(&flags.user, "user", false, "edit your own configuration, not the workspace's")
	return cmd
}
