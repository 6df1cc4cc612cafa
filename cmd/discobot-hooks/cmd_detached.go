package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"discobot-hooks/dialect/pipeline"
	"discobot-hooks/event"
	"discobot-hooks/internal/handover"
)

const detachedName = "detached"

const detachedLong = `Run one action that emit has handed over on stdin, for as long as it takes, and
record it. Not for people.`

func (a *app) detachedCommand() *cobra.Command {
	return &cobra.Command{
		Use: detachedName, Hidden: true, Long: detachedLong, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.detached(cmd) },
	}
}

// detached is the other side of [app.detach].
func (a *app) detached(cmd *cobra.Command) error {
	var d event.Detached
	if err := handover.NewDecoder(a.in).Decode(&d); err != nil {
		return fmt.Errorf("read action: %w", err)
	}
	action, err := pipeline.Decode(d.Action)
	if err != nil {
		return err
	}
	a.flags.dir, a.flags.session = d.Workspace, d.Session
	ws, err := a.workspace()
	if err != nil {
		return err
	}
	return a.engine(ws, nil).RunDetached(cmd.Context(), d, action, func(log string, unrecorded error) {
		answer := begun{Log: log}
		if unrecorded != nil {
			answer.Unrecorded = unrecorded.Error()
		}
		a.printJSON(answer)
		_ = a.in.Close()      // all of it was read
		_ = os.Stdout.Close() // emit waits for nothing more, and must not wait for us
	})
}

// begun is what a detached action's process answers once it needs nobody any
// more.
type begun struct {
	Log        string `json:"log"`
	Unrecorded string `json:"unrecorded"` // why there is no record; empty: there is one
}
