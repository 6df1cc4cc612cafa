package status

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/hook"
)

func testStore(t *testing.T) (*Store, *[]string) {
	t.Helper()
	var warnings []string
	store := NewStore(filepath.Join(t.TempDir(), "s1", "hooks"), func(text string) { warnings = append(warnings, text) })
	return store, &warnings
}

func put(t *testing.T, store *Store, content string) {
	t.Helper()
	if err := os.MkdirAll(store.Dir(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(store.path(), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, store *Store) map[string]any {
	t.Helper()
	data, err := os.ReadFile(store.path())
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := json.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	return document
}

// The keys and their types are design 1's, to the letter.
func TestSchema(t *testing.T) {
	t.Parallel()
	store, _ := testStore(t)
	h := hook.Hook{ID: "lint", Name: "Lint", Event: hook.File}
	started := time.Date(2026, 3, 4, 5, 6, 7, 89_000_000, time.FixedZone("", 3600))
	record := func(r hook.Result) {
		t.Helper()
		r.Started, r.Output = started, hook.Output{Path: "/s/lint.log"}
		if err := store.Record(t.Context(), h, r); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Update(t.Context(), func(f *File) error { f.AddPending("lint", "other", "lint"); return nil }); err != nil {
		t.Fatal(err)
	}
	record(hook.Result{Status: hook.OK})
	record(hook.Result{Status: hook.Failed, ExitCode: 2})
	record(hook.Result{Status: hook.TimedOut, ExitCode: 124})
	want := map[string]any{
		"hooks": map[string]any{"lint": map[string]any{
			"hookId": "lint", "hookName": "Lint", "type": "file", "lastRunAt": "2026-03-04T04:06:07.089Z",
			"lastResult": "failure", "lastExitCode": 124.0, "outputPath": "/s/lint.log",
			"runCount": 3.0, "failCount": 2.0, "consecutiveFailures": 2.0,
		}},
		"pendingHooks": []any{"other"}, "lastEvaluatedAt": "1970-01-01T00:00:00.000Z",
	}
	if diff := cmp.Diff(want, content(t, store)); diff != "" {
		t.Errorf("status.json mismatch (-want +got):\n%s", diff)
	}
}

func TestUnknownKeysAreKept(t *testing.T) {
	t.Parallel()
	store, warnings := testStore(t)
	put(t, store, `{"hooks":{"a":{"hookId":"a","engine":"ai","runCount":4}},"executionPaused":true,"pendingHooks":["a"]}`)
	if err := store.Update(t.Context(), func(f *File) error { f.LastEvaluatedAt = time.Unix(1, 0); return nil }); err != nil {
		t.Fatal(err)
	}
	document := content(t, store)
	entry := document["hooks"].(map[string]any)["a"].(map[string]any)
	if document["executionPaused"] != true || entry["engine"] != "ai" || entry["runCount"] != 4.0 {
		t.Errorf("Update() lost a key: %v", document)
	}
	if len(*warnings) > 0 {
		t.Errorf("Update() warned: %v", *warnings)
	}
}

func TestUnreadableStatusIsSetAside(t *testing.T) {
	t.Parallel()
	prepare := map[string]func(*testing.T, *Store){
		"broken JSON":   func(t *testing.T, s *Store) { put(t, s, `{"hooks":`) },
		"empty":         func(t *testing.T, s *Store) { put(t, s, "") },
		"null":          func(t *testing.T, s *Store) { put(t, s, "null") },
		"an array":      func(t *testing.T, s *Store) { put(t, s, "[]") },
		"hooks a list":  func(t *testing.T, s *Store) { put(t, s, `{"hooks":[]}`) },
		"pending a map": func(t *testing.T, s *Store) { put(t, s, `{"pendingHooks":{}}`) },
		"too large":     func(t *testing.T, s *Store) { put(t, s, strings.Repeat(" ", maxFileBytes+1)) },
		"a pipe": func(t *testing.T, s *Store) {
			put(t, s, "")
			if err := errors.Join(os.Remove(s.path()), syscall.Mkfifo(s.path(), 0o600)); err != nil {
				t.Fatal(err)
			}
		},
		"a link": func(t *testing.T, s *Store) {
			put(t, s, "")
			if err := errors.Join(os.Remove(s.path()), os.Symlink("/etc/passwd", s.path())); err != nil {
				t.Fatal(err)
			}
		},
		"a directory": func(t *testing.T, s *Store) {
			if err := os.MkdirAll(filepath.Join(s.path(), "x"), 0o700); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, prepare := range prepare {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, warnings := testStore(t)
			prepare(t, store)
			for range 2 {
				if err := store.Update(t.Context(), func(f *File) error { f.AddPending("a"); return nil }); err != nil {
					t.Fatal(err)
				}
			}
			if got := len(*warnings); got != 1 {
				t.Errorf("warned %d times, want once: %v", got, *warnings)
			}
			aside, err := filepath.Glob(store.path() + ".corrupt-*")
			if err != nil || len(aside) != 1 {
				t.Errorf("set aside: %v, %v; want one", aside, err)
			}
			if diff := cmp.Diff([]any{"a"}, content(t, store)["pendingHooks"]); diff != "" {
				t.Errorf("pendingHooks mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCountsThatAreNone(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]int64{
		"3": 3, "3.0": 3, "-1": 0, "1.5": 0, "1e300": 0, `"3"`: 0, "null": 0, "[]": 0, "9007199254740991": 9007199254740991,
	} {
		if got := count(json.RawMessage(raw)); got != want {
			t.Errorf("count(%s) = %d, want %d", raw, got, want)
		}
	}
	if got := increment(maxCount); got != maxCount {
		t.Errorf("increment(%d) = %d: it must saturate", maxCount, got)
	}
}

// Eight writers at once, in stores of their own as processes have them: every
// run is counted.
func TestConcurrentRecordsAreAllCounted(t *testing.T) {
	t.Parallel()
	store, _ := testStore(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			own := NewStore(store.Dir(), func(string) {})
			for range 10 {
				if err := own.Record(t.Context(), hook.Hook{ID: "a"}, hook.Result{Status: hook.OK}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	file, err := store.Read()
	if err != nil {
		t.Fatal(err)
	}
	if got := file.Hooks["a"].RunCount; got != 80 {
		t.Errorf("runCount = %d, want 80", got)
	}
}

func TestLockTurnWaitsAndCanBeGivenUp(t *testing.T) {
	t.Parallel()
	store, _ := testStore(t)
	unlock, err := store.LockTurn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	if _, err := store.LockTurn(ctx); !errors.Is(err, enough) {
		t.Errorf("LockTurn() while locked = %v, want the context's cause", err)
	}
	unlock()
	again, err := store.LockTurn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again()
}

func TestNoTemporaryFileIsLeft(t *testing.T) {
	t.Parallel()
	store, _ := testStore(t)
	if err := store.Update(t.Context(), func(*File) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := store.Update(t.Context(), func(*File) error { return errors.New("no") }); err == nil {
		t.Error("Update() hides the change's error")
	}
	entries, err := os.ReadDir(store.Dir())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if diff := cmp.Diff([]string{".lock", "status.json"}, names); diff != "" {
		t.Errorf("state directory mismatch (-want +got):\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"hooks":{"a":{"hookId":"a","runCount":1,"x":[1]}},"pendingHooks":["a"],"lastEvaluatedAt":"2026-01-01T00:00:00Z","y":{}}`))
	f.Add([]byte(`{"hooks":{"a":null}}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parse(data)
		if err != nil {
			return
		}
		first, err := file.encode()
		if err != nil {
			t.Fatalf("encode: %v", err)
		}
		again, err := parse(first)
		if err != nil {
			t.Fatalf("parse what encode wrote: %v\n%s", err, first)
		}
		second, err := again.encode()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(first), string(second)); diff != "" {
			t.Errorf("not stable (-first +second):\n%s", diff)
		}
	})
}
