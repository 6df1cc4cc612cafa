package main

import (
	"fmt"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"discobot-hooks/internal/account"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/sessionfile"
)

const sessionsLong = `List AutoAgent's sessions, the newest first: the files in ~/.autoagent/sessions
that emit keeps as issues are executed.`

const sessionsExample = `  discobot-hooks sessions --limit 3`

func (a *app) sessionsCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "sessions [flags]", Short: "List AutoAgent's sessions",
		Long: sessionsLong, Example: sessionsExample, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if limit < 0 {
				return usageError{fmt.Errorf("read --limit: %d is less than 0", limit)}
			}
			store := sessionfile.Store{Dir: filepath.Join(account.OwnHome(a.getenv), ".autoagent", "sessions")}
			sessions, problems, err := store.List(limit)
			for _, problem := range problems {
				a.warn(problem.String())
			}
			if err != nil {
				return err
			}
			if a.flags.json {
				a.printJSON(map[string]any{"sessions": append([]sessionfile.Session{}, sessions...)})
				return nil
			}
			return a.printSessions(store.Dir, sessions)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 10, "show `N` at most; 0 is all")
	return cmd
}

func (a *app) printSessions(dir string, sessions []sessionfile.Session) error {
	if len(sessions) == 0 {
		fmt.Fprintf(a.err, "discobot-hooks: sessions: none in %s\n", plaintext.Path(dir))
		return nil
	}
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tSTATUS\tSTARTED\tISSUES\tWORKSPACE")
	for _, s := range sessions {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", plaintext.Line(s.ID), plaintext.Line(string(s.Status)),
			plaintext.Line(s.StartTime), issuesOf(s), plaintext.Path(s.Workspace))
	}
	return table.Flush()
}

func issuesOf(s sessionfile.Session) string {
	text := fmt.Sprintf("%d of %d done", len(s.IssuesCompleted), len(s.IssuesPlanned))
	if failed := len(s.IssuesFailed); failed > 0 {
		text += fmt.Sprintf(", %d failed", failed)
	}
	return text
}
