package temporal_test

import (
	enums "go.temporal.io/api/enums/v1"

	"discobot-hooks/examples/engines/temporal/internal/child"
)

// status is what Temporal says of a child's workflow.
func (s *stage) status(dir string) enums.WorkflowExecutionStatus {
	s.Helper()
	id := child.Child{SessionDir: dir}.WorkflowID(s.queue)
	described, err := server.GetDefaultClient().DescribeWorkflowExecution(s.Context(), id, "")
	if err != nil {
		s.Fatal(err)
	}
	return described.GetWorkflowExecutionInfo().GetStatus()
}
