package webhook

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Whatever passes is asked of net/http itself: it must accept it, and dial the
// host that was looked at.
func FuzzCheck(f *testing.F) {
	for _, u := range []string{
		"https://hooks.slack.com/x?y#z", "http://localhost@evil", "http://127.0.0.1.evil.com", "HTTP://LOCALHOST", "//host", "file:/x",
		"http://0x7f.1", "http://127.1", "http://127.0.0.1:80", "http://u:p@localhost", "http://:80", "http://[::1%25lo]", "http://[::1]:1",
		"http://localhost.", "http://local\x00host", `http://localhost\@evil`, "http://[::ffff:127.0.0.1]", "http://%6cocalhost", "http://127。0。0。1",
		"http://localhost:", "https://xn--a", "https:a", "https://h:0", "http://[127.0.0.1]", "https://[64:ff9b::a9fe:a9fe]",
	} {
		f.Add("POST", u, "X-Y", "z")
	}
	f.Add("post", "https://h", "", "\r\n")
	f.Add("A B", "https://h", "content-length", "1")
	f.Fuzz(func(t *testing.T, method, target, name, value string) {
		if Check(method, target, map[string]string{name: value}) != nil {
			_ = Show(target) // must not panic either
			return
		}
		u, err := url.Parse(target)
		if err != nil {
			t.Fatal(err)
		}
		dialled := dialledFor(t, Request{Method: method, URL: target, Headers: map[string]string{name: value}})
		if dialled != u.Hostname() {
			t.Errorf("Check looked at %q, net/http dials %q", u.Hostname(), dialled)
		}
		if ip := net.ParseIP(dialled); u.Scheme != "https" && dialled != "localhost" && (ip == nil || !ip.IsLoopback()) {
			t.Errorf("plain http goes to %q", dialled)
		}
		if !strings.Contains(Show(target), dialled) {
			t.Errorf("Show(%q) = %q", target, Show(target))
		}
	})
}

// dialledFor is the host that net/http would connect to.
func dialledFor(t *testing.T, r Request) (host string) {
	t.Helper()
	stop := errors.New("stop")
	transport := &http.Transport{DialContext: func(_ context.Context, _, address string) (net.Conn, error) {
		var err error
		if host, _, err = net.SplitHostPort(address); err != nil {
			t.Error(err)
		}
		return nil, stop
	}}
	request, err := http.NewRequestWithContext(t.Context(), r.method(), r.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = r.header()
	if _, err := transport.RoundTrip(request); !errors.Is(err, stop) {
		t.Errorf("net/http refuses what Check let pass: %v", err)
	}
	return host
}
