package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"discobot-hooks/gitinstall"
	"discobot-hooks/hook"
	"discobot-hooks/internal/git"
	"discobot-hooks/internal/plaintext"
)

const installLong = `Install the git hooks that run the workspace's own: each that has some. A hook
that is there already is kept as NAME.original and runs first. Run it again as
often as you like; where the workspace has no hooks of a kind any more, the
managed hook goes and the kept one returns.

With --advice the hooks of advice run too, at before-commit and before-push, for
that agent. The repository's configuration keeps the choice.`

const installExample = `  discobot-hooks install
  discobot-hooks install --advice beads/polecats/quartz`

const uninstallLong = `Remove the managed git hooks, and give back those that they kept, byte for byte.`

const uninstallExample = `  discobot-hooks uninstall`

func (a *app) installCommand() *cobra.Command {
	var agent string
	var none, config bool
	cmd := &cobra.Command{
		Use: "install [flags]", Short: "Install the git hooks",
		Long: installLong, Example: installExample, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			set := cmd.Flags().Changed("advice")
			if set && (none || agent == "") {
				return usageError{errors.New("read --advice: name an agent; --no-advice is for none")}
			}
			o, err := a.open()
			if err != nil {
				return err
			}
			installer := a.installer(o.ws.Dir)
			installer.Config = config
			if set || none {
				if _, err := installer.SetAdvice(cmd.Context(), agent); err != nil {
					return err
				}
			}
			names, err := a.gitHooks(cmd.Context(), installer, o)
			if err != nil {
				return err
			}
			changes, err := installer.Install(cmd.Context(), names)
			return a.printChanges(changes, err)
		},
	}
	cmd.Flags().StringVar(&agent, "advice", "", "also run the hooks of advice that reach this `AGENT`, at commits and pushes")
	cmd.Flags().BoolVar(&config, "config", false, "write the hook to git's configuration, which git 2.54 and later run, instead of a file")
	cmd.Flags().BoolVar(&none, "no-advice", false, "run the hooks of advice no more")
	return cmd
}

// gitHooks are the git hooks that the workspace needs.
func (a *app) gitHooks(ctx context.Context, installer gitinstall.Installer, o opened) ([]string, error) {
	var names []string
	for _, event := range hook.GitEvents() {
		if len(o.set.For(event)) > 0 {
			names = append(names, string(event))
		}
	}
	if top, ok := git.TopLevel(o.ws.Dir); ok && top != o.ws.Dir && len(names) > 0 {
		a.warn(fmt.Sprintf("git runs the hooks of %s/%s: those of the workspace below it do not run", top, hook.Dir))
	}
	agent, err := installer.Advice(ctx)
	if err != nil || agent == "" {
		return names, err
	}
	for _, event := range []hook.Event{hook.PreCommit, hook.PrePush} { // advice's triggers
		if !slices.Contains(names, string(event)) {
			names = append(names, string(event))
		}
	}
	return names, nil
}

func (a *app) uninstallCommand() *cobra.Command {
	return &cobra.Command{
		Use: "uninstall", Short: "Remove the git hooks and give back those that they kept",
		Long: uninstallLong, Example: uninstallExample, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ws, err := a.workspace()
			if err != nil {
				return err
			}
			changes, err := a.installer(ws.Dir).Uninstall(cmd.Context())
			return a.printChanges(changes, err)
		},
	}
}

func (a *app) installer(dir string) gitinstall.Installer {
	binary, err := os.Executable()
	if err != nil {
		binary = "" // the script then looks in PATH
	}
	return gitinstall.Installer{Workspace: dir, Binary: binary, Env: a.env}
}

// printChanges says what was done, also where an error ended it early.
func (a *app) printChanges(changes []gitinstall.Change, err error) error {
	if a.flags.json {
		if err != nil {
			return err
		}
		type change struct {
			Hook      string `json:"hook"`
			Path      string `json:"path"`
			Action    string `json:"action"`
			Preserved string `json:"preserved,omitempty"`
		}
		list := make([]change, 0, len(changes))
		for _, c := range changes {
			list = append(list, change(c))
		}
		a.printJSON(map[string]any{"changes": list})
		return nil
	}
	for _, c := range changes {
		a.printChange(c)
	}
	return err
}

func (a *app) printChange(c gitinstall.Change) {
	switch c.Action {
	case gitinstall.Nothing:
		fmt.Fprintln(a.out, "nothing to do: no managed git hook in", plaintext.Path(c.Path))
	default:
		fmt.Fprintf(a.out, "%s %s: %s\n", c.Action, c.Hook, plaintext.Path(c.Path))
	}
	switch {
	case c.Preserved == "":
	case c.Action == gitinstall.Restored || c.Action == gitinstall.Removed:
		fmt.Fprintln(a.out, "  another hook is still kept aside, and does not run:", plaintext.Path(c.Preserved))
	default:
		fmt.Fprintln(a.out, "  your own hook is kept, and runs first:", plaintext.Path(c.Preserved))
	}
}
