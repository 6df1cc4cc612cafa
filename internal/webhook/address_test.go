package webhook

import (
	"errors"
	"net"
	"net/netip"
	"testing"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	for addr, refused := range map[string]bool{
		"93.184.216.34": false, "10.0.0.1": false, "172.16.0.1": false, "192.168.1.1": false, "100.64.0.1": false,
		"127.0.0.1": false, "::1": false, "fd12::1": false, "2606:4700::1111": false, "64:ff9b::5db8:d822": false,
		"::ffff:10.0.0.1": false, "2002:5db8:d822::1": false, "100.100.100.201": false, "fd00:ec2::253": false,
		"169.254.169.254": true, "169.254.0.1": true, "fe80::1": true, "fe80::1%lo": true, "febf::1": true,
		"100.100.100.200": true, "168.63.129.16": true, "fd00:ec2::254": true, "fd20:ce::254": true,
		"0.0.0.0": true, "0.1.2.3": true, "::": true, "224.0.0.1": true, "239.255.255.250": true, "ff02::1": true, "ff02::1%lo": true,
		"255.255.255.255":          true,
		"::ffff:169.254.169.254":   true,
		"::ffff:0.0.0.0":           true,
		"::169.254.169.254":        true,
		"64:ff9b::a9fe:a9fe":       true,
		"64:ff9b:1::a9fe:a9fe":     true,
		"64:ff9b:1:fff::6464:64c8": true,
		"2002:a9fe:a9fe::":         true,
		"2002:a83f:8110:1::1":      true,
	} {
		err := checkAddr(netip.MustParseAddr(addr))
		if _, is := errors.AsType[*refusal](err); is != refused {
			t.Errorf("checkAddr(%s) = %v, want refused: %v", addr, err, refused)
		}
	}
}

func TestGuard(t *testing.T) {
	t.Parallel()
	tests := []struct {
		address   string
		here, any bool // allowed for http, for https
	}{
		{"127.0.0.1:80", true, true},
		{"127.9.9.9:80", true, true},
		{"[::1]:80", true, true},
		{"[::ffff:127.0.0.1]:80", true, true},
		{"10.0.0.1:80", false, true},
		{"[2001:db8::1]:443", false, true},
		{"[64:ff9b::7f00:1]:80", false, true},
		{"169.254.169.254:80", false, false},
		{"[fe80::1%eth0]:80", false, false},
		{"localhost:80", false, false}, // never comes: it is resolved
	}
	for _, test := range tests {
		here := guard{loopbackOnly: true}.control(t.Context(), "tcp4", test.address, nil) == nil
		anywhere := guard{}.control(t.Context(), "tcp4", test.address, nil) == nil
		if here != test.here || anywhere != test.any {
			t.Errorf("%s is allowed for http: %v, https: %v; want %v, %v", test.address, here, anywhere, test.here, test.any)
		}
	}
}

// The guard must sit where the dialler asks it, with the address that the
// name led to.
func TestNameThatLeadsToARefusedAddress(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, url, answer, want string }{
		{"metadata", "https://rebind.test/s3cret", "169.254.169.254",
			"POST https://rebind.test/...: address 169.254.169.254 refused: link-local addresses are the machine's and the cloud's own"},
		{"Alibaba", "https://rebind.test/s3cret", "100.100.100.200",
			"POST https://rebind.test/...: address 100.100.100.200 refused: it is a cloud's metadata service"},
		{"localhost that hosts or DNS lead elsewhere", "http://localhost.test/s3cret", "192.0.2.1",
			"POST http://localhost.test/...: address 192.0.2.1 refused: http is for this machine only, and the name leads elsewhere: use https"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := direct()
			s.resolver = answering(t, net.ParseIP(test.answer))
			var log lines
			err := s.send(t.Context(), Request{URL: test.url, Retries: 2}, &log)
			if message(err) != test.want || log.String() != "" {
				t.Errorf("send = %v, want %s, once; the log says %q", err, test.want, log.String())
			}
		})
	}
}
