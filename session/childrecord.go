package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"discobot-hooks/hook"
	"discobot-hooks/internal/handover"
	"discobot-hooks/run"
)

// A message of the record protocol, which flows one way on the child's stdin:
// one with Hook, any number with Output, one with Result. The child answers
// with one reply.
type message struct {
	Hook   *hook.Hook
	Output []byte
	Result *hook.Result
}

type reply struct {
	Result   hook.Result
	Error    string
	Warnings []string
}

var errNoRecord = errors.New("the process that keeps the record ended early")

func (c childSide) Begin(h hook.Hook) (hook.Recording, error) {
	r := &childRecording{side: c, hook: h}
	if err := r.start(); err != nil {
		return run.Unrecorded(h, err), nil
	}
	return r, nil
}

type childRecording struct {
	side   childSide
	hook   hook.Hook
	cmd    *exec.Cmd
	stdin  *os.File
	stdout limited
	stderr limited
	out    *handover.Encoder
	lost   bool // the child is gone, or does not listen
}

func (r *childRecording) start() error {
	r.cmd = r.side.serve(context.Background(), askRecord) // outlives ctx: a hook that is stopped has a record, too
	r.stdout, r.stderr, r.lost = limited{max: maxAnswer}, limited{max: maxSaid}, false
	r.cmd.Stdout, r.cmd.Stderr = &r.stdout, &r.stderr
	theirs, ours, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start recorder: %w", err)
	}
	r.cmd.Stdin = theirs
	err = r.cmd.Start()
	_ = theirs.Close() // the child has its own
	if err != nil {
		_ = ours.Close() // nothing was written
		return fmt.Errorf("start recorder as user %s: %w", r.side.stage.User.Name, err)
	}
	r.stdin, r.out = ours, handover.NewEncoder(ours)
	r.send(message{Hook: &r.hook})
	return nil
}

// send tells the child something, if it listens.
func (r *childRecording) send(m message) {
	if r.lost {
		return
	}
	_ = r.stdin.SetWriteDeadline(time.Now().Add(childLimit)) // pipes always support it
	r.lost = r.out.Encode(m) != nil
}

// Write hands on what the hook prints. A child that is gone costs the log,
// not the hook.
func (r *childRecording) Write(p []byte) (int, error) {
	r.send(message{Output: p})
	return len(p), nil
}

// End has the result recorded. Where the child was killed, as by a hook that
// ends all processes of its user, a second one records what is known.
func (r *childRecording) End(_ context.Context, result hook.Result) (hook.Result, error) {
	recorded, err := r.finish(result)
	if !errors.Is(err, errNoRecord) {
		return recorded, err
	}
	if err := r.start(); err != nil {
		return result, err
	}
	r.send(message{Output: []byte("[discobot-hooks: the output is lost: the process that kept it was killed]\n")})
	return r.finish(result)
}

func (r *childRecording) finish(result hook.Result) (hook.Result, error) {
	result.HookID = r.hook.ID
	kill := time.AfterFunc(childLimit, func() { _ = r.cmd.Process.Kill() })
	defer kill.Stop()
	if r.lost {
		_ = r.cmd.Process.Kill() // it may only be stopped
	}
	r.send(message{Result: &result})
	_ = r.stdin.Close() // an error shows in what the child answers
	waitErr := r.cmd.Wait()
	var answer reply
	if err := handover.Unmarshal(r.stdout.kept.Bytes(), &answer); err != nil {
		return result, fmt.Errorf("%w: %v: %s", errNoRecord, waitErr, r.stderr.line())
	}
	r.side.pass(answer.Warnings)
	result.Output = answer.Result.Output
	if answer.Error != "" {
		return result, errors.New(answer.Error)
	}
	return result, nil
}
