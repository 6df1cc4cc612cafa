package main

import (
	"github.com/spf13/cobra"

	"discobot-hooks/dialect/registry"
)

const registerLong = `Print which registry hooks there are and how to run them, as the JSON document
that an orchestrator of that format reads at its start: hooks grouped by event,
only those that are enabled in this environment.`

const registerExample = `  discobot-hooks register --env dev`

func (a *app) registerCommand() *cobra.Command {
	var environment string
	cmd := &cobra.Command{
		Use: "register [flags]", Short: "Print the registry hooks for an orchestrator",
		Long: registerLong, Example: registerExample, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, err := a.workspaceDir()
			if err != nil {
				return err
			}
			if environment == "" {
				environment = a.getenv("HOOKS_ENV")
			}
			registration, problems, err := registry.New(dir, environment).Registration()
			a.warnErrors(problems)
			if err != nil {
				return err
			}
			a.printJSON(registration)
			return nil
		},
	}
	cmd.Flags().StringVar(&environment, "env", "", "the `NAME` of this environment; else HOOKS_ENV")
	return cmd
}
