package session

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"

	"discobot-hooks/hook"
	"discobot-hooks/status"
)

// ownSide does the user's part in this process: we are the user.
type ownSide struct{ stage Stage }

func (o ownSide) load(ctx context.Context) (loaded, error) {
	return load(ctx, o.stage.Workspace, o.stage.Env)
}

func (o ownSide) Begin(h hook.Hook) (hook.Recording, error) {
	return status.NewStore(o.stage.Workspace.State, o.stage.warn).Begin(h)
}

func (o ownSide) install(ctx context.Context) error {
	return install(exec.CommandContext(ctx, o.stage.Self, installArgs(o.stage)...), o.stage.Env)
}

func (s Stage) warn(text string) { s.Log.Warn().Msg(text) }

func installArgs(s Stage) []string {
	return []string{"install", "--dir", s.Workspace.Dir, "--session", s.Workspace.Session}
}

// install runs our own install command, whose words become the error's.
func install(cmd *exec.Cmd, env []string) error {
	cmd.Env = env
	cmd.WaitDelay = childLimit
	out, err := cmd.CombinedOutput()
	if err != nil {
		said := strings.ReplaceAll(string(bytes.TrimSpace(out)), "\n", "; ")
		return fmt.Errorf("install git hook: %w: %s", err, said)
	}
	return nil
}
