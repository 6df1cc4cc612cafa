package status

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"discobot-hooks/hook"
)

// isoMillis is how JavaScript's toISOString writes a time, which readers of
// status.json expect.
const isoMillis = "2006-01-02T15:04:05.000Z"

// LastResult values.
const (
	success = "success"
	failure = "failure"
)

// A File is the content of status.json. Keys that we do not know are kept.
type File struct {
	Hooks           map[string]HookRun // by hook id
	PendingHooks    []string           // hook ids, in the order they became pending
	LastEvaluatedAt time.Time          // zero: never; written as the start of 1970

	// New tells that there was no status.json, or none that could be read.
	New bool

	unknown map[string]json.RawMessage
}

// A HookRun is what is known of one hook's runs.
type HookRun struct {
	HookID              string
	HookName            string
	Type                string
	LastRunAt           time.Time
	LastResult          string // success or failure
	LastExitCode        int
	OutputPath          string // absolute
	RunCount            int64
	FailCount           int64
	ConsecutiveFailures int64
	unknown             map[string]json.RawMessage
}

func newFile() *File { return &File{Hooks: make(map[string]HookRun), New: true} }

// AddPending notes that hooks must run. One that is pending already keeps its
// place.
func (f *File) AddPending(ids ...string) {
	for _, id := range ids {
		if !slices.Contains(f.PendingHooks, id) {
			f.PendingHooks = append(f.PendingHooks, id)
		}
	}
}

// RemovePending notes that hooks need not run any more.
func (f *File) RemovePending(ids ...string) {
	f.PendingHooks = slices.DeleteFunc(f.PendingHooks, func(id string) bool { return slices.Contains(ids, id) })
}

func (f *File) record(h hook.Hook, r hook.Result) {
	f.makeWay(h)
	key := f.key(h)
	run := f.Hooks[key]
	run.HookID, run.HookName, run.Type = h.ID, h.Name, h.Type()
	run.LastRunAt = r.Started
	run.LastExitCode = r.ExitCode
	run.OutputPath = r.Output.Path
	run.RunCount = increment(run.RunCount)
	if r.Success() {
		run.LastResult = success
		run.ConsecutiveFailures = 0
	} else {
		run.LastResult = failure
		run.FailCount = increment(run.FailCount)
		run.ConsecutiveFailures = increment(run.ConsecutiveFailures)
	}
	f.Hooks[key] = run
}

// maxCount is the largest integer that a JavaScript reader takes without loss.
const maxCount = 1<<53 - 1

func increment(n int64) int64 { return min(n+1, maxCount) }

// count reads a counter that somebody may have edited: what is no count is 0.
func count(raw json.RawMessage) int64 {
	var n float64
	if json.Unmarshal(raw, &n) != nil || n < 0 || n > maxCount || n != math.Trunc(n) {
		return 0
	}
	return int64(n)
}

func formatTime(t time.Time) string {
	if t.IsZero() {
		t = time.Unix(0, 0)
	}
	return t.UTC().Format(isoMillis)
}

func parseTime(raw json.RawMessage) time.Time {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.Equal(time.Unix(0, 0)) {
		return time.Time{}
	}
	return t
}

// String says when and how a hook last ran, for people.
func (r HookRun) String() string {
	return fmt.Sprintf("%s (exit %d) at %s, %d runs, %d failed", r.LastResult, r.LastExitCode,
		formatTime(r.LastRunAt), r.RunCount, r.FailCount)
}
