package autoagent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"discobot-hooks/internal/gittest"
	"discobot-hooks/internal/sessionfile"
)

func (w *world) store() sessionfile.Store {
	return sessionfile.Store{Dir: filepath.Join(w.home, ".autoagent", "sessions")}
}

// sessions are all there are, the newest first.
func (w *world) sessions() []sessionfile.Session {
	w.t.Helper()
	sessions, problems, err := w.store().List(0)
	if err != nil || len(problems) > 0 {
		w.t.Fatal(problems, err)
	}
	return sessions
}

func (w *world) onlySession() sessionfile.Session {
	w.t.Helper()
	sessions := w.sessions()
	if len(sessions) != 1 {
		w.t.Fatalf("%d sessions, want 1", len(sessions))
	}
	return sessions[0]
}

func number(n int64) *int64 { return &n }

func (w *world) wantSession(want sessionfile.Session) {
	w.t.Helper()
	ignore := cmpopts.IgnoreUnexported(sessionfile.Session{}, sessionfile.Metadata{})
	if diff := cmp.Diff(want, w.onlySession(), ignore, cmpopts.EquateEmpty()); diff != "" {
		w.t.Errorf("session mismatch (-want +got):\n%s", diff)
	}
}

func TestSessionFromStartToStop(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Git("commit", "-q", "--allow-empty", "-m", "first")
	w := &world{t: t, workspace: repo.Dir, home: t.TempDir(), env: repo.Env}

	report := w.emit("PreExecutionStart", `{"issueNumber": 1, "issuesPlanned": [1, 2, "x"], "command": "/usr/bin/autoagent", "args": ["run", "--all"], "provider": "claude"}`)
	id, _ := report.Result["sessionId"].(string)
	if !regexp.MustCompile(`^session-1704110400250-[0-9a-z]{6}$`).MatchString(id) {
		t.Fatalf("1c.4 sessionId %q", id)
	}
	want := sessionfile.Session{
		ID: id, StartTime: "2024-01-01T12:00:00.250Z", Workspace: repo.Dir, Command: "/usr/bin/autoagent", Args: []string{"run", "--all"},
		IssuesPlanned: []int64{1, 2}, CurrentIssue: number(1), Status: sessionfile.Active, Provider: "claude",
		Metadata: &sessionfile.Metadata{GitBranch: "main", GitCommit: strings.TrimSpace(repo.Git("rev-parse", "HEAD"))},
	}
	w.wantSession(want)
	if target, err := os.Readlink(filepath.Join(w.store().Dir, "current")); err != nil || filepath.Base(target) != id+".json" {
		t.Errorf("current -> %s, %v", target, err)
	}

	if report := w.emit("PostExecutionStart", `{"issueNumber": 1}`); report.Result["sessionId"] != id {
		t.Errorf("1c.4 the current session is %v, want %s", report.Result["sessionId"], id)
	}
	w.emit("PostExecutionEnd", `{"issueNumber": 1, "success": false}`)
	want.IssuesFailed, want.CurrentIssue = []int64{1}, nil
	w.wantSession(want)

	w.emit("PreExecutionStart", `{"issueNumber": 1}`)
	w.emit("PostExecutionEnd", `{"issueNumber": 1, "success": true}`)
	w.emit("PreExecutionStart", `{"issueNumber": 3}`)
	w.emit("PostExecutionEnd", `{"issueNumber": 3}`)
	w.emit("PostExecutionEnd", `{"issueNumber": 4.5, "success": true}`)
	want.IssuesPlanned, want.IssuesCompleted, want.IssuesFailed = []int64{1, 2, 3}, []int64{1}, []int64{3}
	w.wantSession(want)

	w.emit("Stop", `{"reason": "completed", "issuesCompleted": 5, "duration": 300000}`)
	want.Status, want.EndTime, want.Metadata.TotalDuration = sessionfile.Completed, "2024-01-01T12:00:00.250Z", number(300000)
	w.wantSession(want)
	if len(w.warned) != 1 || !strings.Contains(w.warned[0], "issueNumber 4.5 is not a whole number") {
		t.Errorf("warned %q, want of the issue that is none", w.warned)
	}

	// The next issue begins another session.
	if report := w.emit("PreExecutionStart", `{"issueNumber": 9}`); report.Result["sessionId"] == id || len(w.sessions()) != 2 {
		t.Errorf("session %v, %d files", report.Result["sessionId"], len(w.sessions()))
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, data string
		status     sessionfile.Status
		total      int64
	}{
		{"completed", `{"reason": "completed", "duration": 5}`, sessionfile.Completed, 5},
		{"interrupted", `{"reason": "interrupted", "duration": 5.9}`, sessionfile.Interrupted, 5},
		{"error", `{"reason": "error", "duration": 0}`, sessionfile.Failed, 0},
		{"no reason, no duration", `{}`, sessionfile.Completed, 3250},
		{"others", `{"reason": "completed|interrupted|error", "duration": -1}`, sessionfile.Completed, 3250},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			start := w.event("PreExecutionStart", "")
			start.Time = noon.Add(-3250e6)
			w.emitEvent(start)
			w.emit("Stop", test.data)
			got := w.onlySession()
			if got.Status != test.status || got.EndTime != "2024-01-01T12:00:00.250Z" || got.Metadata == nil || *got.Metadata.TotalDuration != test.total {
				t.Errorf("session %+v %+v", got, got.Metadata)
			}
		})
	}
}

func TestBlockedEventsInTheSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{"hooks": {"PreExecutionStart": [`+running("exit 2")+`], "Stop": [`+running("exit 2")+`]}}`)
	if report := w.emit("PreExecutionStart", `{"issueNumber": 1}`); !report.Blocked {
		t.Fatal("not blocked")
	}
	if s := w.onlySession(); s.CurrentIssue != nil || s.Status != sessionfile.Active {
		t.Errorf("an issue that did not begin: %+v", s)
	}
	w.emit("Stop", "")
	if s := w.onlySession(); s.Status != sessionfile.Active || s.EndTime != "" {
		t.Errorf("a session that goes on: %+v", s)
	}
}

func TestWhichSession(t *testing.T) {
	t.Parallel()
	t.Run("the event's own, also where it has no file", func(t *testing.T) {
		t.Parallel()
		for _, name := range []string{"PostExecutionEnd", "Stop"} {
			w := newWorld(t, hooksAt(name, running("cat")))
			report := w.emit(name, `{"sessionId": "session-1-abcdef", "issueNumber": 1, "success": true}`)
			if s := w.onlySession(); s.ID != "session-1-abcdef" || report.Result["sessionId"] != s.ID {
				t.Errorf("session %+v", s)
			}
			if !strings.Contains(report.Hooks[0].Judgement.Out, `"sessionId":"session-1-abcdef"`) {
				t.Errorf("stdin %s", report.Hooks[0].Judgement.Out)
			}
		}
	})
	t.Run("the command line's wins", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, "")
		ev := w.event("PreExecutionStart", `{"sessionId": "session-1-abcdef"}`)
		ev.Session = "mine"
		if report := w.emitEvent(ev); report.Result["sessionId"] != "mine" || w.onlySession().ID != "mine" {
			t.Errorf("session %v", report.Result)
		}
	})
	t.Run("without any, nothing is written", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, "")
		for _, name := range []string{"PostExecutionStart", "PreExecutionEnd", "PostExecutionEnd", "Stop"} {
			if report := w.emit(name, `{"issueNumber": 1, "sessionId": ""}`); report.Result != nil {
				t.Errorf("%s: %v", name, report.Result)
			}
		}
		if _, err := os.Stat(filepath.Join(w.home, ".autoagent")); !os.IsNotExist(err) {
			t.Errorf("sessions: %v", err)
		}
	})
	t.Run("another workspace's is not ours", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, "")
		first := w.emit("PreExecutionStart", "").Result["sessionId"]
		w.workspace = t.TempDir()
		if second := w.emit("PreExecutionStart", "").Result["sessionId"]; first == second {
			t.Error("two workspaces share a session")
		}
	})
	t.Run("one that has ended goes on when its own id begins an issue", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, "")
		w.emit("Stop", `{"sessionId": "s"}`)
		w.emit("PreExecutionStart", `{"sessionId": "s", "issueNumber": 1}`)
		if s := w.onlySession(); s.Status != sessionfile.Active || s.EndTime != "" {
			t.Errorf("session %+v", s)
		}
	})
	t.Run("a dry run writes nothing", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, hooksAt("PreExecutionStart", running("touch ran")))
		if _, err := w.engine().Plan(t.Context(), w.event("PreExecutionStart", `{"sessionId": "s"}`)); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(w.home, ".autoagent")); !os.IsNotExist(err) || strings.Contains(w.files(), "ran") {
			t.Errorf("%v, files %s", err, w.files())
		}
	})
	t.Run("an id that leads elsewhere is not written", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, "")
		w.emit("PreExecutionStart", `{"sessionId": "../../x"}`)
		if len(w.warned) != 0 || len(w.sessions()) != 0 {
			t.Errorf("warned %q: the caller has an error for it", w.warned)
		}
	})
	t.Run("without a home there are no files", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, "")
		w.home = ""
		if report := w.emit("PreExecutionStart", `{"issueNumber": 1}`); report.Result["sessionId"] == "" || w.warned != nil {
			t.Errorf("%v, warned %q", report.Result, w.warned)
		}
	})
}

func TestSessionThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hooksAt("PreExecutionStart", running("echo ran")))
	write(t, filepath.Join(w.home, ".autoagent", "sessions"), "in the way")
	report := w.emit("PreExecutionStart", `{"issueNumber": 1}`)
	if got := summary(report); got != "PreExecutionStart-1=ok/0" {
		t.Error(got)
	}
	if len(w.warned) != 1 || !strings.Contains(w.warned[0], "is not recorded") {
		t.Errorf("warned %q", w.warned)
	}
}

// The file has the document's keys, in its order.
func TestSessionFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.emit("PreExecutionStart", `{"sessionId": "s", "issueNumber": 1}`)
	content, err := os.ReadFile(filepath.Join(w.store().Dir, "s.json"))
	if err != nil {
		t.Fatal(err)
	}
	workspace, _ := json.Marshal(w.workspace) // a path is text
	want := `{
  "id": "s",
  "startTime": "2024-01-01T12:00:00.250Z",
  "workspace": ` + string(workspace) + `,
  "command": "autoagent",
  "args": [],
  "issuesPlanned": [
    1
  ],
  "issuesCompleted": [],
  "issuesFailed": [],
  "currentIssue": 1,
  "status": "active",
  "provider": ""
}`
	if diff := cmp.Diff(want, string(content)); diff != "" {
		t.Errorf("file mismatch (-want +got):\n%s", diff)
	}
}
