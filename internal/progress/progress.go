// Package progress shows people that a hook is still at work: on a terminal
// one line that is drawn anew, elsewhere a plain line now and then. A hook
// that is quick shows nothing at all.
package progress

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"

	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/run"
)

const (
	drawEvery  = 200 * time.Millisecond
	firstPlain = 10 * time.Second
	plainEvery = time.Minute

	maxShown = 100 // runes of the hook's last line
	maxKept  = 4096

	eraseLine = "\r\x1b[K" // ECMA-48: carriage return, erase to the end of the line
)

// A Printer shows the progress of hooks on one writer.
type Printer struct {
	Out      io.Writer
	Terminal bool
	Width    func() int // columns of the terminal; nil or 0: not known
}

// fit cuts a line to the terminal: one that wraps could not be erased.
func (p Printer) fit(line string) string {
	if p.Width == nil {
		return line
	}
	width := p.Width()
	if runes := []rune(line); width > 1 && len(runes) >= width {
		return string(runes[:width-1])
	}
	return line
}

// Watch begins to show one hook. Its Done ends that and leaves a clean line.
func (p Printer) Watch(h hook.Hook) run.Watcher {
	w := &watcher{printer: p, name: plaintext.Line(h.Name), started: time.Now(), stop: make(chan struct{}), stopped: make(chan struct{})}
	go w.loop()
	return w
}

type watcher struct {
	printer       Printer
	name          string
	started       time.Time
	stop, stopped chan struct{}

	mu   sync.Mutex
	line []byte // what came since the last newline
	last string // the last whole line that was not blank
}

// Write remembers the last line.
func (w *watcher) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.line = append(w.line, p...)
	if end := bytes.LastIndexByte(w.line, '\n'); end >= 0 {
		whole := bytes.TrimRight(w.line[:end], "\r\n \t") // a blank line says nothing
		if text := plaintext.Line(string(whole[bytes.LastIndexByte(whole, '\n')+1:])); text != "" {
			w.last = text
		}
		w.line = append(w.line[:0], w.line[end+1:]...)
	}
	if len(w.line) > maxKept {
		w.line = append(w.line[:0], w.line[len(w.line)-maxKept:]...)
	}
	return len(p), nil
}

// Done waits until nothing is shown any more.
func (w *watcher) Done(hook.Result) {
	close(w.stop)
	<-w.stopped
}

func (w *watcher) loop() {
	defer close(w.stopped)
	next := firstPlain
	if w.printer.Terminal {
		next = drawEvery
	}
	drawn := false
	timer := time.NewTimer(next)
	defer timer.Stop()
	for {
		select {
		case <-w.stop:
			if drawn {
				_, _ = io.WriteString(w.printer.Out, eraseLine) // the terminal may be gone
			}
			return
		case <-timer.C:
		}
		if w.printer.Terminal {
			drawn = true
			_, _ = fmt.Fprintf(w.printer.Out, "%s%s", eraseLine, w.printer.fit(w.describe())) // likewise
			timer.Reset(drawEvery)
		} else {
			_, _ = fmt.Fprintln(w.printer.Out, "discobot-hooks: "+w.describe()) // likewise
			timer.Reset(plainEvery)
		}
	}
}

func (w *watcher) describe() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := fmt.Sprintf("hook %s: running for %v", w.name, time.Since(w.started).Round(time.Second))
	if w.last != "" {
		runes := []rune(w.last)
		text += ": " + string(runes[:min(len(runes), maxShown)])
	}
	return text
}
