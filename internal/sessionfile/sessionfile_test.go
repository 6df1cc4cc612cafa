package sessionfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var ignoreUnknown = cmpopts.IgnoreUnexported(Session{}, Metadata{})

func newStore(t *testing.T) Store {
	t.Helper()
	return Store{Dir: filepath.Join(t.TempDir(), ".autoagent", "sessions"), Warn: func(text string) { t.Errorf("Warn(%q)", text) }}
}

func put(t *testing.T, s Store, session Session) {
	t.Helper()
	err := s.Update(t.Context(), session.ID, func(to *Session, _ bool) error { *to = session; return nil })
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, s Store, name, content string) {
	t.Helper()
	err := errors.Join(os.MkdirAll(s.Dir, 0o700), os.WriteFile(filepath.Join(s.Dir, name), []byte(content), 0o600))
	if err != nil {
		t.Fatal(err)
	}
}

func TestNewID(t *testing.T) {
	t.Parallel()
	t.Run("1c.4 session-<ms>-<6 base36>", func(t *testing.T) {
		t.Parallel()
		form := regexp.MustCompile(`^session-1704067200123-[0-9a-z]{6}$`)
		seen := make(map[string]bool)
		digits := make(map[rune]bool)
		for range 1000 {
			id := NewID(time.UnixMilli(1704067200123))
			if !form.MatchString(id) || checkID(id) != nil {
				t.Fatalf("NewID = %q, want %v", id, form)
			}
			seen[id] = true
			for _, c := range id[len(id)-6:] {
				digits[c] = true
			}
		}
		if len(seen) < 999 || len(digits) != 36 {
			t.Errorf("1000 ids: %d differ, of %d digits", len(seen), len(digits))
		}
	})
}

func TestHostileIDs(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", ".", "..", "../../x", "a/b", "/etc/passwd", "current", ".lock", "-a", "a\n", "a\x00", "é", " a", strings.Repeat("a", 129), strings.Repeat("a", 5000)} {
		t.Run(fmt.Sprintf("%.20q", id), func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			updated := s.Update(t.Context(), id, func(*Session, bool) error { t.Error("change is called"); return nil })
			_, linked := s.Begin(t.Context(), id, "", func(*Session, bool) error { t.Error("change is called"); return nil })
			for _, err := range []error{updated, linked} {
				if err == nil || len(err.Error()) > 1000 || strings.ContainsAny(err.Error(), "\n\x00") {
					t.Errorf("error %.1000v, want one line", err)
				}
			}
			if _, err := os.Stat(s.Dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the directory is made: %v", err)
			}
		})
	}
	for _, id := range []string{"a", "0f8b3c1e-9d55-4c3a-8f1e-2b7a5c9d1e0f", "current.json", "Current", "a..b", strings.Repeat("a", 128)} {
		t.Run(fmt.Sprintf("%.20q is fine", id), func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			put(t, s, Session{ID: id, Status: Active})
			if sessions, problems, err := s.List(0); err != nil || len(problems) > 0 || len(sessions) != 1 || sessions[0].ID != id {
				t.Errorf("List = %v, %v, %v", sessions, problems, err)
			}
		})
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	const id = "session-1704067200000-abc123"
	var got []bool
	update := func(change func(*Session)) {
		t.Helper()
		err := s.Update(t.Context(), id, func(session *Session, exists bool) error {
			if session.ID != id {
				t.Errorf("change gets the id %q", session.ID)
			}
			got = append(got, exists)
			change(session)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	update(func(session *Session) { session.Status, session.ID = Active, "another" })
	update(func(session *Session) { session.IssuesPlanned = append(session.IssuesPlanned, 1<<53-1) })
	if diff := cmp.Diff([]bool{false, true}, got); diff != "" {
		t.Errorf("exists mismatch (-want +got):\n%s", diff)
	}
	read, err := s.read(id)
	if diff := cmp.Diff(Session{ID: id, Status: Active, IssuesPlanned: []int64{1<<53 - 1}}, read, ignoreUnknown, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("read: %v, mismatch (-want +got):\n%s", err, diff)
	}
	for path, want := range map[string]fs.FileMode{filepath.Dir(s.Dir): fs.ModeDir | 0o700, s.Dir: fs.ModeDir | 0o700, s.path(id): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v; want %v", path, info.Mode(), err, want)
		}
	}
}

func TestRefusedChangesWriteNothing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*Session) error
		want   string
	}{
		{"the change's own error", func(*Session) error { return errors.New("no") }, "no"},
		{"no status", func(s *Session) error { s.Status = ""; return nil }, `write session a: status "": want active, completed, interrupted or failed`},
		{"unknown status", func(s *Session) error { s.Status = "done"; return nil }, `write session a: status "done": want active, completed, interrupted or failed`},
		{"issue number beyond 2^53", func(s *Session) error { s.IssuesFailed = []int64{1 << 53}; return nil }, "write session a: issue number 9007199254740992: want at most 9007199254740991"},
		{"current issue beyond -2^53", func(s *Session) error { s.CurrentIssue = new(int64); *s.CurrentIssue = -1 << 53; return nil }, "write session a: issue number -9007199254740992: want at most 9007199254740991"},
		{"larger than can be read", func(s *Session) error { s.Command = strings.Repeat("x", maxFileBytes); return nil }, "write session a: too large: more than 1048576 bytes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			put(t, s, Session{ID: "a", Status: Failed})
			err := s.Update(t.Context(), "a", func(session *Session, _ bool) error { return test.change(session) })
			if err == nil || err.Error() != test.want {
				t.Errorf("Update: %v, want %s", err, test.want)
			}
			if session, err := s.read("a"); err != nil || session.Status != Failed {
				t.Errorf("the file has %v, %v", session, err)
			}
		})
	}
}

func TestUpdateWaitsForTheLockAndGivesUp(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	unlock, err := s.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Update(ctx, "a", func(*Session, bool) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("Update: %v, want %v", err, context.Canceled)
	}
}

// What is no session is set aside, whole, and a new one starts.
func TestCorruptFilesAreSetAside(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, want string
		make       func(path string) error
	}{
		{"half a file", "unexpected end of JSON input", func(path string) error { return os.WriteFile(path, []byte(`{"id":`), 0o600) }},
		{"empty", "unexpected end of JSON input", func(path string) error { return os.WriteFile(path, nil, 0o600) }},
		{"null", "want a JSON object, found null", func(path string) error { return os.WriteFile(path, []byte("null"), 0o600) }},
		{"a list", "want a JSON object, found array", func(path string) error { return os.WriteFile(path, []byte("[]"), 0o600) }},
		{"too large", "too large", func(path string) error { return os.WriteFile(path, make([]byte, maxFileBytes+1), 0o600) }},
		{"a link", "not a regular file", func(path string) error { return os.Symlink("/etc/passwd", path) }},
		{"a pipe", "not a regular file", func(path string) error { return syscall.Mkfifo(path, 0o600) }},
		{"a directory", "not a regular file", func(path string) error { return os.Mkdir(path, 0o700) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			var warnings []string
			s.Warn = func(text string) { warnings = append(warnings, text) }
			write(t, s, "other.json", `{"status":"active"}`)
			if err := test.make(s.path("a")); err != nil {
				t.Fatal(err)
			}
			before, err := os.Lstat(s.path("a"))
			if err != nil {
				t.Fatal(err)
			}
			_, problems, err := s.List(0)
			if err != nil || len(problems) != 1 || problems[0].String() != s.path("a")+": not a session: "+test.want {
				t.Errorf("List: problems %v, %v; want %s", problems, err, test.want)
			}
			put(t, s, Session{ID: "a", Status: Active})
			aside, _ := filepath.Glob(s.path("a") + ".corrupt-*Z")
			if len(aside) != 1 {
				t.Fatalf("set aside: %v, want one", aside)
			}
			if after, err := os.Lstat(aside[0]); err != nil || !os.SameFile(before, after) {
				t.Errorf("what is set aside is not what was there: %v", err)
			}
			want := []string{fmt.Sprintf("read session: %s: %s; set aside as %s, starting empty", s.path("a"), test.want, aside[0])}
			if diff := cmp.Diff(want, warnings); diff != "" {
				t.Errorf("warnings mismatch (-want +got):\n%s", diff)
			}
			if sessions, problems, err := s.List(0); err != nil || len(sessions) != 2 || len(problems) != 0 {
				t.Errorf("List after it: %v, %v, %v", sessions, problems, err)
			}
		})
	}
}
