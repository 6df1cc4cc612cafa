// Package hook holds the nouns of discobot-hooks: a [Hook] waits for an
// [Event]; when its [Match] holds, its [Action] runs; the [Result] is what
// happened; the [Verdict] is what the caller must do.
//
// Start with [Hook]. The package imports only the standard library and does
// nothing: loading is frontmatter's, matching internal/pattern's, running
// run's, and deciding what comes next session's, turn's and githook's.
package hook

import (
	"strings"
	"time"
)

// Dir is where a workspace keeps its hooks, relative to the workspace and
// slash-separated.
const Dir = ".discobot/hooks"

// Event is what a hook waits for: the `type` of its header, or the name that
// another dialect gives its event.
type Event string

// The events of design 1's hooks; git's have its names (githooks(5)).
const (
	Session Event = "session" // the container starts
	File    Event = "file"    // an LLM turn ended and matching files changed

	PreCommit        Event = "pre-commit"         // git is about to commit
	PrepareCommitMsg Event = "prepare-commit-msg" // git has made a message for people to edit
	CommitMsg        Event = "commit-msg"         // there is a message; the commit comes next
	PostCommit       Event = "post-commit"
	PostMerge        Event = "post-merge"
	PostCheckout     Event = "post-checkout"
	PrePush          Event = "pre-push"
)

// Events are all of design 1, in the order in which they are told to people.
func Events() []Event { return append([]Event{Session, File}, GitEvents()...) }

// GitEvents are those that are git hooks.
func GitEvents() []Event {
	return []Event{PreCommit, PrepareCommitMsg, CommitMsg, PostCommit, PostMerge, PostCheckout, PrePush}
}

// CanBlock tells whether what git is at can still be stopped by this git hook.
func (e Event) CanBlock() bool { return !strings.HasPrefix(string(e), "post-") }

// A Hook is one executable of a workspace and when to run it. Values come
// ready from frontmatter and are not changed afterwards.
type Hook struct {
	ID          string // unique in its workspace; also names the log and the status entry
	Name        string // for people; the file name where the header has none
	Description string
	Dialect     string // the format it is written in; empty for design 1's
	Event       Event
	File        string // relative to the workspace, slash-separated
	Match       Match
	Action      Action

	// NotifyLLM tells whether a failure sends the LLM back to work. Only file
	// hooks use it.
	NotifyLLM bool

	// Blocking tells whether the agent waits for a session hook. Hooks that
	// do not block run one after the other once the blocking ones are done.
	Blocking bool
}

// Type is what status.json and DISCOBOT_HOOK_TYPE call the hook: the dialect,
// or for design 1's hooks the event.
func (h Hook) Type() string {
	if h.Dialect != "" {
		return h.Dialect
	}
	return string(h.Event)
}

// Match says which files concern a hook. The zero value matches none; a
// pre-commit hook that has it runs at every commit.
type Match struct {
	// Patterns as written. A file matches where one item without a leading
	// `!` does and no item with one does; a single `!x` alone matches
	// everything but x.
	Patterns []string

	// Ignore takes files out again, whatever Patterns say.
	Ignore []string
}

// RunAs names whose identity an action runs with.
type RunAs string

// The values of the header's `run_as`. The zero value is not valid: a loaded
// hook says which, so that nothing runs as root by default.
const (
	AsUser RunAs = "user"
	AsRoot RunAs = "root"
)

// Action is what a hook runs: its own file, without arguments of ours but for
// those that git gives.
type Action struct {
	Path    string        // absolute
	RunAs   RunAs         // session hooks; AsUser for all others
	Timeout time.Duration // zero: the caller's default
	Retries int           // further attempts after a failed first one
	PassEnv []string      // names that a session hook gets beside the allow list
}
