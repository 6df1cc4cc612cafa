package sessionfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func ids(sessions []Session) []string {
	var out []string
	for _, s := range sessions {
		out = append(out, s.ID)
	}
	return out
}

func TestList(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	if sessions, problems, err := s.List(10); err != nil || sessions != nil || problems != nil {
		t.Errorf("List of no directory = %v, %v, %v", sessions, problems, err)
	}
	var want []string
	for i := range 30 {
		// The order of names, of times and of writing all differ.
		id := fmt.Sprintf("s%02d", (i*7)%30)
		put(t, s, Session{ID: id, Status: Completed, StartTime: FormatTime(time.UnixMilli(int64(1e12 - i)))})
		want = append(want, id)
	}
	for _, id := range []string{"x", "z", "y"} { // by id, where the time is the same or none
		put(t, s, Session{ID: id, Status: Failed, StartTime: "yesterday"})
	}
	want = append(want, "z", "y", "x")
	write(t, s, "s00.json.corrupt-20240101T000000.000000000Z", "no")
	write(t, s, ".s00.json123", "no")
	write(t, s, "notes.txt", "no")
	write(t, s, "bad name.json", "no")
	write(t, s, "broken.json", "no")
	if err := s.setCurrent("s00"); err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int{0, 1, 10, 33, 100} {
		sessions, problems, err := s.List(limit)
		if err != nil {
			t.Fatal(err)
		}
		few := want
		if limit > 0 {
			few = want[:min(limit, len(want))]
		}
		if diff := cmp.Diff(few, ids(sessions)); diff != "" {
			t.Errorf("List(%d) mismatch (-want +got):\n%s", limit, diff)
		}
		if len(problems) != 1 || problems[0].File != s.path("broken") || problems[0].Message != "not a session: invalid character 'o' in literal null (expecting 'u')" {
			t.Errorf("List(%d): problems %v", limit, problems)
		}
	}
}

func TestCurrent(t *testing.T) {
	t.Parallel()
	start := func(ms int64) string { return FormatTime(time.UnixMilli(ms)) }
	all := []Session{
		{ID: "old", Workspace: "/w", Status: Active, StartTime: start(1)},
		{ID: "new", Workspace: "/w", Status: Active, StartTime: start(3)},
		{ID: "mid", Workspace: "/w/", Status: Active, StartTime: start(2)},
		{ID: "done", Workspace: "/w", Status: Completed, StartTime: start(4)},
		{ID: "elsewhere", Workspace: "/v", Status: Active, StartTime: start(5)},
	}
	tests := []struct{ name, target, workspace, want string }{
		{"no link: the newest", "", "/w", "new"},
		{"the link's", "old.json", "/w", "old"},
		{"a link as AutoAgent writes it", "DIR/old.json", "/w", "old"},
		{"the workspace's name does not matter", "mid.json", "/w/.", "mid"},
		{"a link to a session that ended", "done.json", "/w", "new"},
		{"a link to another workspace's session", "elsewhere.json", "/w", "new"},
		{"a link to nothing", "gone.json", "/w", "new"},
		{"a link to what is no session", "broken.json", "/w", "new"},
		{"a link that leaves the directory", "../outside.json", "/w", "new"},
		{"a link into a directory below", "sub/inside.json", "/w", "new"},
		{"an absolute link elsewhere", "DIR/../outside.json", "/w", "new"},
		{"a link to itself", "current", "/w", "new"},
		{"a link by a long way", "./old.json", "/w", "new"},
		{"a link without the extension", "old", "/w", "new"},
		{"another workspace", "old.json", "/v", "elsewhere"},
		{"none", "old.json", "/u", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			for _, session := range all {
				put(t, s, session)
			}
			outside := `{"workspace":"/w","status":"active","startTime":"2030-01-01T00:00:00.000Z"}`
			write(t, s, "broken.json", "")
			write(t, s, "../outside.json", outside)
			if err := errors.Join(os.Mkdir(filepath.Join(s.Dir, "sub"), 0o700), os.Symlink("../outside.json", s.path("linked"))); err != nil {
				t.Fatal(err)
			}
			write(t, s, "sub/inside.json", outside)
			if test.target != "" {
				target := test.target
				if rest, ok := cutDir(target); ok {
					target = s.Dir + rest
				}
				if err := os.Symlink(target, filepath.Join(s.Dir, linkName)); err != nil {
					t.Fatal(err)
				}
			}
			got, found, err := s.Current(test.workspace)
			if err != nil || got.ID != test.want || found != (test.want != "") {
				t.Errorf("Current(%s) = %q, %v, %v; want %q", test.workspace, got.ID, found, err, test.want)
			}
		})
	}
}

func cutDir(target string) (string, bool) {
	if len(target) > 3 && target[:3] == "DIR" {
		return target[3:], true
	}
	return "", false
}

func TestCurrentOfNoDirectory(t *testing.T) {
	t.Parallel()
	if got, found, err := newStore(t).Current("/w"); err != nil || found {
		t.Errorf("Current = %v, %v, %v", got, found, err)
	}
}

// Thousands of sessions of years do not make every event slow: only the last
// written are read.
func TestCurrentReadsFewOfManyFiles(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	put(t, s, Session{ID: "forgotten", Workspace: "/w", Status: Active})
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(s.path("forgotten"), past, past); err != nil {
		t.Fatal(err)
	}
	for i := range maxSearch - 1 {
		write(t, s, fmt.Sprintf("s%d.json", i), `{"workspace":"/w","status":"completed"}`)
	}
	if got, found, err := s.Current("/w"); err != nil || got.ID != "forgotten" || !found {
		t.Errorf("Current = %v, %v, %v; want the last of %d", got, found, err, maxSearch)
	}
	write(t, s, "one-more.json", `{}`)
	if got, found, err := s.Current("/w"); err != nil || found {
		t.Errorf("Current = %v, %v, %v; want none of the last %d", got, found, err, maxSearch)
	}
}

func TestSetCurrent(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "b"} {
		// What a kill between link and rename left does not stand in the way.
		if id == "b" {
			if err := os.Symlink("x.json", filepath.Join(s.Dir, "."+linkName)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.setCurrent(id); err != nil {
			t.Fatal(err)
		}
		if target, err := os.Readlink(filepath.Join(s.Dir, linkName)); err != nil || target != id+".json" {
			t.Errorf("current -> %q, %v; want %s.json", target, err, id)
		}
	}
	entries, err := os.ReadDir(s.Dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory has %v, %v; want the link alone", entries, err)
	}
}
