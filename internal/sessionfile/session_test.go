package sessionfile

import (
	"encoding/json"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFormatTime(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 1, 1, 1, 0, 0, 7_999_999, time.FixedZone("", 3600))
	if got := FormatTime(at); got != "2024-01-01T00:00:00.007Z" {
		t.Errorf("FormatTime = %s", got)
	}
}

// Every key of the document's Session, in its order and spelling.
const whole = `{
  "id": "session-1704067200000-abc123",
  "startTime": "2024-01-01T00:00:00.000Z",
  "endTime": "2024-01-01T00:05:00.000Z",
  "workspace": "/w/<a> & b",
  "command": "autoagent",
  "args": [
    "run",
    "--all"
  ],
  "issuesPlanned": [
    1,
    2,
    3
  ],
  "issuesCompleted": [
    1
  ],
  "issuesFailed": [
    2
  ],
  "currentIssue": 3,
  "status": "interrupted",
  "provider": "claude",
  "metadata": {
    "gitBranch": "main",
    "gitCommit": "1a2b3c",
    "totalDuration": 300000,
    "host": {
      "cpus": 2
    }
  },
  "alpha": [],
  "resume": {
    "from": "session-1",
    "empty": {},
    "at": 1e3
  },
  "tags": null
}`

// What a new session has: no null, and none of the optional keys.
const fresh = `{
  "id": "a",
  "startTime": "2024-01-01T00:00:00.000Z",
  "workspace": "/w",
  "command": "autoagent",
  "args": [],
  "issuesPlanned": [],
  "issuesCompleted": [],
  "issuesFailed": [],
  "status": "active",
  "provider": ""
}`

func TestKeysOfTheDocument(t *testing.T) {
	t.Parallel()
	id, three, duration := "session-1704067200000-abc123", int64(3), int64(300000)
	s := newStore(t)
	write(t, s, id+".json", whole)
	want := Session{
		ID: id, StartTime: "2024-01-01T00:00:00.000Z", EndTime: "2024-01-01T00:05:00.000Z",
		Workspace: "/w/<a> & b", Command: "autoagent", Args: []string{"run", "--all"},
		IssuesPlanned: []int64{1, 2, 3}, IssuesCompleted: []int64{1}, IssuesFailed: []int64{2}, CurrentIssue: &three,
		Status: Interrupted, Provider: "claude",
		Metadata: &Metadata{GitBranch: "main", GitCommit: "1a2b3c", TotalDuration: &duration},
	}
	got, err := s.read(id)
	if diff := cmp.Diff(want, got, ignoreUnknown); err != nil || diff != "" {
		t.Errorf("read: %v, mismatch (-want +got):\n%s", err, diff)
	}
	t.Run("unknown keys are kept", func(t *testing.T) {
		if err := s.Update(t.Context(), id, func(*Session, bool) error { return nil }); err != nil {
			t.Fatal(err)
		}
		wantFile(t, s.path(id), whole)
	})
	t.Run("a new session", func(t *testing.T) {
		put(t, s, Session{ID: "a", StartTime: "2024-01-01T00:00:00.000Z", Workspace: "/w", Command: "autoagent", Status: Active})
		wantFile(t, s.path("a"), fresh)
	})
	t.Run("in another document", func(t *testing.T) {
		if out, err := json.Marshal(map[string]any{"s": got}); err != nil || !json.Valid(out) {
			t.Errorf("Marshal = %s, %v", out, err)
		}
	})
}

// JSON.stringify itself is the oracle of how the file looks.
func TestLooksAsJavaScriptWritesIt(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node to ask")
	}
	s := newStore(t)
	for _, content := range []string{whole, fresh} {
		session, err := parse([]byte(content))
		if err != nil {
			t.Fatal(err)
		}
		put(t, s, session)
		ask := exec.Command(node, "-e", `process.stdout.write(JSON.stringify(JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")), null, 2))`, s.path(session.ID))
		out, err := ask.Output()
		if err != nil {
			t.Fatal(err)
		}
		read, err := os.ReadFile(s.path(session.ID))
		if err != nil {
			t.Fatal(err)
		}
		var want, got any
		if err := json.Unmarshal(out, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(read, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("content mismatch (-node +got):\n%s", diff)
		}
		if len(session.unknown) == 0 { // node spells 1e3 as 1000
			if diff := cmp.Diff(string(out), string(read)); diff != "" {
				t.Errorf("look mismatch (-node +got):\n%s", diff)
			}
		}
	}
}

func wantFile(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s mismatch (-want +got):\n%s", path, diff)
	}
}

// A value that somebody spoilt costs that value and not the session.
func TestReadTolerates(t *testing.T) {
	t.Parallel()
	two := int64(2)
	tests := []struct {
		name, in string
		want     Session
	}{
		{"nothing", `{}`, Session{}},
		{"fractional, huge and foreign issue numbers", `{"issuesPlanned":[1,1.5,9007199254740993,1e300,-9007199254740992,"2",null,{},2e0]}`, Session{IssuesPlanned: []int64{1, 2}}},
		{"fractional current issue", `{"currentIssue":1.5}`, Session{}},
		{"null current issue", `{"currentIssue":null,"endTime":null,"metadata":null}`, Session{}},
		{"fractional duration", `{"metadata":{"totalDuration":1.6}}`, Session{Metadata: &Metadata{TotalDuration: &two}}},
		{"other types", `{"id":1,"args":["a",2,null],"issuesFailed":"x","status":false,"metadata":[]}`, Session{Args: []string{"a"}}},
		{"a status to come", `{"status":"paused"}`, Session{Status: "paused"}},
		{"keys in another case are others", `{"ID":"x","Status":"failed"}`, Session{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := parse([]byte(test.in))
			if diff := cmp.Diff(test.want, got, ignoreUnknown); err != nil || diff != "" {
				t.Errorf("parse: %v, mismatch (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestUnknownStatusMayStay(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	write(t, s, "a.json", `{"status":"paused"}`)
	err := s.Update(t.Context(), "a", func(session *Session, _ bool) error { session.Provider = "gemini"; return nil })
	if got, readErr := s.read("a"); err != nil || readErr != nil || got.Status != "paused" || got.Provider != "gemini" {
		t.Errorf("Update: %v; %v, %v", err, got, readErr)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{whole, fresh, "{}", "null", `{"metadata":{"a":{}},"args":[null],"x":"\ud800"}`, `{"a":1,"a":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		first, err := parse(content)
		if err != nil {
			return
		}
		once, err := first.encode()
		if err != nil {
			t.Fatalf("encode: %v", err)
		}
		second, err := parse(once)
		if err != nil {
			t.Fatalf("parse what encode wrote, %q: %v", once, err)
		}
		twice, err := second.encode()
		if diff := cmp.Diff(string(once), string(twice)); err != nil || diff != "" {
			t.Errorf("second encode: %v, mismatch (-once +twice):\n%s", err, diff)
		}
		if len(first.unknown) != len(second.unknown) {
			t.Errorf("%d unknown keys became %d in %q", len(first.unknown), len(second.unknown), once)
		}
	})
}
