package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

const secret = "s3cret"

// secretive has it everywhere.
func secretive(scheme, host string) Request {
	return Request{
		URL:     scheme + "://u" + secret + ":p" + secret + "@" + host + "/" + secret + "?k=" + secret + "#" + secret,
		Headers: map[string]string{"X-Token": secret},
		Body:    []byte(secret),
		Retries: 1,
	}
}

// However a request fails, nothing of its secrets is in the error, in what the
// error wraps, or in the log.
func TestNoSecretIsToldWhenItFails(t *testing.T) {
	t.Parallel()
	failing := map[string]func(*testing.T) (sender, Request, string){
		"refused": func(t *testing.T) (sender, Request, string) {
			return direct(), secretive("https", closedPort(t)), "connect: connection refused (attempt 2 of 2)"
		},
		"refused, plain": func(t *testing.T) (sender, Request, string) {
			return direct(), secretive("http", closedPort(t)), "connect: connection refused (attempt 2 of 2)"
		},
		"no such name": func(t *testing.T) (sender, Request, string) {
			s := direct()
			s.resolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
				return nil, errors.New("no server")
			}}
			return s, secretive("https", "hooks.test"), "dial tcp: lookup hooks.test"
		},
		"name of a refused address": func(t *testing.T) (sender, Request, string) {
			s := direct()
			s.resolver = answering(t, net.IPv4(169, 254, 1, 1))
			return s, secretive("https", "hooks.test"), "address 169.254.1.1 refused"
		},
		"timeout": func(t *testing.T) (sender, Request, string) {
			server, s := receiver(t, func(_ http.ResponseWriter, r *http.Request) { hold(r) })
			s.limit = 100 * time.Millisecond
			return s, secretive("https", server.Listener.Addr().String()), "no answer within 100ms (attempt 2 of 2)"
		},
		"untrusted": func(t *testing.T) (sender, Request, string) {
			server, _ := receiver(t, func(http.ResponseWriter, *http.Request) { t.Error("a request came") })
			return direct(), secretive("https", server.Listener.Addr().String()), "tls: failed to verify certificate: x509: "
		},
		"certificate of another name": func(t *testing.T) (sender, Request, string) {
			server, s := receiver(t, func(http.ResponseWriter, *http.Request) { t.Error("a request came") })
			s.resolver = answering(t, net.IPv4(127, 0, 0, 1))
			_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
			return s, secretive("https", "hooks.test:"+port), "certificate is valid for example.com"
		},
		"TLS to a plain server": func(t *testing.T) (sender, Request, string) {
			server := httptest.NewServer(http.NotFoundHandler())
			t.Cleanup(server.Close)
			return direct(), secretive("https", server.Listener.Addr().String()), "the server does not speak TLS at this port"
		},
		"TLS to something else": func(t *testing.T) (sender, Request, string) {
			return direct(), secretive("https", raw(t, func(string) string { return "SSH-2.0-x\r\n" })), "tls: first record does not look like a TLS handshake"
		},
		"status": func(t *testing.T) (sender, Request, string) {
			server, s := receiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
			return s, secretive("https", server.Listener.Addr().String()), "403 Forbidden"
		},
		"status whose text echoes the request": echo("HTTP/1.1 500 %s\r\nContent-Length: 0\r\n\r\n", "500 Internal Server Error (attempt 2 of 2)"),
		"redirect":                             echo("HTTP/1.1 302 %[1]s\r\nLocation: https://%[1]s@h/%[1]s\r\nContent-Length: 0\r\n\r\n", "redirects are not followed"),
		"redirect to no URL":                   echo("HTTP/1.1 302 Found\r\nLocation: https://h:%s/\r\nContent-Length: 0\r\n\r\n", "not valid HTTP"),
		"malformed status line":                echo("%s\r\n\r\n", "the answer is not valid HTTP (attempt 2 of 2)"),
		"malformed version":                    echo("HTTP/%s 200 OK\r\n\r\n", "the answer is not valid HTTP"),
		"malformed header":                     echo("HTTP/1.1 200 OK\r\n%s\r\n\r\n", "the answer is not valid HTTP"),
		"malformed length":                     echo("HTTP/1.1 200 OK\r\nContent-Length: %s\r\n\r\n", "the answer is not valid HTTP"),
		"malformed encoding":                   echo("HTTP/1.1 200 OK\r\nTransfer-Encoding: %s\r\n\r\n", "the answer is not valid HTTP"),
		"headers without end": func(t *testing.T) (sender, Request, string) {
			return direct(), secretive("http", raw(t, func(string) string { return "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: "+secret+"\r\n", 20_000) })), ""
		},
		"closed": echo("", "the server closed the connection without an answer (attempt 2 of 2)"),
		"cut":    echo("HTTP/1.1 200", "the server closed the connection without an answer (attempt 2 of 2)"),
		"proxy that is none": func(*testing.T) (sender, Request, string) {
			s := direct()
			s.proxy = func(*http.Request) (*url.URL, error) { return nil, errors.New("invalid proxy address " + secret) }
			return s, secretive("https", "hooks.test"), "mend HTTPS_PROXY"
		},
		"proxy away": func(t *testing.T) (sender, Request, string) {
			return through(closedPort(t)), secretive("https", "hooks.test"), "proxyconnect tcp: dial tcp"
		},
		"proxy refuses": func(t *testing.T) (sender, Request, string) {
			return through(raw(t, func(string) string { return "HTTP/1.1 403 " + secret + "\r\n\r\n" })), secretive("https", "hooks.test"), "the proxy refuses: 403 Forbidden"
		},
		"proxy overloaded": func(t *testing.T) (sender, Request, string) {
			return through(raw(t, func(string) string { return "HTTP/1.1 503 " + secret + "\r\n\r\n" })), secretive("https", "hooks.test"), "the proxy refuses: 503 Service Unavailable (attempt 2 of 2)"
		},
		"proxy answers nonsense": func(t *testing.T) (sender, Request, string) {
			return through(raw(t, func(string) string { return secret + "\r\n\r\n" })), secretive("https", "hooks.test"), "the answer is not valid HTTP"
		},
		"time is up": func(t *testing.T) (sender, Request, string) {
			server, s := receiver(t, func(_ http.ResponseWriter, r *http.Request) { hold(r) })
			r := secretive("https", server.Listener.Addr().String())
			return s, r, "no answer: context deadline exceeded"
		},
	}
	for name, failure := range failing {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r, want := failure(t)
			ctx := t.Context()
			if name == "time is up" {
				timed, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
				defer cancel()
				ctx = timed
			}
			var log lines
			err := s.send(ctx, r, &log)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("send = %v, want an error with %q", err, want)
			}
			told := fmt.Sprintf("%s\n%s\n%+v", log.String(), everything(err), err)
			if strings.Contains(told, secret) {
				t.Errorf("it is told:\n%s", told)
			}
		})
	}
}

func TestNoSecretIsToldWhenItSucceeds(t *testing.T) {
	t.Parallel()
	server, s := receiver(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, secret) })
	var log lines
	err := s.send(t.Context(), secretive("https", server.Listener.Addr().String()), &log)
	if err != nil || strings.Contains(log.String(), secret) || !strings.Contains(log.String(), "200 OK") {
		t.Errorf("send = %v; the log says %q", err, log.String())
	}
}

// Check sees secrets in wrong places.
func TestNoSecretIsToldByCheck(t *testing.T) {
	t.Parallel()
	for _, u := range []string{
		secret, secret + "://h", "https:" + secret, "https://h:" + secret, "https://" + secret + "!", "https://u:" + secret + "%zz@h",
		"http://h/" + secret, "https://h/%" + secret, "https://h/ " + secret, "https://" + secret + ".127.1", "https://[" + secret + "]", "https://[::1%25" + secret + "]",
	} {
		if err := Check("", u, nil); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("Check(%q) = %v", u, err)
		}
		if shown := Show(u); strings.Contains(shown, secret) {
			t.Errorf("Show(%q) = %q", u, shown)
		}
	}
	for name, value := range map[string]string{secret + ": x": "", "X": secret + "\n", "Host": secret} {
		if err := Check("", "https://h", map[string]string{name: value}); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("Check(%q: %q) = %v", name, value, err)
		}
	}
}

// echo is a server that repeats the request's first line, with its secrets.
func echo(format, want string) func(*testing.T) (sender, Request, string) {
	return func(t *testing.T) (sender, Request, string) {
		address := raw(t, func(requestLine string) string {
			if !strings.Contains(requestLine, secret) {
				t.Errorf("the request is %q", requestLine)
			}
			if !strings.Contains(format, "%") {
				return format
			}
			return fmt.Sprintf(format, secret)
		})
		return direct(), secretive("http", address), want
	}
}

// everything is the text of an error and of all that it wraps.
func everything(err error) string {
	if err == nil {
		return ""
	}
	text := fmt.Sprintf("%s %#v\n", err, err)
	switch err := err.(type) {
	case interface{ Unwrap() error }:
		text += everything(err.Unwrap())
	case interface{ Unwrap() []error }:
		for _, wrapped := range err.Unwrap() {
			text += everything(wrapped)
		}
	}
	return text
}

// through is a sender with this proxy, whose password is secret too.
func through(address string) sender {
	s := direct()
	s.proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: address, User: url.UserPassword("u", secret)})
	return s
}

// hold never answers, not even a client that just goes: it could still read it.
func hold(r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // the server looks for the client's end only then
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

// closedPort is an address where nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	return listener.Addr().String()
}
