package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"discobot-hooks/internal/plaintext"
)

// plain is how an attempt failed, in words that hold no secret; nil for a 2xx.
// It passes on only what it knows: an *url.Error holds the whole URL, and a
// malformed answer is quoted by net/http, though it may echo the request.
func (d *delivery) plain(ctx context.Context, resp *http.Response, err error) error {
	switch {
	case err == nil:
		return badStatus(resp)
	case ctx.Err() != nil:
		return fmt.Errorf("no answer: %w", ctx.Err())
	}
	if refused, ok := errors.AsType[*refusal](err); ok {
		return refused
	}
	if code, ok := errors.AsType[proxyStatus](err); ok {
		return code
	}
	if bad, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return errors.New(clip(bad.Error())) // it quotes the certificate
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %s", d.limit)
	}
	if failed, ok := errors.AsType[*net.OpError](err); ok {
		return errors.New(clip(failed.Error())) // dial, read, write, a TLS alert: addresses, names and causes
	}
	if errors.Is(err, http.ErrSchemeMismatch) {
		return errors.New("the server does not speak TLS at this port: mend the URL")
	}
	if bad, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return errors.New(bad.Error()) // the error itself holds the connection
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the server closed the connection without an answer")
	}
	return errors.New("the answer is not valid HTTP")
}

// badStatus is nil for a 2xx. Where a redirect points is shown like our own
// URL: servers put tokens there.
func badStatus(resp *http.Response) error {
	switch code := resp.StatusCode; {
	case code >= 200 && code < 300:
		return nil
	case code < 300 || code >= 400:
		return errors.New(status(code))
	}
	message := status(resp.StatusCode) + ": redirects are not followed"
	if target, err := resp.Location(); err == nil {
		if shown := show(target); shown != unshown {
			message += ": this one leads to " + shown + ", which the hook's URL could name itself"
		}
	}
	return errors.New(message)
}

const maxCause = 300 // bytes; a certificate can have hundreds of names

func clip(cause string) string {
	cause = plaintext.Line(cause)
	if len(cause) > maxCause {
		cause = strings.ToValidUTF8(cause[:maxCause], "") + "..." // the cut may be inside a character
	}
	return cause
}
