// Package lossy writes a log to a descriptor that perhaps nobody reads. A
// line that does not find room is dropped, or its rest, and how many is said
// once there is room again: PID 1 and the start of an agent must not hang on
// a pipe.
package lossy

import (
	"fmt"
	"os"
	"sync"
)

// A Writer writes whole lines to File. It is safe for concurrent use.
type Writer struct {
	File *os.File

	mu      sync.Mutex
	dropped int
}

// Write writes p or drops it; it never waits for long. What it drops is no
// error: there is nobody to tell.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !hasRoom(w.File, w.dropped > 0) {
		w.dropped++
		return len(p), nil
	}
	if w.dropped > 0 {
		_, _ = fmt.Fprintf(w.File, "discobot-hooks: %d lines of log dropped: nobody read them\n", w.dropped)
		w.dropped = 0
	}
	// poll(2) promises room for PIPE_BUF bytes: a longer line goes in pieces.
	for rest := p; len(rest) > 0; {
		if len(rest) < len(p) && !hasRoom(w.File, false) {
			w.dropped++
			break
		}
		n, err := w.File.Write(rest[:min(len(rest), pipeBuf)])
		if err != nil {
			return len(p) - len(rest) + n, err
		}
		rest = rest[n:]
	}
	return len(p), nil
}

// pipeBuf is PIPE_BUF, what a write to a pipe does in one piece (pipe(7)).
const pipeBuf = 4096
