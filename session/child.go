package session

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"discobot-hooks/internal/handover"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/run"
)

const (
	// childLimit bounds one answer of a child, and one step of its taking
	// what we say. The user's file system is the user's, and so is the child:
	// a pipe, a lock or a SIGSTOP can hang it, and must not hang the start of
	// the agent.
	childLimit = 8 * time.Second

	// maxAnswer bounds what a child can make us keep in memory.
	maxAnswer = 64 << 20
	maxSaid   = 2 << 10 // of what it says on stderr: one line of the log
)

// ServeCommand is the hidden command that a stage starts as the user.
const ServeCommand = "session-user"

// What a child is asked to do, as the argument of ServeCommand.
const (
	askLoad   = "load"
	askRecord = "record"
)

// childSide does the user's part in children with the user's identity. One
// child does one thing and ends: user hooks can kill it, and then the next
// one is not concerned.
type childSide struct{ stage Stage }

func (c childSide) command(ctx context.Context, args ...string) *exec.Cmd {
	s := c.stage
	cmd := exec.CommandContext(ctx, s.Self, args...)
	cmd.Dir = "/"
	cmd.Env = run.SessionEnv(s.Env, s.User, s.Workspace.Home, false, nil)
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setsid:     true, // a signal to our group is for us to act on
		Credential: &syscall.Credential{Uid: s.User.UID, Gid: s.User.GID, Groups: s.User.Groups},
	}
	return cmd
}

func (c childSide) serve(ctx context.Context, ask string) *exec.Cmd {
	ws := c.stage.Workspace
	return c.command(ctx, ServeCommand, ask, "--dir", ws.Dir, "--session", ws.Session)
}

func (c childSide) load(ctx context.Context) (loaded, error) {
	ctx, cancel := context.WithTimeout(ctx, childLimit)
	defer cancel()
	cmd := c.serve(ctx, askLoad)
	out, stderr := &limited{max: maxAnswer}, &limited{max: maxSaid}
	cmd.Stdout, cmd.Stderr = out, stderr
	if err := cmd.Run(); err != nil {
		return loaded{}, fmt.Errorf("read hooks as user %s: %w: %s", c.stage.User.Name, err, stderr.line())
	}
	var found loaded
	if err := handover.Unmarshal(out.kept.Bytes(), &found); err != nil {
		return loaded{}, fmt.Errorf("read hooks as user %s: %w", c.stage.User.Name, err)
	}
	c.pass(found.Warnings)
	return found, nil
}

func (c childSide) install(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, childLimit)
	defer cancel()
	cmd := c.command(ctx, installArgs(c.stage)...)
	return install(cmd, cmd.Env)
}

// pass says what a child wants people to know.
func (c childSide) pass(warnings []string) {
	for _, warning := range warnings {
		c.stage.warn(plaintext.Line(warning))
	}
}

// limited keeps so many bytes and drops the rest. The buffer is not embedded:
// io.Copy would find its ReadFrom, which knows no limit.
type limited struct {
	kept bytes.Buffer
	max  int
}

func (l *limited) Write(p []byte) (int, error) {
	_, _ = l.kept.Write(p[:max(0, min(len(p), l.max-l.kept.Len()))]) // never fails
	return len(p), nil
}

func (l *limited) line() string { return plaintext.Line(strings.TrimSpace(l.kept.String())) }
