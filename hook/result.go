package hook

import (
	"fmt"
	"time"
)

// Exit codes of our own making, as timeout(1), the shell and git use them.
const (
	ExitTimeout     = 124 // the time limit passed
	ExitCannotStart = 127 // no such interpreter, not executable, no process to be had
	exitSignalBase  = 128 // ended by signal n: 128+n
)

// ExitForSignal is the exit code of a process that signal n ended, as POSIX
// shells report it.
func ExitForSignal(n int) int { return exitSignalBase + n }

// Status says in one word how an action ended.
type Status string

// The statuses, as the JSON documents of the commands spell them.
const (
	OK       Status = "ok"
	Failed   Status = "failed"
	Blocked  Status = "blocked"
	TimedOut Status = "timeout"
	Skipped  Status = "skipped"
	Detached Status = "detached"
	Invalid  Status = "invalid"
)

// Result is what happened when a hook's action ran. A hook that fails gives a
// Result, never an error: errors are ours.
type Result struct {
	HookID   string
	Status   Status
	ExitCode int
	Started  time.Time
	Duration time.Duration
	Output   Output

	// Aborted tells that we were asked to stop while the action ran. Its
	// ExitCode then says nothing about the hook, and it is not recorded.
	Aborted bool

	// Reason says in a few words why the action could not run or was ended,
	// where the exit code alone does not. Empty otherwise.
	Reason string
}

// Success tells whether the action did what it was asked to.
func (r Result) Success() bool { return r.Status == OK || r.Status == Detached }

// Ran is a hook that ran, and how it ended.
type Ran struct {
	Hook   Hook
	Result Result
}

// Output describes what an action printed; the bytes are in the log at Path.
type Output struct {
	Path    string // absolute
	Bytes   int64  // printed, also those the log does not keep
	Lines   int64  // likewise; a last line without newline counts
	Dropped int64  // bytes that the log does not keep
}

// Verdict is what the caller must do.
type Verdict string

// The verdicts.
const (
	Proceed  Verdict = "proceed"
	Reprompt Verdict = "reprompt" // send the message to the LLM
	Block    Verdict = "blocked"
)

// Severity of a [Problem].
type Severity string

// An Error keeps its hook from running; a Warning does not.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// A Problem is something wrong with a hook file, in words that say what to
// write instead.
type Problem struct {
	File     string   `json:"file"` // relative to the workspace, slash-separated
	Line     int      `json:"line"` // from 1; 0 where the whole file is meant
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
}

// String is the problem as one line for people: file:line: message.
func (p Problem) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Message)
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
}
