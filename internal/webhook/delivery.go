package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"
)

// A delivery is one request and its attempts.
type delivery struct {
	name    string // POST https://host/...
	retries int
	delay   time.Duration
	limit   time.Duration
	log     io.Writer

	attempt int // begins at 1
	began   time.Time
	wait    time.Duration // until the next attempt
	waiting bool
	failure error // of the last attempt; nil: it was answered with 2xx
}

func (d *delivery) run(ctx context.Context, transport http.RoundTripper, request *http.Request) error {
	client := &http.Client{
		Transport:     transport,
		Timeout:       d.limit,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	for {
		d.attempt++
		d.began, d.waiting = time.Now(), false
		once := request.WithContext(ctx) // a copy: the transport may still close the last attempt's body
		once.Body, _ = request.GetBody() // of bytes, which cannot fail
		resp, err := client.Do(once)
		if !d.again(ctx, resp, err) || !d.pause(ctx) {
			break
		}
	}
	if d.failure == nil {
		return nil
	}
	if d.waiting {
		d.failure = fmt.Errorf("%w while waiting to try again after %w", ctx.Err(), d.failure)
	}
	if d.attempt > 1 {
		return fmt.Errorf("%s: %w (attempt %d of %d)", d.name, d.failure, d.attempt, d.retries+1)
	}
	return fmt.Errorf("%s: %w", d.name, d.failure)
}

// pause waits for the next attempt; false where ctx ends before.
func (d *delivery) pause(ctx context.Context) bool {
	timer := time.NewTimer(d.wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// again notes how an attempt ended, and tells whether another one follows.
func (d *delivery) again(ctx context.Context, resp *http.Response, err error) bool {
	took := time.Since(d.began).Round(time.Millisecond)
	d.failure = d.plain(ctx, resp, err)
	drain(resp)
	if d.failure == nil {
		d.say("%s after %s", status(resp.StatusCode), took)
		return false
	}
	if d.attempt > d.retries || !mayImprove(ctx, d.failure, resp, err) {
		return false
	}
	d.wait = d.delay
	if wait, told := retryAfter(resp, time.Now()); told {
		d.wait = wait
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= d.wait {
		d.failure = fmt.Errorf("%w; the next attempt, in %s, would be after the time limit", d.failure, d.wait.Round(time.Millisecond))
		return false
	}
	d.waiting = true
	d.say("%s, attempt %d of %d, again in %s", d.failure, d.attempt, d.retries+1, d.wait.Round(time.Millisecond))
	return true
}

func (d *delivery) say(format string, args ...any) {
	_, _ = fmt.Fprintf(d.log, "%s: %s\n", d.name, fmt.Sprintf(format, args...)) // a log is no reason to fail
}

// mayImprove tells whether another attempt can end otherwise than one that
// failed: a connection may come about or hold the next time, but a refused
// address stays refused and a certificate wrong. Of statuses, 429 and 5xx pass;
// 501 says that the server does not know the method (RFC 9110, 15.6.2). A proxy's
// status counts as a server's does.
func mayImprove(ctx context.Context, failure error, resp *http.Response, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	code := 0
	if proxy, ok := errors.AsType[proxyStatus](failure); ok {
		code = int(proxy)
	} else if err != nil {
		_, refused := errors.AsType[*refusal](err)
		_, distrusted := errors.AsType[*tls.CertificateVerificationError](err)
		return !refused && !distrusted
	} else {
		code = resp.StatusCode
	}
	return code == http.StatusTooManyRequests || code >= 500 && code != http.StatusNotImplemented
}

// drain lets the server finish its answer: closing before would reset the
// connection. After 101 the body is the connection, which never ends.
func drain(resp *http.Response) {
	if resp == nil {
		return
	}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		_, _ = io.CopyN(io.Discard, resp.Body, maxDrained) // the status has decided
	}
	_ = resp.Body.Close() // likewise
}

// retryAfter reads both forms of RFC 9110, 10.2.3. A number too large for any
// clock is a long wait, not none.
func retryAfter(resp *http.Response, now time.Time) (time.Duration, bool) {
	if resp == nil {
		return 0, false
	}
	value := resp.Header.Get("Retry-After")
	seconds, err := strconv.ParseUint(value, 10, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(math.MaxInt64/time.Second))) * time.Second, true
	}
	date, err := http.ParseTime(value)
	return max(date.Sub(now), 0), err == nil
}
