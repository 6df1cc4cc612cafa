package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"discobot-hooks/examples/engines/temporal/internal/child"
	"discobot-hooks/examples/engines/temporal/internal/flow"
)

const (
	// stopWait is for how long a cancelled workflow may take to end before we
	// do. The hook runtime kills us five seconds after its TERM.
	stopWait = 4 * time.Second

	// pause is between two attempts to reach a server that is away.
	pause = time.Second
)

// fingerprintKey is the memo by which a running workflow says what it is about.
const fingerprintKey = "discobot-child"

// workflows starts, awaits and cancels children on Temporal.
type workflows struct {
	client    client.Client
	taskQueue string
}

// run has a child run and returns how it ended; ctx's end cancels it. A child
// that failed is an ending, not an error. Which workflow it is, is noted.
func (w *workflows) run(ctx context.Context, c child.Child, note func(workflow, run string)) (child.Ending, error) {
	ending, err := w.result(ctx, c, note)
	if err != nil && ctx.Err() != nil {
		return child.Ending{}, w.cancel(context.WithoutCancel(ctx), c)
	}
	return ending, err
}

func (w *workflows) result(ctx context.Context, c child.Child, note func(workflow, run string)) (child.Ending, error) {
	started, err := w.start(ctx, c)
	if err != nil {
		return child.Ending{}, err
	}
	if err := w.sameChild(ctx, started, c); err != nil {
		return child.Ending{}, err
	}
	note(started.GetID(), started.GetRunID())
	return await(ctx, started)
}

// start starts the child's workflow, or finds the one that is running. One that
// has ended, however it did, is no reason not to start another: its result was
// for whoever waited then.
func (w *workflows) start(ctx context.Context, c child.Child) (client.WorkflowRun, error) {
	started, err := w.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID:                       c.WorkflowID(w.taskQueue),
		TaskQueue:                w.taskQueue,
		WorkflowExecutionTimeout: c.Timeout,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		Memo: map[string]any{
			fingerprintKey: c.Fingerprint(),
			"pipeline":     c.Pipeline, // for people
			"sessionDir":   c.SessionDir,
		},
	}, flow.WorkflowName, c)
	if err != nil {
		return nil, fmt.Errorf("start workflow: %w", err)
	}
	return started, nil
}

// sameChild makes sure that the workflow that was found does what we would.
func (w *workflows) sameChild(ctx context.Context, found client.WorkflowRun, c child.Child) error {
	described, err := w.client.DescribeWorkflowExecution(ctx, found.GetID(), found.GetRunID())
	if err != nil {
		return fmt.Errorf("describe workflow: %w", err)
	}
	var fingerprint string
	memo := described.GetWorkflowExecutionInfo().GetMemo().GetFields()[fingerprintKey]
	if err := converter.GetDefaultDataConverter().FromPayload(memo, &fingerprint); err != nil {
		return fmt.Errorf("decode memo of workflow: %w", err)
	}
	if fingerprint != c.Fingerprint() {
		return fmt.Errorf("session directory is in use by another child, workflow %s", found.GetID())
	}
	return nil
}

// await returns how the child ended, however often the server is away
// meanwhile.
func await(ctx context.Context, started client.WorkflowRun) (child.Ending, error) {
	for {
		var ending child.Ending
		err := started.Get(ctx, &ending)
		if err == nil || !away(err) {
			return endingOf(ending, err)
		}
		select {
		case <-ctx.Done():
			return child.Ending{}, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// away tells of an error that says nothing about the workflow.
func away(err error) bool {
	return errors.As(err, new(*serviceerror.Unavailable)) ||
		errors.As(err, new(*serviceerror.DeadlineExceeded)) ||
		errors.As(err, new(*serviceerror.ResourceExhausted))
}

// endingOf tells a child that failed from a workflow that did.
func endingOf(ending child.Ending, err error) (child.Ending, error) {
	var failed *temporal.ApplicationError
	if errors.As(err, &failed) && failed.Type() == flow.ChildFailed {
		err = failed.Details(&ending)
	}
	if errors.As(err, new(*temporal.TimeoutError)) {
		return child.Ending{}, fmt.Errorf("no result: %w", err)
	}
	return ending, err
}

// cancel cancels the child's workflow and waits a little for it to end. It
// always returns an error, since there is no result. Another child that is at
// work in the same directory is left alone.
func (w *workflows) cancel(ctx context.Context, c child.Child) error {
	ctx, release := context.WithTimeout(ctx, stopWait)
	defer release()
	running := w.client.GetWorkflow(ctx, c.WorkflowID(w.taskQueue), "")
	err := w.sameChild(ctx, running, c)
	if errors.As(err, new(*serviceerror.NotFound)) {
		return errors.New("interrupted before it began")
	}
	if err == nil {
		err = w.client.CancelWorkflow(ctx, running.GetID(), "")
	}
	if err != nil {
		return fmt.Errorf("interrupted, and not cancelled: %w", err)
	}
	_ = running.Get(ctx, nil) // an error, whatever happens
	if ctx.Err() != nil {
		return errors.New("interrupted: cancelled, but its worker has not ended it yet")
	}
	return errors.New("interrupted: cancelled")
}
