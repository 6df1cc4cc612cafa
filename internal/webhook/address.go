package webhook

import (
	"context"
	"fmt"
	"net/netip"
	"syscall"
)

// A refusal is an address that is never dialled, and why. It does not get
// better by another attempt.
type refusal struct {
	addr netip.Addr
	why  string
}

func (r *refusal) Error() string { return fmt.Sprintf("address %s refused: %s", r.addr, r.why) }

// blocks is where no receiver of a webhook is.
func blocks() []block {
	return []block{
		{netip.MustParsePrefix("0.0.0.0/8"), "it is no host's address"}, // RFC 1122, 3.2.1.3; Linux takes 0.0.0.0 for itself
		{netip.MustParsePrefix("::/128"), "it is no host's address"},    // RFC 4291, 2.5.2
		{netip.MustParsePrefix("169.254.0.0/16"), linkLocal},            // RFC 3927; 169.254.169.254 is most clouds' metadata
		{netip.MustParsePrefix("fe80::/10"), linkLocal},                 // RFC 4291, 2.5.6
		{netip.MustParsePrefix("224.0.0.0/4"), "it is a multicast address"},
		{netip.MustParsePrefix("ff00::/8"), "it is a multicast address"},
		{netip.MustParsePrefix("255.255.255.255/32"), "it is the broadcast address"},
		{netip.MustParsePrefix("100.100.100.200/32"), metadata},     // Alibaba Cloud, ECS: View instance metadata
		{netip.MustParsePrefix("168.63.129.16/32"), metadata},       // Azure: What is IP address 168.63.129.16?
		{netip.MustParsePrefix("fd00:ec2::254/128"), metadata},      // AWS EC2: Access instance metadata, IPv6
		{netip.MustParsePrefix("fd00:ec2::23/128"), metadata},       // AWS EKS: Pod Identity, IPv6
		{netip.MustParsePrefix("fd00:c1::a9fe:a9fe/128"), metadata}, // Oracle Cloud: instance metadata, IPv6
		{netip.MustParsePrefix("fd20:ce::254/128"), metadata},       // Google Compute Engine: the same
	}
}

type block struct {
	prefix netip.Prefix
	why    string
}

const (
	linkLocal = "link-local addresses are the machine's and the cloud's own"
	metadata  = "it is a cloud's metadata service"
)

func checkAddr(addr netip.Addr) error {
	addr = addr.WithZone("") // a prefix contains no address with a zone
	carried := carriedIPv4(addr)
	for _, b := range blocks() {
		if b.prefix.Contains(addr) || b.prefix.Contains(carried) {
			return &refusal{addr, b.why}
		}
	}
	return nil
}

// carriedIPv4 is the address that an IPv6 address stands for: the network, or
// the kernel, delivers there. Others come back as they are.
func carriedIPv4(addr netip.Addr) netip.Addr {
	if addr.Is4() {
		return addr
	}
	bytes := addr.As16()
	for _, form := range []struct {
		prefix netip.Prefix
		at     int // where the four bytes are
	}{
		{netip.MustParsePrefix("::ffff:0:0/96"), 12},  // mapped: RFC 4291, 2.5.5.2
		{netip.MustParsePrefix("64:ff9b::/96"), 12},   // NAT64: RFC 6052, 2.1
		{netip.MustParsePrefix("64:ff9b:1::/48"), 12}, // NAT64, a network's own: RFC 8215
		{netip.MustParsePrefix("2002::/16"), 2},       // 6to4: RFC 3056, 2
		{netip.MustParsePrefix("::/96"), 12},          // compatible: RFC 4291, 2.5.5.1
	} {
		if form.prefix.Contains(addr) && addr != netip.IPv6Loopback() {
			return netip.AddrFrom4([4]byte(bytes[form.at : form.at+4]))
		}
	}
	return addr
}

// A guard looks at an address after it was resolved and before anything is
// sent there.
type guard struct {
	loopbackOnly bool
}

// control is for net.Dialer.ControlContext.
func (g guard) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	dialled, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("parse the address to dial: %w", err)
	}
	if g.loopbackOnly && !dialled.Addr().Unmap().IsLoopback() {
		return &refusal{dialled.Addr(), "http is for this machine only, and the name leads elsewhere: use https"}
	}
	return checkAddr(dialled.Addr())
}
