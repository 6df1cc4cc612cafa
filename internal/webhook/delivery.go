package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/hashicorp/go-retryablehttp"
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

func (d *delivery) run(ctx context.Context, transport http.RoundTripper, request *retryablehttp.Request) error {
	client := &retryablehttp.Client{
		HTTPClient: &http.Client{
			Transport:     transport,
			Timeout:       d.limit,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		Logger:         nil, // it would log URLs
		RetryMax:       d.retries,
		RequestLogHook: d.begin,
		CheckRetry:     d.again,
		Backoff:        func(_, _ time.Duration, _ int, _ *http.Response) time.Duration { return d.wait },
		ErrorHandler:   retryablehttp.PassthroughErrorHandler,
	}
	resp, _ := client.Do(request) // again has seen the error, which holds the URL
	if resp != nil {
		_ = resp.Body.Close() // again has read what it wants
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

func (d *delivery) begin(retryablehttp.Logger, *http.Request, int) {
	d.attempt++
	d.began, d.waiting = time.Now(), false
}

// again is asked once after each attempt. It never returns an error: those it
// was given hold the URL.
func (d *delivery) again(ctx context.Context, resp *http.Response, err error) (bool, error) {
	took := time.Since(d.began).Round(time.Millisecond)
	d.failure = d.plain(ctx, resp, err)
	drain(resp)
	if d.failure == nil {
		d.say("%s after %s", status(resp.StatusCode), took)
		return false, nil
	}
	if d.attempt > d.retries || !mayImprove(ctx, d.failure, resp, err) {
		return false, nil
	}
	d.wait = d.delay
	if wait, told := retryAfter(resp, time.Now()); told {
		d.wait = wait
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= d.wait {
		d.failure = fmt.Errorf("%w; the next attempt, in %s, would be after the time limit", d.failure, d.wait.Round(time.Millisecond))
		return false, nil
	}
	d.waiting = true
	d.say("%s, attempt %d of %d, again in %s", d.failure, d.attempt, d.retries+1, d.wait.Round(time.Millisecond))
	return true, nil
}

func (d *delivery) say(format string, args ...any) {
	_, _ = fmt.Fprintf(d.log, "%s: %s\n", d.name, fmt.Sprintf(format, args...)) // a log is no reason to fail
}

// mayImprove adds to the library's policy what only we know: a refused address
// stays refused, and a proxy's status counts as a server's does.
func mayImprove(ctx context.Context, failure error, resp *http.Response, err error) bool {
	if _, refused := errors.AsType[*refusal](failure); refused {
		return false
	}
	if code, ok := errors.AsType[proxyStatus](failure); ok {
		resp, err = &http.Response{StatusCode: int(code)}, nil
	}
	retry, _ := retryablehttp.DefaultRetryPolicy(ctx, resp, err) // its error is ctx's
	return retry
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

// retryAfter reads both forms of RFC 9110, 10.2.3. The library's own overflows
// for a large number and then waits not at all.
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
