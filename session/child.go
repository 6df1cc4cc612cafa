package session

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"discobot-hooks/hook"
	"discobot-hooks/internal/workspace"
	"discobot-hooks/run"
	"discobot-hooks/status"
)

// childLimit bounds one answer of a child. The user's file system is the
// user's: a pipe or a lock there can hang the child, and must not hang the
// start of the agent.
const childLimit = 15 * time.Second

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
	cmd.Env = run.SessionEnv(s.Env, s.User, s.Workspace.Home, nil)
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
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return loaded{}, fmt.Errorf("read hooks as user %s: %w: %s", c.stage.User.Name, err, strings.TrimSpace(stderr.String()))
	}
	var found loaded
	if err := gob.NewDecoder(bytes.NewReader(out)).Decode(&found); err != nil {
		return loaded{}, fmt.Errorf("read hooks as user %s: %w", c.stage.User.Name, err)
	}
	return found, nil
}

func (c childSide) install(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, childLimit)
	defer cancel()
	cmd := c.command(ctx, installArgs(c.stage)...)
	return install(cmd, cmd.Env)
}

// A message of the record protocol, which flows one way on the child's stdin:
// one with Hook, any number with Output, one with Result. The child answers
// with one reply.
type message struct {
	Hook   *hook.Hook
	Output []byte
	Result *hook.Result
}

type reply struct {
	Result hook.Result
	Error  string
}

func (c childSide) Begin(h hook.Hook) (hook.Recording, error) {
	r := &childRecording{side: c, hook: h}
	return r, r.start()
}

type childRecording struct {
	side   childSide
	hook   hook.Hook
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout bytes.Buffer
	stderr bytes.Buffer
	out    *gob.Encoder
	lost   bool // the child is gone
}

func (r *childRecording) start() error {
	r.cmd = r.side.serve(context.Background(), askRecord) // outlives ctx: an aborted run has a log, too
	r.stdout.Reset()
	r.stderr.Reset()
	r.cmd.Stdout, r.cmd.Stderr = &r.stdout, &r.stderr
	var err error
	if r.stdin, err = r.cmd.StdinPipe(); err != nil {
		return err
	}
	if err := r.cmd.Start(); err != nil {
		return fmt.Errorf("start recorder as user %s: %w", r.side.stage.User.Name, err)
	}
	r.out = gob.NewEncoder(r.stdin)
	r.lost = r.out.Encode(message{Hook: &r.hook}) != nil
	return nil
}

// Write hands on what the hook prints. A child that is gone costs the log,
// not the hook.
func (r *childRecording) Write(p []byte) (int, error) {
	if !r.lost {
		r.lost = r.out.Encode(message{Output: p}) != nil
	}
	return len(p), nil
}

// End has the result recorded. Where the child was killed, as by a hook that
// ends all processes of its user, a second one records what is known.
func (r *childRecording) End(ctx context.Context, result hook.Result) (hook.Result, error) {
	recorded, err := r.finish(result)
	if !errors.Is(err, errNoRecord) {
		return recorded, err
	}
	if err := r.start(); err != nil {
		return result, err
	}
	_, _ = r.Write([]byte("[discobot-hooks: the output is lost: the process that kept it was killed]\n")) // never fails
	return r.finish(result)
}

func (r *childRecording) finish(result hook.Result) (hook.Result, error) {
	result.HookID = r.hook.ID
	if !r.lost {
		r.lost = r.out.Encode(message{Result: &result}) != nil
	}
	_ = r.stdin.Close() // an error shows in what the child answers
	kill := time.AfterFunc(childLimit, func() { _ = r.cmd.Process.Kill() })
	waitErr := r.cmd.Wait()
	kill.Stop()
	var answer reply
	if err := gob.NewDecoder(&r.stdout).Decode(&answer); err != nil {
		return result, fmt.Errorf("%w: %v: %s", errNoRecord, waitErr, strings.TrimSpace(r.stderr.String()))
	}
	if answer.Error != "" {
		return answer.Result, errors.New(answer.Error)
	}
	return answer.Result, nil
}

// Serve is the child: it answers one question with the identity that it has.
func Serve(ctx context.Context, ask string, ws workspace.Workspace, env []string, stdin io.Reader, stdout io.Writer, warn func(string)) error {
	switch ask {
	case askLoad:
		found, err := load(ctx, ws, env)
		if err != nil {
			return err
		}
		return gob.NewEncoder(stdout).Encode(found)
	case askRecord:
		result, err := serveRecord(ctx, status.NewStore(ws.State, warn), gob.NewDecoder(stdin))
		answer := reply{Result: result}
		if err != nil {
			answer.Error = err.Error()
		}
		return gob.NewEncoder(stdout).Encode(answer)
	}
	return fmt.Errorf("serve session: unknown question %q", ask)
}

func serveRecord(ctx context.Context, store *status.Store, in *gob.Decoder) (hook.Result, error) {
	var m message
	if err := in.Decode(&m); err != nil || m.Hook == nil {
		return hook.Result{}, fmt.Errorf("record hook: %w", errors.Join(err, errNoRecord))
	}
	recording, err := store.Begin(*m.Hook)
	if err != nil {
		return hook.Result{}, err
	}
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
