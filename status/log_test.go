package status

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/hook"
)

func TestLog(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       hook.Output
	}{
		{"empty", "", hook.Output{}},
		{"one line", "a\n", hook.Output{Bytes: 2, Lines: 1}},
		{"no final newline", "a\nb", hook.Output{Bytes: 3, Lines: 2}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			store, _ := testStore(t)
			log, err := store.CreateLog("h")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := log.Write([]byte(test.text)); err != nil {
				t.Fatal(err)
			}
			got, err := log.Close()
			if err != nil {
				t.Fatal(err)
			}
			test.want.Path = filepath.Join(store.Dir(), "output", "h.log")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Close() mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// The first MiB and the last nine are kept, in order, whatever the size of the
// writes and wherever the ring stands at the end.
func TestLogKeepsBothEnds(t *testing.T) {
	t.Parallel()
	const limit = logHeadBytes + logTailBytes
	for _, size := range []int{limit - 1, limit, limit + 1, limit + logTailBytes/2, limit + 3*logTailBytes, 64 << 20} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			input := make([]byte, size)
			for i := range input {
				input[i] = byte('a' + i/7919%26)
			}
			store, _ := testStore(t)
			log, err := store.CreateLog("h")
			if err != nil {
				t.Fatal(err)
			}
			for rest := input; len(rest) > 0; {
				n := min(len(rest), 1+len(rest)%70000)
				if _, err := log.Write(rest[:n]); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			out, err := log.Close()
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(out.Path)
			if err != nil {
				t.Fatal(err)
			}
			want := input
			if dropped := size - limit; dropped > 0 {
				note := fmt.Sprintf("\n[discobot-hooks: %d bytes dropped here]\n", dropped)
				want = append([]byte(nil), input[:logHeadBytes]...)
				want = append(want, note...)
				want = append(want, input[size-logTailBytes:]...)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("log of %d bytes is not as expected (%d bytes, want %d)", size, len(got), len(want))
			}
		})
	}
}

// Somebody's link or pipe at the log's path is replaced, never opened.
func TestLogReplacesWhatIsThere(t *testing.T) {
	t.Parallel()
	store, _ := testStore(t)
	dir := filepath.Join(store.Dir(), "output")
	victim := filepath.Join(t.TempDir(), "victim")
	err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(victim, []byte("mine"), 0o600),
		os.Symlink(victim, filepath.Join(dir, "link.log")), syscall.Mkfifo(filepath.Join(dir, "pipe.log"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"link", "pipe"} {
		log, err := store.CreateLog(id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := log.Write([]byte("text")); err != nil {
			t.Fatal(err)
		}
		if _, err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(victim)
	if err != nil || string(got) != "mine" {
		t.Errorf("the link's target is %q, %v; want it untouched", got, err)
	}
}
