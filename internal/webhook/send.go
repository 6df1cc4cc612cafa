package webhook

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// A sender is how requests leave.
type sender struct {
	proxy    func(*http.Request) (*url.URL, error)
	limit    time.Duration  // for one attempt
	resolver *net.Resolver  // nil: the system's
	roots    *x509.CertPool // nil: the system's
}

func (s sender) send(ctx context.Context, r Request, log io.Writer) error {
	var body any // an empty one would be sent in chunks, which not every server takes
	if len(r.Body) > 0 {
		body = r.Body
	}
	request, err := retryablehttp.NewRequestWithContext(ctx, r.method(), r.URL, body)
	if err != nil {
		return errors.New("URL: not of the form https://HOST/PATH") // err repeats it
	}
	request.Header = r.header()
	d := &delivery{
		retries: max(r.Retries, 0), delay: r.RetryDelay, limit: s.limit, log: log,
		name:    r.method() + " " + Show(r.URL),
		failure: errors.New("nothing was sent"),
	}
	transport, err := s.transport(request.Request)
	if err != nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	defer transport.CloseIdleConnections()
	return d.run(ctx, transport, request)
}

// transport asks for the proxy once: what the environment names is trusted,
// and may be where a receiver may not.
func (s sender) transport(request *http.Request) (*http.Transport, error) {
	local := request.URL.Scheme == "http"
	dialer := &net.Dialer{Resolver: s.resolver}
	transport := &http.Transport{
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: s.roots},
		DisableKeepAlives:      true,
		DisableCompression:     true, // nobody reads the body
		MaxResponseHeaderBytes: maxHeaders,
		OnProxyConnectResponse: refusedByProxy,
	}
	if !local {
		proxy, err := s.proxy(request)
		if err != nil {
			return nil, errors.New("the proxy that the environment names is not a URL: mend HTTPS_PROXY") // err may hold its password
		}
		if proxy != nil {
			transport.Proxy = http.ProxyURL(proxy)
			return transport, nil
		}
	}
	dialer.ControlContext = guard{loopbackOnly: local}.control
	return transport, nil
}

// A proxyStatus is what a proxy answered to CONNECT. net/http's own error
// repeats the proxy's text.
type proxyStatus int

func (s proxyStatus) Error() string { return "the proxy refuses: " + status(int(s)) }

func refusedByProxy(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	if resp.StatusCode != http.StatusOK {
		return proxyStatus(resp.StatusCode)
	}
	return nil
}

// status is the number and its usual text, never the server's own: that can
// repeat what we sent.
func status(code int) string {
	if text := http.StatusText(code); text != "" {
		return fmt.Sprintf("%d %s", code, text)
	}
	return fmt.Sprintf("status %d", code)
}
