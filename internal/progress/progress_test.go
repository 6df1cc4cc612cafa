package progress

import (
	"bytes"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/hook"
)

// buffer is a writer that a watcher's goroutine may use.
type buffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out buffer
		w := Printer{Out: &out, Terminal: true}.Watch(hook.Hook{Name: "Lint\x1b[31m"})
		_, _ = w.Write([]byte("first\n\x1b[1msecond\n\npart"))
		time.Sleep(drawEvery + time.Millisecond)
		w.Done(hook.Result{})
		want := eraseLine + "hook Lint: running for 0s: second" + eraseLine
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("terminal mismatch (-want +got):\n%s", diff)
		}
	})
}

// A line that wraps could not be erased again.
func TestTerminalWidth(t *testing.T) {
	t.Parallel()
	p := Printer{Width: func() int { return 10 }}
	for line, want := range map[string]string{"123456789": "123456789", "1234567890": "123456789", "ü": "ü"} {
		if got := p.fit(line); got != want {
			t.Errorf("fit(%q) = %q, want %q", line, got, want)
		}
	}
}

func TestPlainLines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out buffer
		w := Printer{Out: &out}.Watch(hook.Hook{Name: "Build"})
		time.Sleep(5 * time.Second)
		if out.String() != "" {
			t.Errorf("a hook that is quick shows %q", out.String())
		}
		_, _ = w.Write([]byte("compiling\n"))
		time.Sleep(firstPlain + plainEvery - 4*time.Second)
		w.Done(hook.Result{})
		want := "discobot-hooks: hook Build: running for 10s: compiling\ndiscobot-hooks: hook Build: running for 1m10s: compiling\n"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("plain lines mismatch (-want +got):\n%s", diff)
		}
	})
}

// An escape sequence cut in two is still one; a line without end does not pile
// up in memory.
func TestStream(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := &Stream{To: &out}
	for _, part := range []string{"a\n\x1b[3", "1mred\x1b[0m\nlast"} {
		if n, err := s.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatalf("Write() = %d, %v", n, err)
		}
	}
	s.Done(hook.Result{})
	if diff := cmp.Diff("a\nred\nlast\n", out.String()); diff != "" {
		t.Errorf("stream mismatch (-want +got):\n%s", diff)
	}
	endless := bytes.Repeat([]byte("x"), 3000)
	for range 1000 {
		_, _ = s.Write(endless)
	}
	if cap(s.rest) > 4*maxKept {
		t.Errorf("a line without end holds %d bytes", cap(s.rest))
	}
}

func TestQuickHookShowsNothing(t *testing.T) {
	t.Parallel()
	for _, terminal := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var out buffer
			Printer{Out: &out, Terminal: terminal}.Watch(hook.Hook{Name: "h"}).Done(hook.Result{})
			if out.String() != "" {
				t.Errorf("shown: %q", out.String())
			}
		})
	}
}
