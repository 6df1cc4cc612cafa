package status

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/hook"
)

// The short way writes what the long one would.
func TestEvaluatedIsAnUpdate(t *testing.T) {
	t.Parallel()
	store, _ := testStore(t)
	at := time.Date(2026, 11, 21, 5, 0, 0, 123e6, time.UTC)
	if noted, err := store.Evaluated(t.Context(), at); noted || err != nil {
		t.Fatalf("Evaluated() without a file = %v, %v", noted, err)
	}
	tricky := hook.Hook{ID: "h", Name: "\n  \"lastEvaluatedAt\": \"\n  \"pendingHooks\": []", Event: hook.File}
	if err := store.Record(t.Context(), tricky, hook.Result{Status: hook.OK, Started: at}); err != nil {
		t.Fatal(err)
	}
	if noted, err := store.Evaluated(t.Context(), at); !noted || err != nil {
		t.Fatalf("Evaluated() = %v, %v", noted, err)
	}
	short := onDisk(t, store)
	if err := store.Update(t.Context(), func(f *File) error { f.LastEvaluatedAt = at; return nil }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(onDisk(t, store), short); diff != "" {
		t.Errorf("Evaluated() wrote another file (-Update +Evaluated):\n%s", diff)
	}
}

// Whoever reads while it is written finds a whole document, with a time in it.
func TestEvaluatedIsNeverHalf(t *testing.T) {
	t.Parallel()
	store, _ := testStore(t)
	if err := store.Update(t.Context(), func(*File) error { return nil }); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for i := range 500 {
			if noted, err := store.Evaluated(t.Context(), at.Add(time.Duration(i)*1234567*time.Millisecond)); !noted || err != nil {
				done <- fmt.Errorf("Evaluated() = %v, %w", noted, err)
				return
			}
		}
		done <- nil
	}()
	for {
		file, err := store.Read()
		if err != nil || file.LastEvaluatedAt.Year() > 2026 {
			t.Fatalf("Read() = %v, %v", file, err)
		}
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			return
		default:
		}
	}
}

// Where it is not certain what stands where, nothing is changed.
func TestEvaluatedLeavesWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	const whole = "{\n  \"hooks\": {},\n  \"lastEvaluatedAt\": \"1970-01-01T00:00:00.000Z\",\n  \"pendingHooks\": []\n}\n"
	tests := map[string]string{
		"pending":        strings.Replace(whole, "[]", "[\n    \"h\"\n  ]", 1),
		"another layout": strings.ReplaceAll(whole, "\n  ", " "),
		"another time":   strings.Replace(whole, ".000Z", "Z", 1),
		"twice":          strings.Replace(whole, "{}", "{},\n  \"pendingHooks\": []", 1),
		"cut":            whole[:60],
		"empty":          "",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, _ := testStore(t)
			if err := os.MkdirAll(store.Dir(), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(store.path(), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if noted, err := store.Evaluated(t.Context(), time.Now()); noted || err != nil || onDisk(t, store) != text {
				t.Errorf("Evaluated() = %v, %v; the file is now %q", noted, err, onDisk(t, store))
			}
		})
	}
}

func onDisk(t *testing.T, store *Store) string {
	t.Helper()
	content, err := os.ReadFile(store.path())
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
