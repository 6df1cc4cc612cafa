// Package webhook sends one HTTP request to somebody else's server without
// giving away what is secret in it: not to a log, not to an error, not to a
// server it was not meant for.
//
// [Request.Send] does it; [Check] tells before anything is sent what it will
// refuse. TLS is required and always verified, except towards this machine.
// Redirects are not followed. The address is checked when it is dialled, after
// the name was resolved, so that no answer of a DNS server leads to a cloud's
// metadata service or another link-local address. Private networks are
// allowed: receivers inside a company are usual.
//
// It does not promise that a request arrives once: where an answer is lost,
// the next attempt sends the same again. What a proxy from the environment
// makes of a host's name is not seen here. The answer's body is dropped.
package webhook

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

const (
	attemptLimit = 10 * time.Second // a receiver that takes longer is as good as down
	maxDrained   = 64 << 10         // bytes of an answer that are read
	maxHeaders   = 64 << 10         // bytes of an answer's headers
)

// A Request is sent as often as it takes, but for Retries more times at most.
type Request struct {
	Method     string            // empty: POST
	URL        string            // https, or http to this machine; a user and password in it become basic authentication
	Headers    map[string]string // beside ours, or instead of them
	Body       []byte            // nil: none; it is not changed, and may not change during Send
	Retries    int               // further attempts; negative: none
	RetryDelay time.Duration     // between attempts, where the server names none; zero: at once
	Timeout    time.Duration     // of each attempt; zero, or more than that: 10 s
}

// Send returns nil when the server answered with a 2xx status. Everything else
// is an error, which never holds more of the URL than [Show] does, nothing of
// headers and body, and nothing of the answer but its status and the host that
// a redirect leads to; it wraps ctx's error when ctx ended.
//
// Another attempt follows a connection that failed, an answer that took
// longer than Timeout, and the statuses 429 and 5xx but 501; it waits RetryDelay,
// or what Retry-After says (RFC 9110, 10.2.3). Where that is later than ctx's
// deadline, Send ends at once; without a deadline it waits as long as it is
// told. Each attempt but the last failing one, which the error tells about, is
// one line in log; an error of log is ignored.
func (r Request) Send(ctx context.Context, log io.Writer) error {
	if err := Check(r.Method, r.URL, r.Headers); err != nil {
		return err
	}
	limit := attemptLimit
	if r.Timeout > 0 {
		limit = min(r.Timeout, limit)
	}
	return sender{proxy: http.ProxyFromEnvironment, limit: limit}.send(ctx, r, log)
}

// Show is what may be logged of a URL: its scheme, host and port. Of what
// [Check] would refuse for its host, and of what is no URL, nothing is shown.
func Show(target string) string {
	u, err := url.Parse(target)
	if err != nil {
		return unshown
	}
	return show(u)
}

const unshown = "the URL"

func show(u *url.URL) string {
	if u.Scheme != "https" && u.Scheme != "http" || checkHost(u) != nil {
		return unshown
	}
	return fmt.Sprintf("%s://%s/...", u.Scheme, u.Host)
}

func (r Request) method() string {
	if r.Method == "" {
		return http.MethodPost
	}
	return r.Method
}
