package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"discobot-hooks/event"
	"discobot-hooks/internal/handover"
)

// handOverLimit bounds how long the other process has to take over. It takes
// milliseconds; a machine that swaps takes longer.
const handOverLimit = 10 * time.Second

// detach hands an action to a process of its own, which outlives us, and waits
// until that has begun to record it, or says that it cannot: unrecorded.
func (a *app) detach(ctx context.Context, d event.Detached) (log string, unrecorded, err error) {
	spec, err := handover.Marshal(d)
	if err != nil {
		return "", nil, err
	}
	ours, theirs, err := pipes()
	if err != nil {
		return "", nil, err
	}
	defer ours.close()
	cmd := a.background(detachedName)
	cmd.Stdin, cmd.Stdout = theirs.in, theirs.out
	err = start(cmd)
	theirs.close()
	if err != nil {
		return "", nil, err
	}
	answer, err := handOver(ctx, ours, spec)
	if err != nil {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it ends what it has begun; before that it just ends
		return "", nil, fmt.Errorf("hand over the action: %w", err)
	}
	if answer.Unrecorded != "" {
		unrecorded = errors.New(answer.Unrecorded)
	}
	return answer.Log, unrecorded, nil
}

// start starts a process that outlives us, unless we live long: then somebody
// has to take its status, or it stays as a zombie (wait(2), NOTES).
func start(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // nobody's: it ends with the process, or with us
	return nil
}

// background is this program once more, with nothing of our terminal, our
// streams or our process group.
func (a *app) background(args ...string) *exec.Cmd {
	cmd := exec.Command(selfPath(), args...)
	cmd.Args[0], cmd.Env = "discobot-hooks", a.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// handOver writes the spec and reads the answer. Once there is one the other
// process is at work, whatever has become of ctx.
func handOver(ctx context.Context, to ends, spec []byte) (begun, error) {
	to.setDeadline(time.Now().Add(handOverLimit))
	stop := context.AfterFunc(ctx, func() { to.setDeadline(time.Now()) })
	defer stop()
	var answer begun
	_, err := to.out.Write(spec)
	if err = errors.Join(err, to.out.Close()); err == nil {
		err = json.NewDecoder(to.in).Decode(&answer)
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return answer, err
}

// ends are those of two pipes that one process has: it reads from in and
// writes to out.
type ends struct{ in, out *os.File }

func pipes() (ours, theirs ends, err error) {
	if theirs.in, ours.out, err = os.Pipe(); err != nil {
		return ours, theirs, err
	}
	if ours.in, theirs.out, err = os.Pipe(); err != nil {
		_ = theirs.in.Close() // nothing is in it
		_ = ours.out.Close()
	}
	return ours, theirs, err
}

func (e ends) close() {
	_ = e.in.Close()  // read only
	_ = e.out.Close() // closed already, or nobody reads any more
}

func (e ends) setDeadline(at time.Time) {
	_ = e.in.SetReadDeadline(at) // pipes always support it
	_ = e.out.SetWriteDeadline(at)
}
