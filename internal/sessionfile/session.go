package sessionfile

import (
	"fmt"
	"slices"
	"time"
)

// Status says how far a session is.
type Status string

// The statuses of the document.
const (
	Active      Status = "active"
	Completed   Status = "completed"
	Interrupted Status = "interrupted"
	Failed      Status = "failed"
)

// A Session is the document's Session interface. Keys that we do not know are
// kept.
type Session struct {
	ID              string
	StartTime       string // see [FormatTime]
	EndTime         string // likewise; empty until the session ends
	Workspace       string // absolute
	Command         string // that started it
	Args            []string
	IssuesPlanned   []int64
	IssuesCompleted []int64
	IssuesFailed    []int64
	CurrentIssue    *int64 // nil between issues
	Status          Status
	Provider        string
	Metadata        *Metadata // nil: none

	unknown object
}

// Metadata is what else is known of a session. Empty and nil are not known.
type Metadata struct {
	GitBranch     string
	GitCommit     string
	TotalDuration *int64 // milliseconds

	unknown object
}

// FormatTime writes a time as JavaScript's toISOString does.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// maxInteger is the largest integer that a JavaScript reader takes without
// loss.
const maxInteger = 1<<53 - 1

// check tells what a change made that no session can have. A status that we do
// not know may stay as it was.
func (s Session) check(before Status) error {
	switch s.Status {
	case Active, Completed, Interrupted, Failed:
	default:
		if s.Status != before || before == "" {
			return fmt.Errorf("status %q: want active, completed, interrupted or failed", s.Status)
		}
	}
	issues := slices.Concat(s.IssuesPlanned, s.IssuesCompleted, s.IssuesFailed)
	if s.CurrentIssue != nil {
		issues = append(issues, *s.CurrentIssue)
	}
	for _, n := range issues {
		if n > maxInteger || n < -maxInteger {
			return fmt.Errorf("issue number %d: want at most %d", n, int64(maxInteger))
		}
	}
	return nil
}
