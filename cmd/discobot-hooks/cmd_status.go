package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"discobot-hooks/internal/approval"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/workspace"
	"discobot-hooks/status"
	"discobot-hooks/turn"
)

const statusLong = `Show how the session's hooks ended last, which are pending, where their output
is, who is waited for, and whether another manager has displaced the git hook. The
workspace's other sessions, those of coding agents, follow in a line each.`

const statusExample = `  discobot-hooks status`

func (a *app) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show the hooks' last results and what is pending",
		Long: statusLong, Example: statusExample, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ws, err := a.workspace()
			if err != nil {
				return err
			}
			file, err := a.store(ws).Read()
			if err != nil {
				return err
			}
			displaced := a.displaced(cmd.Context(), ws)
			asked, err := approval.Pending(approvalsOf(ws), time.Now())
			if err != nil {
				return fmt.Errorf("read pending approvals: %w", err)
			}
			fired, err := agentSessions(ws)
			if err != nil {
				return err
			}
			if a.flags.json {
				return a.printStatusJSON(ws, file, asked, displaced, fired)
			}
			a.printStatus(ws, file, len(fired) > 0)
			a.printAgentSessions(fired)
			for _, q := range asked {
				fmt.Fprintf(a.out, "waiting for an answer: %s, of session %s, until %s\n", plaintext.Line(q.Hook), plaintext.Line(q.Session), q.Deadline.UTC().Format(time.RFC3339))
			}
			for _, c := range displaced {
				fmt.Fprintln(a.out, c.line())
			}
			return nil
		},
	}
}

// displaced are the git hooks that were installed and that git does not run.
// Where git has no answer there is nothing to say: doctor tells why.
func (a *app) displaced(ctx context.Context, ws workspace.Workspace) []check {
	checks := []check{}
	state, err := a.installer(ws.Dir).Check(ctx)
	if err != nil {
		return checks
	}
	for _, d := range state.Displaced {
		checks = append(checks, displacedCheck("git hook", d))
	}
	return checks
}

// maxSessionsShown is how many of the other sessions have a line; the newest.
const maxSessionsShown = 5

// agentSessions are the last evaluations of this workspace's other sessions that a
// coding agent asked for: each of its sessions has a state of its own.
func agentSessions(ws workspace.Workspace) ([]turn.Fired, error) {
	fired, err := turn.LastFired(ws.StateRoot, ws.Dir)
	fired = slices.DeleteFunc(fired, func(f turn.Fired) bool { return f.Agent == "" || f.Session == ws.Session })
	return fired[:min(len(fired), maxSessionsShown)], err
}

func (a *app) printAgentSessions(fired []turn.Fired) {
	for _, f := range fired {
		fmt.Fprintf(a.out, "%s, session %s, at %s: %s (status --session %s tells more)\n", plaintext.Line(f.Agent),
			plaintext.Line(f.Session), f.At.UTC().Format(time.RFC3339), plaintext.Line(f.Result), plaintext.Line(f.Session))
	}
}

// printStatusJSON prints status.json as it is, whose it is, which approvals are
// pending, and what has displaced the git hook.
func (a *app) printStatusJSON(ws workspace.Workspace, file *status.File, asked []approval.Question, displaced []check,
	fired []turn.Fired) error {
	content, err := json.Marshal(file)
	if err != nil {
		return fmt.Errorf("show status: %w", err)
	}
	document := map[string]any{}
	if err := json.Unmarshal(content, &document); err != nil {
		return fmt.Errorf("show status: %w", err)
	}
	document["approvals"], document["displaced"] = append([]approval.Question{}, asked...), displaced
	document["agent_sessions"] = append([]turn.Fired{}, fired...)
	document["workspace"], document["session"], document["state_dir"] = ws.Dir, ws.Session, ws.State
	a.printJSON(document)
	return nil
}

// printStatus shows the session. One in which nothing has happened yet says so in one
// line where agents' sessions follow: those are what people look for.
func (a *app) printStatus(ws workspace.Workspace, file *status.File, others bool) {
	fmt.Fprintf(a.out, "session %s of %s\n", ws.Session, plaintext.Path(ws.Dir))
	if len(file.Hooks) == 0 {
		fmt.Fprintln(a.out, "no hook has run yet")
		if others && len(file.PendingHooks) == 0 {
			return
		}
	}
	for _, id := range slices.Sorted(maps.Keys(file.Hooks)) {
		r := file.Hooks[id]
		fmt.Fprintf(a.out, "%s (%s): %s\n  output: %s\n", plaintext.Line(id), plaintext.Line(r.Type),
			plaintext.Line(r.String()), plaintext.Path(ws.Tilde(r.OutputPath)))
	}
	pending := "none"
	if len(file.PendingHooks) > 0 {
		pending = plaintext.Line(strings.Join(file.PendingHooks, ", "))
	}
	fmt.Fprintf(a.out, "pending: %s\n", pending)
}
