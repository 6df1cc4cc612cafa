// Package flow has what runs on Temporal: the workflow of one child pipeline,
// [Run], and its one activity, [Engine.Run]. The workflow is there to outlive
// workers; the activity does the work.
//
// It does not promise that a child is run once: one whose worker was lost is
// run from the start by the next. It does promise that its result is one
// attempt's alone.
package flow

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"discobot-hooks/examples/engines/temporal/internal/child"
)

// The names under which a worker registers the two. Workflows that are under
// way know them, so they never change.
const (
	WorkflowName = "discobot-child"
	ActivityName = "discobot-engine"
)

// ChildFailed is the type of the error that a workflow ends with when its
// child did. Its detail is the [child.Ending].
const ChildFailed = "ChildFailed"

// invalid is the type of the error about a child that no worker can run.
const invalid = "InvalidChild"

// attempts bounds how often a child is started over, so that one which takes
// its workers down with it does not do so for a day.
const attempts = 20

// Run is the workflow: it has the child's engine run, anew whenever a worker is
// lost, and fails when the engine did. It ends only after the engine, also when
// it is cancelled.
func Run(ctx workflow.Context, c child.Child) (child.Ending, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		ScheduleToCloseTimeout: c.Timeout,
		HeartbeatTimeout:       c.Heartbeat,
		WaitForCancellation:    true,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second,
			MaximumInterval: 10 * time.Second,
			MaximumAttempts: attempts,
		},
	})
	var ending child.Ending
	if err := workflow.ExecuteActivity(ctx, ActivityName, c).Get(ctx, &ending); err != nil {
		return child.Ending{}, err
	}
	if failure := ending.Failure(); failure != "" {
		return child.Ending{}, temporal.NewNonRetryableApplicationError(failure, ChildFailed, nil, ending)
	}
	return ending, nil
}
