package webhook

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheckURL(t *testing.T) {
	t.Parallel()
	const (
		form     = "URL: not of the form https://HOST/PATH"
		noHost   = "URL: no host: write https://HOST/PATH"
		unusual  = "URL: host is neither a name nor an address in its usual form, as 127.0.0.1"
		notHost  = "URL: host is neither a name nor an address"
		scheme   = "URL: neither https nor http: write https://HOST/PATH"
		badPort  = "URL: port is not one of 1 to 65535"
		zone     = "URL: address with a zone: only link-local ones have one, and those are refused"
		charAt   = "URL: a space, backslash, control or non-ASCII character at byte "
		charHelp = ": percent-encode it, write a host's name in punycode"
		onlyHere = ": http is for localhost, 127.0.0.0/8 and [::1] only: use https"
	)
	tests := []struct{ name, url, want string }{
		{"https", "https://hooks.slack.com/services/T/B/X?a=b", ""},
		{"https with a port", "https://hooks.corp.example:8443/x", ""},
		{"https, empty port", "https://hooks.corp.example:/x", ""},
		{"https, private address", "https://10.1.2.3/x", ""},
		{"https, this machine", "https://127.0.0.1/x", ""},
		{"https, IPv6", "https://[2001:db8::1]:8443/x", ""},
		{"https, fully qualified by a dot", "https://hooks.slack.com./x", ""},
		{"https, underscore of a container network", "https://chat_server/x", ""},
		{"https, basic authentication", "https://user:pass@hooks.example/x", ""},
		{"https, upper case", "HTTPS://HOOKS.EXAMPLE/x", ""},
		{"http to localhost", "http://localhost:8765/callback", ""},
		{"http to 127.0.0.1", "http://127.0.0.1:8765/", ""},
		{"http to another of 127.0.0.0/8", "http://127.255.0.3/", ""},
		{"http to ::1", "http://[::1]:8765/", ""},
		{"http to ::1 in long", "http://[0:0:0:0:0:0:0:1]/", ""},
		{"http to localhost, upper case scheme", "HTTP://localhost/", ""},
		{"empty", "", "URL: empty: set the variable that it comes from"},
		{"http elsewhere", "http://evil.example/secret", "URL: http://evil.example/..." + onlyHere},
		{"http elsewhere, upper case", "HTTP://evil.example/secret", "URL: http://evil.example/..." + onlyHere},
		{"localhost as a user", "http://localhost@evil.example/", "URL: http://evil.example/..." + onlyHere},
		{"localhost and port as user and password", "http://localhost:80@evil.example/", "URL: http://evil.example/..." + onlyHere},
		{"127.0.0.1 as a subdomain", "http://127.0.0.1.evil.com/", "URL: http://127.0.0.1.evil.com/..." + onlyHere},
		{"localhost as a subdomain", "http://localhost.evil.com/", "URL: http://localhost.evil.com/..." + onlyHere},
		{"localhost with a dot", "http://localhost./", "URL: http://localhost./..." + onlyHere},
		{"localhost in upper case", "http://LOCALHOST/", "URL: http://LOCALHOST/..." + onlyHere},
		{"private address by http", "http://10.0.0.1/", "URL: http://10.0.0.1/..." + onlyHere},
		{"mapped loopback by http", "http://[::ffff:127.0.0.1]/", "URL: http://[::ffff:127.0.0.1]/..." + onlyHere},
		{"unspecified by http", "http://0.0.0.0/", "URL: http://0.0.0.0/..." + onlyHere},
		{"no scheme", "//localhost/x", scheme},
		{"file", "file:///etc/passwd", scheme},
		{"ftp", "ftp://localhost/", scheme},
		{"unix", "http+unix://localhost/", scheme},
		{"a token in the URL's place", "xoxb-123-secret", scheme},
		{"opaque", "https:hooks.example/x", form},
		{"port that is a secret", "https://host:s3cret/", form},
		{"no host", "https:///secret", noHost},
		{"no host but a port", "https://:443/", noHost},
		{"no host but a user", "https://user@/", noHost},
		{"port 0", "https://h:0/", badPort},
		{"port too large", "https://h:65536/", badPort},
		{"hexadecimal and short address", "http://0x7f.1/", unusual},
		{"short address", "http://127.1/", unusual},
		{"address as one number", "http://2130706433/", unusual},
		{"octal address", "http://0177.0.0.1/", unusual},
		{"short address, https", "https://10.1/", unusual},
		{"metadata as one number, for a proxy", "https://0xa9fea9fe/", unusual},
		{"metadata with a dot, for a proxy", "https://169.254.169.254./", unusual},
		{"too long", "https://" + strings.Repeat("a", 254) + "/", unusual},
		{"template left in", "https://${HOST}/x", form},
		{"other characters", "https://a!b/", notHost},
		{"percent-encoded letters beyond ASCII", "http://%e2%93%9bocalhost/", notHost},
		{"zone", "http://[::1%25eth0]/", zone},
		{"zone of a link-local address", "https://[fe80::1%25eth0]/", zone},
		{"ideographic dots", "http://127。0。0。1/", charAt + "11" + charHelp},
		{"backslash", `https://hooks.example\@evil.example/`, charAt + "22" + charHelp},
		{"line break at the end", "https://hooks.example/x\n", charAt + "24" + charHelp},
		{"line break in the path", "https://hooks.example/\r\nHost: x", charAt + "23" + charHelp},
		{"space in the query splits the request's line", "https://hooks.example/?a b", charAt + "25" + charHelp},
		{"NUL", "https://hooks.example\x00/", charAt + "22" + charHelp},
		{"link-local", "https://169.254.169.254/latest", "URL: address 169.254.169.254 refused: link-local addresses are the machine's and the cloud's own"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, message(Check("POST", test.url, nil))); diff != "" {
				t.Errorf("Check(%q) mismatch (-want +got):\n%s", test.url, diff)
			}
		})
	}
}

func TestCheckMethod(t *testing.T) {
	t.Parallel()
	const letters = "method: not in upper case letters: write it as in POST"
	for method, want := range map[string]string{
		"": "", "POST": "", "GET": "", "PATCH": "", "M-SEARCH": "",
		"post": letters, "PO ST": letters, "POST\r\nX: y": letters, "PÖST": letters,
		"CONNECT": "method: CONNECT is for proxies and tests: use POST",
		"TRACE":   "method: TRACE is for proxies and tests: use POST",
	} {
		if diff := cmp.Diff(want, message(Check(method, "https://h/", nil))); diff != "" {
			t.Errorf("Check(%q) mismatch (-want +got):\n%s", method, diff)
		}
	}
}

func TestCheckHeaders(t *testing.T) {
	t.Parallel()
	const control = ": its value has a line break or another control character: take it out"
	tests := []struct {
		name    string
		headers map[string]string
		want    string
	}{
		{"usual", map[string]string{"Authorization": "Bearer x", "content-type": "text/plain", "X_y.z": "ä\tb"}, ""},
		{"line break", map[string]string{"X": "s3cret\r\nHost: evil"}, "header X" + control},
		{"line feed at the end", map[string]string{"X": "s3cret\n"}, "header X" + control},
		{"NUL", map[string]string{"X": "s3cret\x00"}, "header X" + control},
		{"whole line as a name", map[string]string{"Authorization: Bearer s3cret": ""}, "header name: ':' is not allowed in one: write the value as the value"},
		{"line break in a name", map[string]string{"X\r\n": ""}, `header name: '\r' is not allowed in one: write the value as the value`},
		{"no name", map[string]string{"": "s3cret"}, "header name: empty"},
		{"twice", map[string]string{"X-Y": "a", "x-y": "b"}, "header X-Y: there twice, names differ in case only: leave one"},
		{"host", map[string]string{"host": "evil"}, "header host: leave it out: it is the URL's host"},
		{"length", map[string]string{"Content-Length": "0"}, "header Content-Length: leave it out: it is the body's length"},
		{"transfer encoding", map[string]string{"transfer-encoding": "chunked"}, "header transfer-encoding: leave it out: how the body is sent is not a choice"},
		{"connection", map[string]string{"Connection": "keep-alive"}, "header Connection: leave it out: it is about the connection, which is closed after each request"},
		{"te", map[string]string{"TE": "trailers"}, "header TE: leave it out: it is about the connection, which is closed after each request"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, message(Check("POST", "https://h/", test.headers))); diff != "" {
				t.Errorf("Check mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestShow(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"https://hooks.slack.com/services/s3cret": "https://hooks.slack.com/...",
		"https://u:s3cret@h:8443/?k=s3cret#s":     "https://h:8443/...",
		"http://[::1]:80/s3cret":                  "http://[::1]:80/...",
		"http://evil.example/s3cret":              "http://evil.example/...",
		"https://h":                               "https://h/...",
		"https://h:s3cret/":                       "the URL",
		"xoxb-s3cret":                             "the URL",
		"xoxb://s3cret":                           "the URL",
		"https://$s3cret/":                        "the URL",
		"":                                        "the URL",
	} {
		if got := Show(url); got != want {
			t.Errorf("Show(%q) = %q, want %q", url, got, want)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
