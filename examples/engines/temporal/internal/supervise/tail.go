package supervise

import "sync"

// tail keeps the last bytes that were written to it. It is safe for concurrent
// use: somebody may still write while it is read.
type tail struct {
	limit int // bytes

	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p[max(0, len(p)-t.limit):]...)
	t.kept = t.kept[max(0, len(t.kept)-t.limit):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}
