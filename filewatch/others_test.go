package filewatch_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/filewatch"
	"discobot-hooks/internal/gittest"
)

// What two evaluations of one work tree saw alike, whatever git calls it by now.
func TestSeenByAnother(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	for _, name := range []string{"edited", "kept", "later", "removed", "own"} {
		repo.Write(name, "1")
	}
	repo.Git("add", "-A")
	repo.Git("commit", "-q", "-m", "base")
	repo.Write("edited", "by them")
	repo.Write("new\xff", "by them")
	repo.Write("later", "by them")
	repo.Remove("removed")
	theirs := evaluate(t, repo)
	theirs.changed()
	repo.Write("later", "by us, after them")
	repo.Write("own", "by us")
	ours := evaluate(t, repo)
	ours.changed()
	paths := []string{"edited", "kept", "later", "new\xff", "own", "removed"}
	seen := func() []string {
		t.Helper()
		same, err := ours.scan.SeenBy(t.Context(), theirs.last, paths)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Sorted(maps.Keys(same))
	}
	want := []string{"edited", "kept", "new\xff", "removed"}
	if diff := cmp.Diff(want, seen()); diff != "" {
		t.Errorf("SeenBy() mismatch (-want +got):\n%s", diff)
	}

	// Committed, the files are clean: then their commit tells.
	repo.Git("add", "-A")
	repo.Git("commit", "-q", "-m", "all")
	ours.changed()
	if diff := cmp.Diff(want, seen()); diff != "" {
		t.Errorf("SeenBy() after a commit mismatch (-want +got):\n%s", diff)
	}
	theirs.changed()
	if diff := cmp.Diff(paths, seen()); diff != "" {
		t.Errorf("SeenBy() once they saw the commit mismatch (-want +got):\n%s", diff)
	}
}

func TestSeenByAnotherWithoutGit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	repo := gittest.Repo{Dir: dir, Env: os.Environ()}
	theirs, ours := evaluate(t, repo), evaluate(t, repo)
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(dir+"/"+name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a", "1")
	write("b", "1")
	theirs.changed()
	write("b", "2")
	ours.changed()
	same, err := ours.scan.SeenBy(t.Context(), theirs.last, []string{"a", "b", "gone"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "gone"}, slices.Sorted(maps.Keys(same))); diff != "" {
		t.Errorf("SeenBy() mismatch (-want +got):\n%s", diff)
	}
}

// Two names that are not UTF-8 must not become one on disk.
func TestSeenSurvivesJSON(t *testing.T) {
	t.Parallel()
	want := filewatch.Seen{"\xff": {Kind: "file", Hash: "1"}, "\xfe": {Kind: "file", Hash: "2"}, "base64:x": {Kind: "absent"}}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got filewatch.Seen
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("round trip mismatch (-want +got):\n%s", diff)
	}
}

// A snapshot need not be written again once a later look would learn nothing new
// from it: not as long as its stamps are too fresh to prove anything.
func TestSettled(t *testing.T) {
	t.Parallel()
	entry := filewatch.Entry{Kind: "file", Hash: "1", Mtime: 10e9, Ctime: 10e9}
	touched := entry
	touched.Mtime++
	at := func(started int64, e filewatch.Entry) filewatch.Snapshot {
		return filewatch.Snapshot{Git: true, Head: "h", Started: started, Seen: map[string]filewatch.Entry{"f": e}}
	}
	other := at(20e9, entry)
	other.Head = "i"
	tests := []struct {
		name      string
		now, last filewatch.Snapshot
		want      bool
	}{
		{"the same, looked at long after", at(30e9, entry), at(20e9, entry), true},
		{"the last look came right after the edit", at(30e9, entry), at(11e9, entry), false},
		{"touched since", at(30e9, touched), at(20e9, entry), false},
		{"another commit", at(30e9, entry), other, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := test.now.Settled(test.last); got != test.want {
				t.Errorf("Settled() = %v, want %v", got, test.want)
			}
		})
	}
}
