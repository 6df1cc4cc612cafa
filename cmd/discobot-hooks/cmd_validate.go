package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"discobot-hooks/frontmatter"
	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
)

const validateLong = `Say what is wrong with the workspace's hooks, with file and line and what to
write instead. The exit code is 1 where a hook cannot run; warnings alone are 0.`

const validateExample = `  discobot-hooks validate`

func (a *app) validateCommand() *cobra.Command {
	return &cobra.Command{
		Use: "validate", Short: "Say what is wrong with the workspace's hooks",
		Long: validateLong, Example: validateExample, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			ws, err := a.workspace()
			if err != nil {
				return err
			}
			set, err := frontmatter.Load(ws.Dir)
			if err != nil {
				return err
			}
			if a.flags.json {
				a.printJSON(map[string]any{"problems": append([]hook.Problem{}, set.Problems...)})
			}
			for _, problem := range set.Problems {
				if !a.flags.json {
					fmt.Fprintf(a.out, "%s: %s\n", problem.Severity, plaintext.Line(problem.String()))
				}
			}
			if slices.ContainsFunc(set.Problems, func(p hook.Problem) bool { return p.Severity == hook.Error }) {
				return exitCode(exitFailed)
			}
			return nil
		},
	}
}
