package webhook

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// The headers that nobody sets by hand, and why. net/http would drop some of
// them without a word.
func reserved(canonical string) string {
	switch canonical {
	case "Host":
		return "it is the URL's host"
	case "Content-Length":
		return "it is the body's length"
	case "Transfer-Encoding", "Trailer":
		return "how the body is sent is not a choice"
	case "Connection", "Keep-Alive", "Proxy-Connection", "Te", "Upgrade": // RFC 9110, 7.6.1
		return "it is about the connection, which is closed after each request"
	}
	return ""
}

func checkHeaders(headers map[string]string) error {
	seen := make(map[string]bool)
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		// A name that is none is not shown: often it is "Name: secret" as a whole.
		if err := checkName(name); err != nil {
			return fmt.Errorf("header name: %w", err)
		}
		canonical := http.CanonicalHeaderKey(name)
		if why := reserved(canonical); why != "" {
			return fmt.Errorf("header %s: leave it out: %s", name, why)
		}
		// The order of a map would decide which one is sent.
		if seen[canonical] {
			return fmt.Errorf("header %s: there twice, names differ in case only: leave one", canonical)
		}
		seen[canonical] = true
		if strings.ContainsFunc(headers[name], isControl) {
			return fmt.Errorf("header %s: its value has a line break or another control character: take it out", name)
		}
	}
	return nil
}

// checkName holds a name to RFC 9110, 5.6.2 (token).
func checkName(name string) error {
	if name == "" {
		return errors.New("empty")
	}
	for _, c := range []byte(name) {
		if !isAlphanumeric(c) && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return fmt.Errorf("%q is not allowed in one: write the value as the value", c)
		}
	}
	return nil
}

// isControl is what a value may not have (RFC 9110, 5.5).
func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// header is what is sent.
func (r Request) header() http.Header {
	header := http.Header{"User-Agent": {"discobot-hooks"}}
	if r.Body != nil {
		header.Set("Content-Type", "application/json")
	}
	for name, value := range r.Headers {
		header.Set(name, value)
	}
	return header
}
