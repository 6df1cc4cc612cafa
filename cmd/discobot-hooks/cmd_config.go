package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"discobot-hooks/dialect/autoagent"
	"discobot-hooks/internal/account"
	"discobot-hooks/internal/plaintext"
)

const configLong = `Edit AutoAgent's configuration: .autoagent/config.json of the workspace or, with
--global, of your home. Only what must change does; the rest of the file stays
byte for byte.`

const configExample = `  discobot-hooks config set-auto-commit true`

func (a *app) configCommand() *cobra.Command {
	return group(
		&cobra.Command{Use: "config", Short: "Edit AutoAgent's configuration", Long: configLong, Example: configExample},
		a.setAutoCommand("set-auto-commit", "git-commit", "Commit after each issue, or no more", autoagent.SetAutoCommit),
		a.setAutoCommand("set-auto-push", "git-push", "Push after each issue, or no more", autoagent.SetAutoPush),
	)
}

func (a *app) setAutoCommand(name, kind, short string, set func(context.Context, string, bool) (bool, error)) *cobra.Command {
	var global bool
	cmd := &cobra.Command{
		Use: name + " true|false", Short: short,
		Long:    fmt.Sprintf("Add a %s hook to PostExecutionEnd (true), or remove it (false).", kind),
		Example: "  discobot-hooks config " + name + " true", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] != "true" && args[0] != "false" {
				return usageError{fmt.Errorf("read argument: %q is not true or false", args[0])}
			}
			path, err := a.autoagentConfig(global)
			if err != nil {
				return err
			}
			on := args[0] == "true"
			changed, err := set(cmd.Context(), path, on)
			if err != nil {
				return err
			}
			a.reportConfig(kind, path, on, changed)
			return a.warnOfConfig()
		},
	}
	cmd.Flags().BoolVar(&global, "global", false, "edit ~/.autoagent/config.json, which counts where the workspace's has no hooks")
	return cmd
}

func (a *app) autoagentConfig(global bool) (string, error) {
	dir := account.OwnHome(a.getenv)
	if !global {
		var err error
		if dir, err = a.workspaceDir(); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, ".autoagent", "config.json"), nil
}

func (a *app) reportConfig(kind, path string, on, changed bool) {
	if a.flags.json {
		a.printJSON(map[string]any{"file": path, "type": kind, "on": on, "changed": changed})
		return
	}
	switch {
	case on && changed:
		fmt.Fprintf(a.out, "✓ Added %s hook to PostExecutionEnd\n", kind)
	case changed:
		fmt.Fprintf(a.out, "✓ Removed %s hook from PostExecutionEnd\n", kind)
	default:
		fmt.Fprintf(a.out, "nothing to do in %s: %s hook is %s already\n", plaintext.Path(path), kind, map[bool]string{true: "on", false: "off"}[on])
	}
}

// warnOfConfig says what is wrong with the configuration now, above all that
// one file's hooks replace the other's.
func (a *app) warnOfConfig() error {
	ws, err := a.workspace()
	if err != nil {
		return err
	}
	set, err := autoagent.New(autoagent.Options{Workspace: ws.Dir, Home: ws.Home}).Load()
	for _, problem := range set.Problems {
		a.warn(problem.String())
	}
	return err
}
