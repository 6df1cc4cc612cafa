package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// exchange is what a receiver saw of a request.
type exchange struct {
	Method, Path, Body string
	Header             map[string]string
}

func TestWhatIsSent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, user string
		request    Request // with the URL's path only
		want       exchange
	}{
		{"body", "", Request{URL: "/x?y=z", Body: []byte(`{"a":1}`)}, exchange{"POST", "/x?y=z", `{"a":1}`, map[string]string{
			"Content-Type": "application/json", "User-Agent": "discobot-hooks", "Content-Length": "7"}}},
		{"no body", "", Request{Method: "GET", URL: "/"}, exchange{"GET", "/", "", map[string]string{"User-Agent": "discobot-hooks"}}},
		{"empty body", "", Request{URL: "/", Body: []byte{}}, exchange{"POST", "/", "", map[string]string{
			"Content-Type": "application/json", "User-Agent": "discobot-hooks", "Content-Length": "0"}}},
		{"headers of the hook win", "", Request{URL: "/", Body: []byte("a"), Headers: map[string]string{
			"content-type": "text/plain", "USER-AGENT": "me", "X-Token": "t"}}, exchange{"POST", "/", "a", map[string]string{
			"Content-Type": "text/plain", "User-Agent": "me", "X-Token": "t", "Content-Length": "1"}}},
		{"user and password", "u:p@", Request{Method: "GET", URL: "/"}, exchange{"GET", "/", "", map[string]string{
			"User-Agent": "discobot-hooks", "Authorization": "Basic dTpw"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got exchange
			server, s := receiver(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				got = exchange{r.Method, r.RequestURI, string(body), map[string]string{}}
				for name := range r.Header {
					got.Header[name] = r.Header.Get(name)
				}
				delete(got.Header, "Connection") // close, as keep-alive is off
			})
			test.request.URL = "https://" + test.user + server.Listener.Addr().String() + test.request.URL
			if err := s.send(t.Context(), test.request, io.Discard); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("request mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLog(t *testing.T) {
	t.Parallel()
	const body = `{"text":"again and again"}`
	attempts := 0
	server, s := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		if sent, _ := io.ReadAll(r.Body); string(sent) != body {
			t.Errorf("attempt %d has the body %q", attempts+1, sent)
		}
		w.WriteHeader([]int{503, 429, 202}[attempts])
		attempts++
	})
	var log lines
	err := s.send(t.Context(), Request{URL: server.URL + "/s3cret", Body: []byte(body), Retries: 3, RetryDelay: time.Millisecond}, &log)
	if err != nil {
		t.Fatal(err)
	}
	name := "POST " + server.URL + "/...: "
	want := name + "503 Service Unavailable, attempt 1 of 4, again in 1ms\n" +
		name + "429 Too Many Requests, attempt 2 of 4, again in 1ms\n" +
		name + "202 Accepted after TIME\n"
	got := regexp.MustCompile(`after [0-9]\S*`).ReplaceAllString(log.String(), "after TIME")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("log mismatch (-want +got):\n%s", diff)
	}
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		status, attempts int
		want             string
	}{
		{200, 1, ""}, {201, 1, ""}, {204, 1, ""}, {299, 1, ""},
		{304, 1, "304 Not Modified: redirects are not followed"},
		{400, 1, "400 Bad Request"}, {404, 1, "404 Not Found"}, {408, 1, "408 Request Timeout"}, {499, 1, "status 499"},
		{429, 3, "429 Too Many Requests (attempt 3 of 3)"},
		{500, 3, "500 Internal Server Error (attempt 3 of 3)"},
		{501, 1, "501 Not Implemented"},
		{503, 3, "503 Service Unavailable (attempt 3 of 3)"},
		{599, 3, "status 599 (attempt 3 of 3)"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.status), func(t *testing.T) {
			t.Parallel()
			attempts := 0
			server, s := receiver(t, func(w http.ResponseWriter, _ *http.Request) { attempts++; w.WriteHeader(test.status) })
			err := s.send(t.Context(), Request{URL: server.URL, Retries: 2}, io.Discard)
			want := test.want
			if want != "" {
				want = "POST " + server.URL + "/...: " + want
			}
			if message(err) != want || attempts != test.attempts {
				t.Errorf("after %d attempts: %v, want %s after %d", attempts, err, want, test.attempts)
			}
		})
	}
}

// A server may answer before it has read the request, and the transport then
// still has the last attempt's body in hand when the next one begins.
func TestEachAttemptSendsAllOfTheBody(t *testing.T) {
	t.Parallel()
	sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	attempts := 0
	server, s := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		if attempts++; attempts < 4 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if got, err := io.ReadAll(r.Body); err != nil || !bytes.Equal(got, sent) {
			t.Errorf("the last attempt's body has %d bytes (%v), want %d", len(got), err, len(sent))
		}
	})
	request := Request{URL: server.URL, Body: sent, Retries: 9, RetryDelay: time.Millisecond}
	if err := s.send(t.Context(), request, io.Discard); err != nil || attempts < 4 {
		t.Errorf("after %d attempts: %v", attempts, err)
	}
}

func TestWrongCertificateIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	server, s := receiver(t, func(http.ResponseWriter, *http.Request) {})
	s.roots = nil // the system's, which know nothing of this server
	var log lines
	err := s.send(t.Context(), Request{URL: server.URL, Retries: 2}, &log)
	if err == nil || log.String() != "" || strings.Contains(err.Error(), "attempt") {
		t.Errorf("send = %v; the log says %q", err, log.String())
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	const leads, couldName = ": redirects are not followed: this one leads to ", ", which the hook's URL could name itself"
	tests := []struct{ name, location, want string }{
		{"elsewhere", "https://u:s3cret@other.example:444/s3cret?s3cret", leads + "https://other.example:444/..." + couldName},
		{"to http", "http://169.254.169.254/", leads + "http://169.254.169.254/..." + couldName},
		{"nowhere", "", ": redirects are not followed"},
		{"file", "file:///etc/passwd", ": redirects are not followed"},
		{"host that is none", "https://s3cret!/", ": redirects are not followed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, code := range []int{301, 302, 303, 307, 308} {
				attempts := 0
				server, s := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
					attempts++
					if test.location != "" {
						w.Header().Set("Location", test.location)
					}
					w.WriteHeader(code)
				})
				err := s.send(t.Context(), Request{URL: server.URL, Body: []byte("x"), Retries: 2}, io.Discard)
				want := "POST " + server.URL + "/...: " + status(code) + test.want
				if message(err) != want || attempts != 1 {
					t.Errorf("after %d attempts: %v, want %s after 1", attempts, err, want)
				}
			}
		})
	}
	t.Run("on the same host", func(t *testing.T) {
		t.Parallel()
		server, s := receiver(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/s3cret", http.StatusFound) })
		err := s.send(t.Context(), Request{URL: server.URL}, io.Discard)
		want := "POST " + server.URL + "/...: 302 Found" + leads + server.URL + "/..." + couldName
		if message(err) != want {
			t.Errorf("send = %v, want %s", err, want)
		}
	})
}

// A body that never ends, or that is a connection, must not hold the hook.
func TestAnswersWithoutAnEnd(t *testing.T) {
	t.Parallel()
	t.Run("a long body", func(t *testing.T) {
		t.Parallel()
		sent := 0
		server, s := receiver(t, func(w http.ResponseWriter, r *http.Request) {
			for block := make([]byte, 32<<10); sent < 1<<30 && r.Context().Err() == nil; {
				n, err := w.Write(block)
				sent += n
				if err != nil {
					return
				}
			}
		})
		if err := s.send(t.Context(), Request{URL: server.URL}, io.Discard); err != nil {
			t.Error(err)
		}
		server.Close() // waits for the answer's end
		if sent == 1<<30 {
			t.Error("a whole GiB was read")
		}
	})
	t.Run("101", func(t *testing.T) {
		t.Parallel()
		address := raw(t, func(string) string {
			return "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"
		})
		err := direct().send(t.Context(), Request{URL: "http://" + address}, io.Discard)
		if want := "POST http://" + address + "/...: 101 Switching Protocols"; message(err) != want {
			t.Errorf("send = %v, want %s", err, want)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := []struct {
		value string
		want  time.Duration
		told  bool
	}{
		{"", 0, false}, {"soon", 0, false}, {"-1", 0, false}, {"1.5", 0, false},
		{"0", 0, true}, {"7", 7 * time.Second, true},
		{"9999999999999", 9223372036 * time.Second, true}, // overflows a time.Duration
		{"99999999999999999999999", 9223372036 * time.Second, true},
		{"Fri, 02 Jan 2026 03:04:15 GMT", 10 * time.Second, true},
		{"Friday, 02-Jan-26 03:04:15 GMT", 10 * time.Second, true},
		{"Fri Jan  2 03:04:15 2026", 10 * time.Second, true},
		{"Fri, 02 Jan 2026 03:04:00 GMT", 0, true},
	}
	for _, test := range tests {
		got, told := retryAfter(&http.Response{Header: http.Header{"Retry-After": {test.value}}}, now)
		if got != test.want || told != test.told {
			t.Errorf("retryAfter(%q) = %s, %v; want %s, %v", test.value, got, told, test.want, test.told)
		}
	}
}

func TestRetryAfterComesBeforeTheDelay(t *testing.T) {
	t.Parallel()
	attempts := 0
	server, s := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
		if attempts++; attempts == 1 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	var log lines
	if err := s.send(t.Context(), Request{URL: server.URL, Retries: 1, RetryDelay: time.Hour}, &log); err != nil {
		t.Fatal(err)
	}
	if want := "503 Service Unavailable, attempt 1 of 2, again in 0s\n"; !strings.Contains(log.String(), want) {
		t.Errorf("the log is %q, want %q in it", log.String(), want)
	}
}

func TestWaitBeyondTheDeadlineEndsAtOnce(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]string{"Retry-After": "7200", "delay": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, s := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", header)
				w.WriteHeader(http.StatusTooManyRequests)
			})
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			err := s.send(ctx, Request{URL: server.URL, Retries: 1, RetryDelay: 2 * time.Hour}, io.Discard)
			want := "POST " + server.URL + "/...: 429 Too Many Requests; the next attempt, in 2h0m0s, would be after the time limit"
			if message(err) != want {
				t.Errorf("send = %v, want %s", err, want)
			}
		})
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	t.Run("while waiting", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		server, s := receiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
		err := s.send(ctx, Request{URL: server.URL, Retries: 1, RetryDelay: time.Hour}, writerFunc(func() { cancel() }))
		want := "POST " + server.URL + "/...: context canceled while waiting to try again after 502 Bad Gateway"
		if message(err) != want || !errors.Is(err, context.Canceled) {
			t.Errorf("send = %v, want %s", err, want)
		}
	})
	t.Run("while sending", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		server, s := receiver(t, func(_ http.ResponseWriter, r *http.Request) { cancel(); hold(r) })
		err := s.send(ctx, Request{URL: server.URL, Retries: 1}, io.Discard)
		want := "POST " + server.URL + "/...: no answer: context canceled"
		if message(err) != want || !errors.Is(err, context.Canceled) {
			t.Errorf("send = %v, want %s", err, want)
		}
	})
}

// writerFunc is called when a line is written.
type writerFunc func()

func (f writerFunc) Write(p []byte) (int, error) { f(); return len(p), nil }

func TestSendRefusesWhatCheckRefuses(t *testing.T) {
	t.Parallel()
	err := Request{URL: "http://evil.example/s3cret"}.Send(t.Context(), io.Discard)
	if want := Check("", "http://evil.example/s3cret", nil); message(err) != message(want) || err == nil {
		t.Errorf("Send = %v, want %v", err, want)
	}
}

// A certificate can have hundreds of names, of any bytes.
func TestCausesAreShortAndPlain(t *testing.T) {
	t.Parallel()
	got := clip("x509: \x1b[31m\n" + strings.Repeat("ä", maxCause))
	if want := "x509: " + strings.Repeat("ä", (maxCause-len("x509: "))/2) + "..."; got != want {
		t.Errorf("clip = %q, want %q", got, want)
	}
}
