package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/sys/unix"
)

// payload is stdin with an end to waiting: agents write what they have to say at
// once, but somebody may have left stdin open and silent.
func (a *app) payload(ctx context.Context) io.Reader {
	return &patient{ctx: ctx, fd: int(a.in.Fd()), until: time.Now().Add(payloadLimit)}
}

// patient reads a descriptor for as long as there is time. It asks poll(2) before
// each read instead of reading beside a timer: another thread would take longer to
// start than most payloads to read.
type patient struct {
	ctx   context.Context // of the one payload
	fd    int
	until time.Time
}

// pollStep is how soon the end of the context is seen.
const pollStep = 100 * time.Millisecond

func (p *patient) Read(into []byte) (int, error) {
	for {
		left := time.Until(p.until)
		switch {
		case p.ctx.Err() != nil:
			return 0, context.Cause(p.ctx)
		case left <= 0:
			return 0, fmt.Errorf("nothing whole came in %v", payloadLimit)
		}
		ready := []unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}}
		n, err := unix.Poll(ready, int(min(left, pollStep).Milliseconds())+1)
		if n == 0 || errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return 0, err
		}
		got, err := unix.Read(p.fd, into)
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
			continue
		case got == 0 && err == nil && len(into) > 0:
			return 0, io.EOF
		}
		return max(got, 0), err
	}
}
