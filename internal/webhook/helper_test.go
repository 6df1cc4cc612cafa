package webhook

import (
	"bufio"
	"context"
	"crypto/x509"
	"encoding/binary"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

type lines = strings.Builder // what send writes its log into: from one goroutine

// direct is a sender without a proxy.
func direct() sender {
	return sender{
		proxy: func(*http.Request) (*url.URL, error) { return nil, nil },
		limit: attemptLimit,
	}
}

// receiver is a TLS server, and a sender that trusts it.
func receiver(t *testing.T, answer http.HandlerFunc) (*httptest.Server, sender) {
	t.Helper()
	server := httptest.NewUnstartedServer(answer)
	server.Config.ErrorLog = quiet()
	server.StartTLS()
	t.Cleanup(server.Close)
	s := direct()
	s.roots = x509.NewCertPool()
	s.roots.AddCert(server.Certificate())
	return server, s
}

// raw answers each connection with these bytes, once it has read a request's
// headers, or what TLS says first. Empty ones close the connection.
func raw(t *testing.T, answer func(requestLine string) string) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = listener.Close(); <-done })
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed
			}
			_ = conn.SetDeadline(time.Now().Add(time.Minute)) // a broken test ends
			reader := bufio.NewReader(conn)
			_, _ = io.WriteString(conn, answer(readRequest(reader)))
			_ = conn.Close()
		}
	}()
	return listener.Addr().String()
}

// readRequest returns a request's first line. The rest is read because closing
// before would take the answer away, too.
func readRequest(reader *bufio.Reader) (line string) {
	const handshake = 22 // RFC 8446, 5.1
	if first, _ := reader.Peek(1); len(first) == 1 && first[0] == handshake {
		_, _ = reader.Discard(reader.Buffered())
		return ""
	}
	request, err := http.ReadRequest(reader)
	if err != nil {
		return ""
	}
	_, _ = io.Copy(io.Discard, request.Body)
	return request.RequestURI
}

// answering is a resolver that says ip for every name of type A, from a real
// DNS server (RFC 1035, 4.1).
func answering(t *testing.T, ip net.IP) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	go func() {
		packet := make([]byte, 512)
		for {
			n, from, err := server.ReadFrom(packet)
			if err != nil {
				return // closed
			}
			_, _ = server.WriteTo(answerTo(packet[:n], ip.To4()), from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

func answerTo(query []byte, ip net.IP) []byte {
	end := 12
	for query[end] != 0 { // the name's labels
		end += 1 + int(query[end])
	}
	question := query[12 : end+5]
	answers := uint16(0)
	if binary.BigEndian.Uint16(query[end+1:]) == 1 { // A
		answers = 1
	}
	out := append([]byte{}, query[:2]...)
	for _, field := range []uint16{0x8180, 1, answers, 0, 0} {
		out = binary.BigEndian.AppendUint16(out, field)
	}
	out = append(out, question...)
	if answers == 1 {
		out = append(out, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		out = append(out, ip...)
	}
	return out
}

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
