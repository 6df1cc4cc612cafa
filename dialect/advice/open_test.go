package advice

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
)

func TestAgent(t *testing.T) {
	t.Parallel()
	data := func(agent any) map[string]any { return map[string]any{"agent": agent} }
	const none = "no agent named (--agent, the event's agent, or BD_ACTOR): no advice applies"
	for _, test := range []struct {
		name    string
		options Options
		data    map[string]any
		want    string
		notes   []string
	}{
		{name: "1a.8 flag before event", options: Options{Agent: "a", Actor: "c"}, data: data("b"), want: "a"},
		{name: "1a.8 event before BD_ACTOR", options: Options{Actor: "c"}, data: data("b"), want: "b"},
		{name: "1a.8 BD_ACTOR", options: Options{Actor: "c"}, data: data(""), want: "c"},
		{name: "1a.8 none", notes: []string{none}},
		{name: "1a.8 none, for all that is subscribed", options: Options{Subscribe: []string{"testing"}}, data: data(nil), notes: []string{none}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.options.Issues = strings.NewReader(lines(line("bd-1", nil)))
			f := New(test.options)
			set, err := f.Load()
			if err != nil {
				t.Fatal(err)
			}
			var notes []string
			ev := &dialect.Event{Name: "before-commit", Data: test.data, Warn: func(text string) { notes = append(notes, text) }}
			if err := f.Open(context.Background(), ev); err != nil {
				t.Fatal(err)
			}
			if f.agent != test.want {
				t.Errorf("agent %q, want %q", f.agent, test.want)
			}
			if diff := cmp.Diff(test.notes, notes); diff != "" {
				t.Errorf("notes mismatch (-want +got):\n%s", diff)
			}
			reason := ""
			if test.want == "" {
				reason = "no agent named"
			}
			if got := set.Hooks[0].Match(ev); got != reason {
				t.Errorf("Match() = %q, want %q", got, reason)
			}
		})
	}
}

func TestOpenTakesNoOtherAgent(t *testing.T) {
	t.Parallel()
	f := New(Options{Actor: "c"})
	if err := f.Open(context.Background(), &dialect.Event{Data: map[string]any{"agent": 5}}); err == nil {
		t.Error("an agent that is a number is taken for none")
	}
}

func TestSession(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		given string
		data  any
		want  string
	}{{"s", "t", "s"}, {"", "t", "t"}, {"", 5, ""}, {"", nil, ""}} {
		ev := &dialect.Event{Session: test.given, Data: map[string]any{"session_id": test.data}}
		if err := New(Options{Agent: "a"}).Open(context.Background(), ev); err != nil || ev.Session != test.want {
			t.Errorf("session of %q and %v: %q, %v", test.given, test.data, ev.Session, err)
		}
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	workspace, outside := t.TempDir(), t.TempDir()
	inside := filepath.Join(workspace, "sub", "i.jsonl")
	elsewhere := filepath.Join(outside, "i.jsonl")
	for _, path := range []string{inside, elsewhere} {
		writeFile(t, path, line("bd-1", nil))
	}
	link := filepath.Join(outside, "link")
	if err := os.Symlink(elsewhere, link); err != nil {
		t.Fatal(err)
	}

	t.Run("1a.16 missing file", func(t *testing.T) {
		t.Parallel()
		if set, err := New(Options{Workspace: workspace}).Load(); err != nil || len(set.Hooks)+len(set.Problems) > 0 {
			t.Errorf("Load() = %v, %v", set, err)
		}
	})
	t.Run("1a.16 missing file that was named", func(t *testing.T) {
		t.Parallel()
		if _, err := New(Options{Workspace: workspace, File: filepath.Join(outside, "none")}).Load(); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Load() = %v", err)
		}
	})
	t.Run("a link is not followed", func(t *testing.T) {
		t.Parallel()
		if _, err := New(Options{Workspace: workspace, File: link}).Load(); err == nil {
			t.Error("Load() follows a link")
		}
	})
	t.Run("a directory in place of the file", func(t *testing.T) {
		t.Parallel()
		workspace := t.TempDir()
		writeFile(t, filepath.Join(workspace, DefaultFile, "x"), "")
		_, err := New(Options{Workspace: workspace}).Load()
		file, ok := errors.AsType[*dialect.FileError](err)
		if !ok || file.File != DefaultFile || file.Severity != hook.Error {
			t.Errorf("Load() = %v", err)
		}
	})
	for path, want := range map[string]string{inside: "sub/i.jsonl", elsewhere: elsewhere} {
		set, err := New(Options{Workspace: workspace, File: path}).Load()
		if err != nil || len(set.Hooks) != 1 {
			t.Fatalf("Load() = %v, %v", set, err)
		}
		if got := set.Hooks[0].Info().File; got != want {
			t.Errorf("file %q, want %q", got, want)
		}
	}
}

func writeFile(t testing.TB, path, content string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(content), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
