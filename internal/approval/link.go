package approval

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

const callbackPath = "/callback"

// A base is where people's browsers reach the server from.
type base struct {
	origin string // scheme://host[:port] as browsers write it
	host   string // host[:port]
	path   string // without a slash at its end
}

// CheckBaseURL says what is wrong with an [Options].BaseURL.
func CheckBaseURL(text string) error {
	_, err := parseBase(text)
	return err
}

// parseBase returns nil for an empty one.
func parseBase(text string) (*base, error) {
	if text == "" {
		return nil, nil
	}
	u, err := url.Parse(text)
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // without the URL, where a password may be
	}
	if err != nil {
		return nil, fmt.Errorf("parse callback base URL: %w", err)
	}
	scheme := strings.ToLower(u.Scheme)
	switch {
	case u.User != nil, u.RawQuery != "", u.ForceQuery, u.Fragment != "":
		return nil, fmt.Errorf("parse callback base URL for %q: want no user, query or fragment", u.Host)
	case scheme != "http" && scheme != "https", u.Hostname() == "", u.Opaque != "":
		return nil, fmt.Errorf("parse callback base URL %q: want https://HOST or http://HOST, perhaps with a path", text)
	}
	host := withoutDefaultPort(scheme, strings.ToLower(u.Host))
	return &base{origin: scheme + "://" + host, host: host, path: strings.TrimRight(u.EscapedPath(), "/")}, nil
}

// withoutDefaultPort is how browsers write it, in Origin and Host.
func withoutDefaultPort(scheme, host string) string {
	if scheme == "https" {
		return strings.TrimSuffix(host, ":443")
	}
	return strings.TrimSuffix(host, ":80")
}

// callbackURL is the link. The token is in its path, since templates append
// ?action=NAME.
func callbackURL(b *base, port int, token string) string {
	if b == nil {
		return "http://localhost:" + strconv.Itoa(port) + callbackPath + "/" + token
	}
	return b.origin + b.path + callbackPath + "/" + token
}

// knows tells whether a Host header is ours. A page of another site whose name
// has been made to lead here (DNS rebinding) sends that name.
func (b *base) knows(host string, port int) bool {
	host = strings.ToLower(host)
	if b != nil && (withoutDefaultPort("http", host) == b.host || withoutDefaultPort("https", host) == b.host) {
		return true
	}
	for _, name := range []string{"localhost", "127.0.0.1"} {
		if host == net.JoinHostPort(name, strconv.Itoa(port)) || port == 80 && host == name {
			return true
		}
	}
	return false
}

// token finds the token in a URL, where proxies may have left out the base's
// path.
func (b *base) token(u *url.URL) (string, bool) {
	path := u.EscapedPath()
	if b != nil {
		if rest, ok := strings.CutPrefix(path, b.path); ok && strings.HasPrefix(rest, callbackPath) {
			path = rest
		}
	}
	rest, ok := strings.CutPrefix(path, callbackPath)
	switch {
	case !ok:
		return "", false
	case rest == "" || rest == "/":
		return u.Query().Get("token"), true
	}
	if token, ok := strings.CutPrefix(rest, "/"); ok {
		return token, true
	}
	return "", false
}
