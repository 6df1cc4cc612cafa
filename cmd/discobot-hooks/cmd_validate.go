package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"discobot-hooks/dialect"
	"discobot-hooks/frontmatter"
	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/workspace"
)

const validateLong = `Say what is wrong with the workspace's hooks, in whichever format, with file and
line and what to write instead. The exit code is 1 where a hook cannot run;
warnings alone are 0.`

const validateExample = `  discobot-hooks validate`

func (a *app) validateCommand() *cobra.Command {
	var flags dialectFlags
	cmd := &cobra.Command{
		Use: "validate [flags]", Short: "Say what is wrong with the workspace's hooks",
		Long: validateLong, Example: validateExample, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			ws, err := a.workspace()
			if err != nil {
				return err
			}
			problems, err := a.problems(ws, flags)
			if err != nil {
				return err
			}
			return a.reportProblems(problems)
		},
	}
	flags.add(cmd.Flags(), "only `D`: discobot, advice, pipeline, autoagent or registry")
	return cmd
}

// problems are those of the chosen dialects, one after the other.
func (a *app) problems(ws workspace.Workspace, flags dialectFlags) ([]hook.Problem, error) {
	others, ours, err := a.chosen(ws, flags)
	if err != nil {
		return nil, err
	}
	problems := []hook.Problem{}
	if ours {
		set, err := frontmatter.Load(ws.Dir)
		if err != nil {
			return nil, err
		}
		problems = append(problems, set.Problems...)
	}
	for _, d := range others {
		set, err := d.Load()
		var unreadable *dialect.FileError
		switch {
		case errors.As(err, &unreadable):
			problems = append(problems, hook.Problem(*unreadable))
		case err != nil:
			return nil, err
		}
		problems = append(problems, set.Problems...)
	}
	return problems, nil
}

func (a *app) reportProblems(problems []hook.Problem) error {
	if a.flags.json {
		a.printJSON(map[string]any{"problems": problems})
	}
	for _, problem := range problems {
		if !a.flags.json {
			fmt.Fprintf(a.out, "%s: %s\n", problem.Severity, plaintext.Line(problem.String()))
		}
	}
	if slices.ContainsFunc(problems, func(p hook.Problem) bool { return p.Severity == hook.Error }) {
		return exitCode(exitFailed)
	}
	return nil
}
