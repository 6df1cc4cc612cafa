package webhook

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Check tells what is wrong with a request before anything is sent: nil for a
// method, URL and headers that [Request.Send] takes. Its errors repeat nothing
// of the URL but what [Show] does, and no header's value.
func Check(method, target string, headers map[string]string) error {
	if err := checkMethod(method); err != nil {
		return fmt.Errorf("method: %w", err)
	}
	if err := checkURL(target); err != nil {
		return fmt.Errorf("URL: %w", err)
	}
	return checkHeaders(headers)
}

// checkMethod refuses lower case, because methods are case-sensitive (RFC
// 9110, 9.1) and servers know no "post".
func checkMethod(method string) error {
	for _, c := range []byte(method) {
		if (c < 'A' || c > 'Z') && c != '-' {
			return errors.New("not in upper case letters: write it as in POST")
		}
	}
	if method == "CONNECT" || method == "TRACE" {
		return fmt.Errorf("%s is for proxies and tests: use POST", method)
	}
	return nil
}

func checkURL(target string) error {
	if target == "" {
		return errors.New("empty: set the variable that it comes from")
	}
	// A backslash is a slash to browsers and part of the host to others. Dots
	// and letters beyond ASCII become ASCII ones in IDNA (UTS 46), after every
	// check. A space ends the URL in the request's first line.
	for i, c := range []byte(target) {
		if c <= ' ' || c >= 0x7f || c == '\\' {
			return fmt.Errorf("a space, backslash, control or non-ASCII character at byte %d: percent-encode it, write a host's name in punycode", i+1)
		}
	}
	u, err := url.Parse(target)
	if err != nil || u.Opaque != "" {
		return errors.New("not of the form https://HOST/PATH") // err repeats the URL
	}
	if u.Scheme != "https" && u.Scheme != "http" {
		return errors.New("neither https nor http: write https://HOST/PATH")
	}
	if err := checkHost(u); err != nil {
		return err
	}
	if u.Scheme == "http" && !isLoopback(u.Hostname()) {
		return fmt.Errorf("%s: http is for localhost, 127.0.0.0/8 and [::1] only: use https", show(u))
	}
	if addr, err := netip.ParseAddr(u.Hostname()); err == nil {
		return checkAddr(addr)
	}
	return nil
}

// checkHost takes what every resolver and every proxy reads alike: an address
// in its usual form, or a name of letters, digits, hyphens, underscores and
// dots. C libraries read 127.1, 0x7f.1 and 2130706433 as 127.0.0.1, so a name
// must not end in a number (URL Standard, "ends in a number").
func checkHost(u *url.URL) error {
	host := u.Hostname()
	if host == "" {
		return errors.New("no host: write https://HOST/PATH")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return errors.New("port is not one of 1 to 65535")
		}
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		if addr.Zone() != "" {
			return errors.New("address with a zone: only link-local ones have one, and those are refused")
		}
		return nil
	}
	for _, c := range []byte(host) {
		if !isAlphanumeric(c) && c != '-' && c != '_' && c != '.' {
			return errors.New("host is neither a name nor an address")
		}
	}
	if len(host) > 253 || endsInNumber(host) { // RFC 1035, 2.3.4
		return errors.New("host is neither a name nor an address in its usual form, as 127.0.0.1")
	}
	return nil
}

func endsInNumber(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := strings.ToLower(host[strings.LastIndexByte(host, '.')+1:])
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

func isAlphanumeric(c byte) bool {
	return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
}

// isLoopback takes these forms only: to a resolver, LOCALHOST and localhost.
// may be other names.
func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback() && !addr.Is4In6()
}
