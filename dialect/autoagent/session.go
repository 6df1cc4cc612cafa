package autoagent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"discobot-hooks/dialect"
	"discobot-hooks/internal/git"
	"discobot-hooks/internal/safename"
	"discobot-hooks/internal/sessionfile"
)

// gitLimit bounds what git is asked about a new session: other processes wait
// for the file meanwhile.
const gitLimit = 2 * time.Second

// findSession is the session that the event belongs to: the one that the
// command line names, else the event's own sessionId, else the workspace's
// current one. An issue that begins without any begins a new one.
func (f *Format) findSession(ev *dialect.Event) string {
	own, _ := ev.Data["sessionId"].(string)
	if named := cmp.Or(ev.Session, own); named != "" {
		f.named = true
		return named
	}
	if f.options.Home != "" {
		current, ok, err := f.sessions.Current(f.options.Workspace)
		if err != nil {
			f.lost(ev, err)
		}
		if ok {
			return current.ID
		}
	}
	if ev.Name == preExecutionStart && !ev.DryRun { // a dry run begins none
		return sessionfile.NewID(ev.Time)
	}
	return ""
}

// begin notes the issue that is about to be executed.
func (f *Format) begin(ctx context.Context, ev *dialect.Event) {
	begin := func(s *sessionfile.Session) {
		if s.Status != sessionfile.Active { // it goes on after its end
			s.Status, s.EndTime = sessionfile.Active, ""
		}
		planned, _ := ev.Data["issuesPlanned"].([]any)
		for _, v := range append(slices.Clone(planned), ev.Data["issueNumber"]) {
			if issue, ok := integer(v); ok && !slices.Contains(s.IssuesPlanned, issue) {
				s.IssuesPlanned = append(s.IssuesPlanned, issue)
			}
		}
		if issue, ok := integer(ev.Data["issueNumber"]); ok {
			s.CurrentIssue = &issue
		}
	}
	if !f.kept() {
		return
	}
	workspace := f.options.Workspace
	if f.named {
		workspace = ""
	}
	id, err := f.sessions.Begin(ctx, f.session, workspace, f.changing(ctx, ev, begin))
	if err != nil {
		f.lost(ev, err)
	}
	f.session, ev.Session = id, id
}

// end notes what came of the event.
func (f *Format) end(ctx context.Context, ev *dialect.Event, blocked bool) {
	switch {
	case ev.Name == preExecutionStart && blocked:
		f.update(ctx, ev, func(s *sessionfile.Session) { s.CurrentIssue = nil })
	case ev.Name == postExecutionEnd:
		f.update(ctx, ev, func(s *sessionfile.Session) { file(s, ev.Data) })
	case ev.Name == stop && !blocked:
		f.update(ctx, ev, func(s *sessionfile.Session) { finish(s, ev) })
	}
}

// file puts an issue among those that are done, or have failed.
// The document's own code hands over the result alone, without a number: then
// it is that of the issue under way.
func file(s *sessionfile.Session, data map[string]any) {
	current := s.CurrentIssue
	s.CurrentIssue = nil
	issue, ok := integer(data["issueNumber"])
	switch {
	case !ok && (data["issueNumber"] != nil || current == nil):
		return
	case !ok:
		issue = *current
	}
	to, from := &s.IssuesFailed, &s.IssuesCompleted
	if data["success"] == true {
		to, from = from, to
	}
	*from = slices.DeleteFunc(*from, func(i int64) bool { return i == issue })
	if !slices.Contains(*to, issue) {
		*to = append(*to, issue)
	}
}

// finish ends the session.
func finish(s *sessionfile.Session, ev *dialect.Event) {
	s.EndTime = sessionfile.FormatTime(ev.Time)
	switch ev.Data["reason"] {
	case "interrupted":
		s.Status = sessionfile.Interrupted
	case "error":
		s.Status = sessionfile.Failed
	default:
		s.Status = sessionfile.Completed
	}
	if total, ok := duration(s, ev); ok {
		if s.Metadata == nil {
			s.Metadata = &sessionfile.Metadata{}
		}
		s.Metadata.TotalDuration = &total
	}
}

// duration is the session's in milliseconds: what the event says, else what
// the clock does.
func duration(s *sessionfile.Session, ev *dialect.Event) (int64, bool) {
	if number, ok := ev.Data["duration"].(json.Number); ok {
		if ms, err := number.Float64(); err == nil && ms >= 0 && ms < math.MaxInt64 {
			return int64(ms), true
		}
	}
	start, err := time.Parse(time.RFC3339, s.StartTime)
	if err != nil || ev.Time.Before(start) {
		return 0, false
	}
	return ev.Time.Sub(start).Milliseconds(), true
}

// update changes the event's session, which begins with the event where it
// has no file yet. A file that cannot be written costs the record, never the
// event.
func (f *Format) update(ctx context.Context, ev *dialect.Event, change func(*sessionfile.Session)) {
	if !f.kept() {
		return
	}
	if err := f.sessions.Update(ctx, f.session, f.changing(ctx, ev, change)); err != nil {
		f.lost(ev, err)
	}
}

// kept tells whether the session can have a file. An id that is none ends the
// event with an error of its own.
func (f *Format) kept() bool {
	return f.options.Home != "" && safename.Is(f.session, sessionfile.MaxIDBytes)
}

// changing is change for a session that may be new.
func (f *Format) changing(ctx context.Context, ev *dialect.Event, change func(*sessionfile.Session)) func(*sessionfile.Session, bool) error {
	return func(s *sessionfile.Session, exists bool) error {
		if !exists {
			f.describe(ctx, ev, s)
		}
		if s.Provider == "" { // the document's first event does not name it
			s.Provider, _ = ev.Data["provider"].(string)
		}
		if number := ev.Data["issueNumber"]; number != nil {
			if _, ok := integer(number); !ok {
				ev.Warn(fmt.Sprintf("autoagent session does not note the issue: issueNumber %v is not a whole number", number))
			}
		}
		change(s)
		return nil
	}
}

// lost says once that the session's file is not what it should be. The error
// names it.
func (f *Format) lost(ev *dialect.Event, err error) {
	if !f.warned {
		f.warned = true
		ev.Warn(fmt.Sprintf("autoagent session is not recorded: %v", err))
	}
}

// describe fills in a new session.
func (f *Format) describe(ctx context.Context, ev *dialect.Event, s *sessionfile.Session) {
	s.StartTime, s.Status = sessionfile.FormatTime(ev.Time), sessionfile.Active
	s.Workspace, s.Command = f.options.Workspace, name
	if command, ok := ev.Data["command"].(string); ok && command != "" {
		s.Command = command
	}
	args, _ := ev.Data["args"].([]any)
	for _, arg := range args {
		if text, ok := arg.(string); ok {
			s.Args = append(s.Args, text)
		}
	}
	branch, commit := f.head(ctx)
	if branch != "" || commit != "" {
		s.Metadata = &sessionfile.Metadata{GitBranch: branch, GitCommit: commit}
	}
}

// head is where git is, as far as it says: no repository, no commit and no
// branch are all usual.
func (f *Format) head(ctx context.Context) (branch, commit string) {
	if _, ok := git.TopLevel(f.options.Workspace); !ok {
		return "", ""
	}
	ctx, cancel := context.WithTimeout(ctx, gitLimit)
	defer cancel()
	ask := func(args ...string) string {
		out, err := git.Run(ctx, f.options.Workspace, f.options.Env, args...)
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	branch = strings.TrimPrefix(ask("symbolic-ref", "--quiet", "HEAD"), "refs/heads/")
	return branch, ask("rev-parse", "--verify", "--quiet", "HEAD")
}

// integer is an issue's number.
func integer(v any) (int64, bool) {
	number, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	if n, err := number.Int64(); err == nil {
		return n, true
	}
	n, err := number.Float64() // 8.0 and 8e0 are whole too
	return int64(n), err == nil && n == math.Trunc(n) && math.Abs(n) <= 1<<53
}
