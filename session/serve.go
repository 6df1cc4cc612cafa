package session

import (
	"context"
	"errors"
	"fmt"
	"io"

	"discobot-hooks/hook"
	"discobot-hooks/internal/handover"
	"discobot-hooks/internal/workspace"
	"discobot-hooks/status"
)

// Serve is the child: it answers one question with the identity that it has.
func Serve(ctx context.Context, ask string, ws workspace.Workspace, env []string, stdin io.Reader, stdout io.Writer) error {
	switch ask {
	case askLoad:
		found, err := load(ctx, ws, env)
		if err != nil {
			return err
		}
		return handover.NewEncoder(stdout).Encode(found)
	case askRecord:
		var answer reply
		store := status.NewStore(ws.State, func(text string) { answer.Warnings = append(answer.Warnings, text) })
		result, err := serveRecord(ctx, store, handover.NewDecoder(stdin))
		answer.Result = result
		if err != nil {
			answer.Error = err.Error()
		}
		return handover.NewEncoder(stdout).Encode(answer)
	}
	return fmt.Errorf("serve session: unknown question %q", ask)
}

func serveRecord(ctx context.Context, store *status.Store, in *handover.Decoder) (hook.Result, error) {
	var m message
	if err := in.Decode(&m); err != nil || m.Hook == nil {
		return hook.Result{}, fmt.Errorf("record hook: %w", errors.Join(err, errNoRecord))
	}
	recording := beginOrGoOn(store, *m.Hook)
	for {
		m = message{}
		if err := in.Decode(&m); err != nil {
			// Our parent died with the hook under way: the log says so, the
			// hook's result nobody knows.
			_, _ = recording.Write([]byte("\n[discobot-hooks: stopped before the hook ended]\n"))
			return recording.End(ctx, hook.Result{Aborted: true})
		}
		if m.Result != nil {
			return recording.End(ctx, *m.Result)
		}
		_, _ = recording.Write(m.Output) // End reports what goes wrong
	}
}
