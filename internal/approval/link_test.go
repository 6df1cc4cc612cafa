package approval

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseBase(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]*base{
		"":                                 nil,
		"https://hooks.example":            {"https://hooks.example", "hooks.example", ""},
		"https://Hooks.Example:443/":       {"https://hooks.example", "hooks.example", ""},
		"http://hooks.example:80/a/b//":    {"http://hooks.example", "hooks.example", "/a/b"},
		"HTTPS://hooks.example:8443/a%20b": {"https://hooks.example:8443", "hooks.example:8443", "/a%20b"},
		"http://[2001:db8::1]:8080":        {"http://[2001:db8::1]:8080", "[2001:db8::1]:8080", ""},
	} {
		got, err := parseBase(text)
		if err != nil {
			t.Errorf("parseBase(%q): %v", text, err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(base{})); diff != "" {
			t.Errorf("parseBase(%q) mismatch (-want +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{
		"hooks.example", "hooks.example:8080", "//hooks.example", "ftp://hooks.example", "file:///tmp", "https:hooks.example",
		"https://", "https:///path", "https://:443", "https://user:secret@hooks.example", "https://hooks.example?a=b", "https://hooks.example?", "https://hooks.example/#a", "https://exa mple", "javascript:alert(1)",
	} {
		if got, err := parseBase(text); err == nil {
			t.Errorf("parseBase(%q) = %+v, want an error", text, got)
		}
	}
}

// A password is nothing for a log.
func TestParseBaseTellsNoPassword(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"https://user:secret@hooks.example", "https://user:secret@exa mple", "ftp://user:secret@h", "https://user:secret@h:port"} {
		if _, err := parseBase(text); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("parseBase(%q): %v, want an error without the password", text, err)
		}
	}
}

func TestCallbackURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                        "http://localhost:8765/callback/TOKEN",
		"https://hooks.example":   "https://hooks.example/callback/TOKEN",
		"https://h.example:1/a/b": "https://h.example:1/a/b/callback/TOKEN",
	} {
		b, err := parseBase(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := callbackURL(b, 8765, "TOKEN"); got != want {
			t.Errorf("callbackURL with base %q = %q, want %q", text, got, want)
		}
	}
}

func TestKnows(t *testing.T) {
	t.Parallel()
	tests := []struct {
		base, host string
		port       int
		want       bool
	}{
		{"", "localhost:8765", 8765, true},
		{"", "LocalHost:8765", 8765, true},
		{"", "127.0.0.1:8765", 8765, true},
		{"", "localhost", 80, true},
		{"", "localhost", 8765, false},
		{"", "localhost:8766", 8765, false},
		{"", "evil.example:8765", 8765, false},
		{"", "localhost.evil.example:8765", 8765, false},
		{"", "", 8765, false},
		{"https://hooks.example", "hooks.example", 8765, true},
		{"https://hooks.example", "Hooks.Example:443", 8765, true},
		{"https://hooks.example", "localhost:8765", 8765, true}, // a tunnel that rewrites it
		{"https://hooks.example", "evil.example", 8765, false},
		{"https://hooks.example:8443", "hooks.example", 8765, false},
	}
	for _, test := range tests {
		b, err := parseBase(test.base)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.knows(test.host, test.port); got != test.want {
			t.Errorf("with base %q and port %d, knows(%q) = %v, want %v", test.base, test.port, test.host, got, test.want)
		}
	}
}

func TestToken(t *testing.T) {
	t.Parallel()
	tests := []struct {
		base, url, want string
		ok              bool
	}{
		{"", "/callback/T", "T", true},
		{"", "/callback/T?action=approve", "T", true},
		{"", "/callback?token=T", "T", true},
		{"", "/callback/?token=T&action=a", "T", true},
		{"", "/callback", "", true},
		{"", "/callback/a%2Fb", "a%2Fb", true},
		{"", "/callbackT", "", false},
		{"", "/", "", false},
		{"", "/a/callback/T", "", false},
		{"https://h/a", "/a/callback/T", "T", true},
		{"https://h/a", "/a/callback?token=T", "T", true},
		{"https://h/a", "/callback/T", "T", true}, // the proxy took the path off
		{"https://h/a", "/b/callback/T", "", false},
		{"https://h/callback", "/callback/callback/T", "T", true},
		{"https://h/callback", "/callback/T", "T", true},
	}
	for _, test := range tests {
		b, err := parseBase(test.base)
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(test.url)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := b.token(u); got != test.want || ok != test.ok {
			t.Errorf("with base %q, token(%q) = %q, %v; want %q, %v", test.base, test.url, got, ok, test.want, test.ok)
		}
	}
}
