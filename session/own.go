package session

import (
	"context"
	"fmt"
	"io"
	"os/exec"

	"discobot-hooks/hook"
	"discobot-hooks/run"
	"discobot-hooks/status"
)

// ownSide does the user's part in this process: we are the user.
type ownSide struct{ stage Stage }

func (o ownSide) load(ctx context.Context) (loaded, error) {
	return load(ctx, o.stage.Workspace, o.stage.Env)
}

func (o ownSide) Begin(h hook.Hook) (hook.Recording, error) {
	store := status.NewStore(o.stage.Workspace.State, o.stage.warn)
	return beginOrGoOn(store, h), nil
}

func (o ownSide) install(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, childLimit)
	defer cancel()
	return install(exec.CommandContext(ctx, o.stage.Self, installArgs(o.stage)...), o.stage.Env)
}

func (s Stage) warn(text string) { s.Log.Warn().Msg(text) }

func installArgs(s Stage) []string {
	// Broken hooks are named already: only what goes wrong here is wanted.
	return []string{"install", "--dir", s.Workspace.Dir, "--session", s.Workspace.Session, "--log-level", "error"}
}

// install runs our own install command, whose words become the error's.
func install(cmd *exec.Cmd, env []string) error {
	cmd.Env = env
	cmd.WaitDelay = childLimit
	said := &limited{max: maxSaid}
	cmd.Stdout, cmd.Stderr = io.Discard, said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("install git hook: %w: %s", err, said.line())
	}
	return nil
}

// beginOrGoOn begins a record or, where the state cannot be written, one that
// keeps nothing: whoever makes a disk full or a directory unwritable must not
// keep the set-up hooks from running. End then says why.
func beginOrGoOn(store *status.Store, h hook.Hook) hook.Recording {
	recording, err := store.Begin(h)
	if err != nil {
		return run.Unrecorded(h, err)
	}
	return recording
}
