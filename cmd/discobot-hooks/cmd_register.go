package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"discobot-hooks/dialect/registry"
)

const registerLong = `Print which registry hooks there are and how to run them, as the JSON document
that an orchestrator of that format reads at its start: hooks grouped by event,
only those that are enabled in this environment.`

const registerExample = `  discobot-hooks register --env dev`

func (a *app) registerCommand() *cobra.Command {
	var environment, only string
	cmd := &cobra.Command{
		Use: "register [flags]", Short: "Print the registry hooks for an orchestrator",
		Long: registerLong, Example: registerExample, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if only != registry.Name {
				return usageError{fmt.Errorf("read --dialect: %q has no registration, only registry has", only)}
			}
			dir, err := a.workspaceDir()
			if err != nil {
				return err
			}
			registration, problems, err := registry.New(dir, a.environment(environment)).Registration()
			a.warnErrors(problems)
			if err != nil {
				return err
			}
			a.printJSON(registration)
			return nil
		},
	}
	cmd.Flags().StringVar(&environment, "env", "", "the `NAME` of this environment; else HOOKS_ENV")
	cmd.Flags().StringVar(&only, "dialect", registry.Name, "`D` is registry, the one dialect with a registration")
	return cmd
}
