package approval

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// LingerFor is how long late clicks should find out what was decided.
const LingerFor = time.Minute

const (
	takeover     = 10 * time.Second // between Done and ServeAnswered, at most
	takeoverPoll = 10 * time.Millisecond
)

// ServeAnswered tells late clicks what was decided, with the listener and the
// file that Options.Linger got. It ends when that time has passed, with ctx,
// or when a later [Open] needs the port and sends SIGTERM, which it catches;
// then the file is gone. The listener is closed in any case.
func ServeAnswered(ctx context.Context, listener *os.File, file string, last time.Duration) (err error) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	defer listener.Close() // again, where all is well
	tcp, err := inherited(listener)
	if err != nil {
		return fmt.Errorf("linger: %w", err)
	}
	defer tcp.Close() // again, mostly
	h, err := takeOver(ctx, file)
	if err != nil {
		return fmt.Errorf("linger: %w", err)
	}
	defer func() {
		_ = listener.Close() // whoever sees the file go finds the port free
		err = errors.Join(err, h.remove())
	}()
	base, err := parseBase(h.record.BaseURL)
	if err != nil {
		return fmt.Errorf("linger: %w", err)
	}
	door := openDoor(tcp, &desk{
		base: base, port: tcp.Addr().(*net.TCPAddr).Port, tokenSHA256: h.record.TokenSHA256, now: time.Now,
		look:   func() (record, bool) { return h.record, true },
		decide: func(answerRecord) (record, bool, error) { return h.record, false, nil },
	})
	defer door.close(farewell)
	select {
	case <-ctx.Done():
	case <-time.After(last):
	}
	return nil
}

// takeOver locks the file of a used answer and notes who serves it.
func takeOver(ctx context.Context, file string) (*held, error) {
	path, ok := strings.CutSuffix(file, recordSuffix)
	if !ok {
		return nil, fmt.Errorf("%s is no pending approval", file)
	}
	ctx, cancel := context.WithTimeout(ctx, takeover)
	defer cancel()
	lock := newLock(path)
	if _, err := lock.TryLockContext(ctx, takeoverPoll); err != nil {
		return nil, err
	}
	h := &held{path: path, lock: lock}
	r, err := readRecord(file)
	if err == nil && (r.Used == nil || r.Answer == nil) {
		err = fmt.Errorf("%s is not answered", file)
	}
	if err == nil {
		r.Used.PID, r.Used.Where = os.Getpid(), where()
		h.record, err = r, h.write(r)
	}
	if err != nil {
		return nil, errors.Join(err, h.release())
	}
	return h, nil
}
