package main

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"discobot-hooks/event"
)

// handOverLimit bounds how long the other process has to take over. It takes
// milliseconds; a machine that swaps takes longer.
const handOverLimit = 10 * time.Second

// detach hands an action to a process of its own, which outlives us, and waits
// until that has begun to record it.
func (a *app) detach(ctx context.Context, d event.Detached) (log string, err error) {
	var spec bytes.Buffer
	if err := gob.NewEncoder(&spec).Encode(d); err != nil { // unlike JSON it keeps paths that are not UTF-8
		return "", err
	}
	ours, theirs, err := pipes()
	if err != nil {
		return "", err
	}
	defer ours.close()
	cmd := a.background(detachedName)
	cmd.Stdin, cmd.Stdout = theirs.in, theirs.out
	err = cmd.Start()
	theirs.close()
	if err != nil {
		return "", err
	}
	answered, err := handOver(ctx, ours, spec.Bytes())
	if err != nil {
		_ = cmd.Process.Kill() // it is none of ours if we cannot say what it does
		_ = cmd.Wait()         // how it ended says nothing
		return "", fmt.Errorf("hand over the action: %w", err)
	}
	_ = cmd.Process.Release() // it is not for us to wait for
	return answered.Log, nil
}

// background is this program once more, with nothing of our terminal, our
// streams or our process group.
func (a *app) background(args ...string) *exec.Cmd {
	cmd := exec.Command(selfPath(), args...)
	cmd.Args[0], cmd.Env = "discobot-hooks", a.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

func handOver(ctx context.Context, to ends, spec []byte) (begun, error) {
	stop := context.AfterFunc(ctx, func() { to.setDeadline(time.Now()) })
	defer stop()
	to.setDeadline(time.Now().Add(handOverLimit))
	var answer begun
	_, err := to.out.Write(spec)
	if err = errors.Join(err, to.out.Close()); err == nil {
		err = json.NewDecoder(to.in).Decode(&answer)
	}
	if ctx.Err() != nil {
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
