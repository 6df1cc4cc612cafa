package status

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/hook"
)

// A hook of another format that has the id of one of ours shares nothing with
// it: not the entry, not the log, and least of all what is pending.
func TestRecordOfAnotherDialect(t *testing.T) {
	t.Parallel()
	store, _ := testStore(t)
	ours := hook.Hook{ID: "lint", Event: hook.File}
	theirs := hook.Hook{ID: "lint", Dialect: "registry", Event: "SessionStop"}
	if err := store.Update(t.Context(), func(f *File) error { f.AddPending("lint"); return nil }); err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, h := range []hook.Hook{ours, theirs} {
		recording, err := store.Begin(h)
		if err != nil {
			t.Fatal(err)
		}
		result := hook.Result{Status: hook.OK}
		if h.Dialect == "" {
			result = hook.Result{Status: hook.Failed, ExitCode: 1}
		}
		result, err = recording.End(t.Context(), result)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, result.Output.Path)
	}
	file, err := store.Read()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"lint"}, file.PendingHooks); diff != "" {
		t.Errorf("pending mismatch (-want +got):\n%s", diff)
	}
	if file.Hooks["lint"].Type != "file" || file.Hooks["registry.lint"].Type != "registry" || paths[0] == paths[1] {
		t.Errorf("entries %v, logs %v", file.Hooks, paths)
	}
}

// Nor in the other order: our hook takes its id, and theirs keeps its counts.
func TestRecordOfOursAfterAnotherDialect(t *testing.T) {
	t.Parallel()
	store, _ := testStore(t)
	ours := hook.Hook{ID: "lint", Event: hook.File}
	theirs := hook.Hook{ID: "lint", Dialect: "registry", Event: "SessionStop"}
	for _, h := range []hook.Hook{theirs, theirs, ours, theirs} {
		recording, err := store.Begin(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := recording.End(t.Context(), hook.Result{Status: hook.OK}); err != nil {
			t.Fatal(err)
		}
	}
	file, err := store.Read()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for key, run := range file.Hooks {
		got[key+" "+run.Type] = run.RunCount
	}
	if diff := cmp.Diff(map[string]int64{"lint file": 1, "registry.lint registry": 3}, got); diff != "" {
		t.Errorf("runs mismatch (-want +got):\n%s", diff)
	}
}

// Runs of one hook at the same moment each have a log; the last one's stays.
func TestBeginAtOnce(t *testing.T) {
	t.Parallel()
	store, _ := testStore(t)
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			recording, err := store.Begin(hook.Hook{ID: "a", Dialect: "registry"})
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := recording.End(t.Context(), hook.Result{Status: hook.OK}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if file, err := store.Read(); err != nil || file.Hooks["a"].RunCount != 40 {
		t.Errorf("%+v, %v: want 40 runs", file, err)
	}
}
