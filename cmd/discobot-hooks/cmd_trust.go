package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/trust"
	"discobot-hooks/internal/workspace"
	"discobot-hooks/session"
)

const trustLong = `Trust the session hooks of this workspace as they are now, so that a coding agent
which connect has registered may run them when it begins a session. Look at what
they do first: they run as you, with your files and your network.

What counts is each file's name and content, and where the workspace is. A hook
that is new or has changed does not run until it is trusted again. What a hook
itself reads or runs from the workspace is not looked at. Hooks with "run_as:
root" never run this way. In a container that init starts, no trust is needed.`

const trustExample = `  discobot-hooks trust --list
  discobot-hooks trust`

func (a *app) trustCommand() *cobra.Command {
	var revoke, list bool
	cmd := &cobra.Command{
		Use: "trust [flags]", Short: "Let coding agents run this workspace's session hooks",
		Long: trustLong, Example: trustExample, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if os.Geteuid() == 0 {
				return trustAsRootError{}
			}
			ws, err := a.workspace()
			if err != nil {
				return err
			}
			switch {
			case revoke && list:
				return usageError{errors.New("read --list: it goes without --revoke")}
			case revoke:
				return a.revokeTrust(cmd.Context(), ws)
			}
			return a.trust(cmd.Context(), ws, list)
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "only show what is trusted, and what is new or has changed")
	cmd.Flags().BoolVar(&revoke, "revoke", false, "trust none of this workspace's session hooks any more")
	return cmd
}

// trustJSON is one session hook and what became of it.
type trustJSON struct {
	File    string     `json:"file"` // relative to the workspace
	SHA256  string     `json:"sha256"`
	RunAs   hook.RunAs `json:"run_as"`
	Trusted bool       `json:"trusted"`
	Change  string     `json:"change"`           // new, changed or same
	Reason  string     `json:"reason,omitempty"` // why it is not trusted
}

// trust trusts the hooks as they are now, or with list only shows them.
func (a *app) trust(ctx context.Context, ws workspace.Workspace, list bool) error {
	seen, problems, err := session.Look(ws)
	if err != nil {
		return err
	}
	a.warnErrors(problems)
	hooks := make(trust.Hooks)
	for _, one := range seen {
		if whyNot(one) == "" {
			hooks.Add(filepath.Base(one.Hook.File), one.Sum)
		}
	}
	store, before := trust.Store{Root: ws.StateRoot}, trust.Hooks(nil)
	if list {
		before, err = store.Of(ws.Dir)
	} else {
		before, err = store.Set(ctx, ws.Dir, hooks)
	}
	if err != nil {
		return err
	}
	rows := make([]trustJSON, 0, len(seen))
	for _, one := range seen {
		change, reason := changeOf(one, before), whyNot(one)
		if list && reason == "" && change != "same" {
			reason = change
		}
		rows = append(rows, trustJSON{
			File: plaintext.Path(one.Hook.File), SHA256: one.Sum, RunAs: one.Hook.Action.RunAs,
			Trusted: reason == "", Change: change, Reason: reason,
		})
	}
	return a.printTrust(ws, rows)
}

// whyNot is why a hook cannot be trusted, or nothing.
func whyNot(one *session.Seen) string {
	switch {
	case one.Hook.Action.RunAs == hook.AsRoot:
		return "run_as: root: never runs at an agent's start"
	case one.Unread != "":
		return one.Unread
	}
	return ""
}

func changeOf(one *session.Seen, before trust.Hooks) string {
	same, known := before.Has(filepath.Base(one.Hook.File), one.Sum)
	switch {
	case same:
		return "same"
	case known:
		return "changed"
	}
	return "new"
}

func (a *app) printTrust(ws workspace.Workspace, rows []trustJSON) error {
	if a.flags.json {
		a.printJSON(map[string]any{"workspace": plaintext.Path(ws.Dir), "hooks": rows})
		return nil
	}
	if len(rows) == 0 {
		fmt.Fprintf(a.err, "discobot-hooks: trust: no session hooks in %s\n", plaintext.Path(ws.Dir))
		return nil
	}
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "FILE\tRUN_AS\tSHA256\tSTATE")
	for _, row := range rows {
		state := "trusted, " + row.Change
		if !row.Trusted {
			state = "not trusted: " + plaintext.Line(row.Reason)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", row.File, row.RunAs, row.SHA256, state)
	}
	return table.Flush()
}

func (a *app) revokeTrust(ctx context.Context, ws workspace.Workspace) error {
	before, err := trust.Store{Root: ws.StateRoot}.Set(ctx, ws.Dir, nil)
	if err != nil {
		return err
	}
	if a.flags.json {
		a.printJSON(map[string]any{"workspace": plaintext.Path(ws.Dir), "hooks": []trustJSON{}})
		return nil
	}
	fmt.Fprintf(a.err, "discobot-hooks: trust: %s in %s\n", countRevoked(len(before)), plaintext.Path(ws.Dir))
	return nil
}

func countRevoked(n int) string {
	switch n {
	case 0:
		return "no session hook was trusted"
	case 1:
		return "1 session hook is trusted no more"
	}
	return strconv.Itoa(n) + " session hooks are trusted no more"
}

// trustAsRootError says that there is nothing to trust for root.
type trustAsRootError struct{}

func (trustAsRootError) Error() string {
	return "keep trust: an agent's start runs session hooks as the user, never as root"
}

// Hint says who can.
func (trustAsRootError) Hint() string { return "run it as the user whose agents start here" }
