// Package supervise runs one engine so that it cannot outlive the worker that
// started it, and so that no two work in one session directory at a time.
//
// Between worker and engine stands a process of its own, the supervisor. Its
// standard input is a pipe from the worker: when that ends, because the worker
// closed it or was killed, the supervisor ends the engine's process group. It
// holds a lock in the session directory, which the engine inherits: where even
// the supervisor was killed, the lock stays for as long as the engine lives.
// Start at [Run] for the worker's side and at [Main] for the supervisor's.
//
// It does not promise to end processes that left the engine's group, as hooks
// that the engine starts do: the engine ends those when it is sent SIGTERM.
package supervise

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"discobot-hooks/examples/engines/temporal/internal/child"
)

// Order is what the supervisor is told.
type Order struct {
	SessionDir string   `json:"sessionDir"` // made at need
	Inputs     []byte   `json:"inputs"`     // written to InputsPath(SessionDir)
	Argv       []string `json:"argv"`
	Env        []string `json:"env"`
}

// report is what the supervisor answers.
type report struct {
	Ending  child.Ending `json:"ending"`
	Failure string       `json:"failure,omitempty"` // ours, not the engine's
}

// Run has a supervisor carry out an order and returns when both it and the
// engine are gone. The supervisor is a command that calls [Main]. When ctx
// ends, so does the engine, and Run returns ctx's cause. Any other error means
// that it is not known how the engine ended, or would have: it may be run anew.
func Run(ctx context.Context, supervisor []string, order Order) (child.Ending, error) {
	message, err := json.Marshal(order)
	if err != nil {
		return child.Ending{}, fmt.Errorf("encode order: %w", err)
	}
	var answer bytes.Buffer
	cmd := exec.Command(supervisor[0], supervisor[1:]...)
	cmd.Stdout, cmd.Stderr = &answer, os.Stderr
	// A session of its own: what interrupts the worker from a terminal must not
	// take the supervisor along before it has done its work.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	lifeline, err := cmd.StdinPipe()
	if err != nil {
		return child.Ending{}, fmt.Errorf("start supervisor: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return child.Ending{}, fmt.Errorf("start supervisor: %w", err)
	}
	release := context.AfterFunc(ctx, func() { _ = lifeline.Close() }) // its end is the message
	defer release()
	_, writeErr := lifeline.Write(message)
	waitErr := cmd.Wait()
	if ctx.Err() != nil {
		return child.Ending{}, context.Cause(ctx)
	}
	if err := errors.Join(writeErr, waitErr); err != nil {
		return child.Ending{}, fmt.Errorf("supervisor: %w", err)
	}
	return parse(answer.Bytes())
}

func parse(answer []byte) (child.Ending, error) {
	var said report
	if err := json.Unmarshal(answer, &said); err != nil {
		return child.Ending{}, fmt.Errorf("decode the supervisor's report: %w", err)
	}
	if said.Failure != "" {
		return child.Ending{}, errors.New(said.Failure)
	}
	return said.Ending, nil
}
