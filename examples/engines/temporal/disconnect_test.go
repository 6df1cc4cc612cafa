package temporal_test

import (
	"io"
	"net"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The connection breaks while the engine waits, and the child ends before it is
// back.
func TestResultIsAwaitedAcrossADisconnect(t *testing.T) {
	s := newStage(t)
	between := newProxy(t, s.address)
	s.address = between.listener.Addr().String()
	dir := s.session("child")
	s.worker("a")
	waiting := s.spawn(dir, "wait", "--verbose")
	s.begun("child", 1)
	between.cut()
	s.letGo()
	s.wait("the engine to try again", func() bool { return between.refusals() > 1 })
	between.mend()
	s.wantExit(waiting, 0)
	if diff := cmp.Diff(s.result("a", "child"), s.output(dir)); diff != "" {
		t.Errorf("output.json mismatch (-want +got):\n%s", diff)
	}
}

// proxy passes connections on, except while it is cut.
type proxy struct {
	listener net.Listener
	to       string

	mu      sync.Mutex
	broken  bool
	refused int
	open    []net.Conn
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, to: to}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed below
			}
			serving.Go(func() { p.pass(conn) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close() // nothing is lost
		p.cut()
		serving.Wait()
	})
	return p
}

func (p *proxy) pass(from net.Conn) {
	defer from.Close()
	to, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer to.Close()
	if !p.keep(from, to) {
		return
	}
	var back sync.WaitGroup
	back.Go(func() { _, _ = io.Copy(from, to) }) // ends when either is closed
	_, _ = io.Copy(to, from)                     // likewise
	_ = to.Close()
	back.Wait()
}

func (p *proxy) keep(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken {
		p.refused++
		return false
	}
	p.open = append(p.open, conns...)
	return true
}

// cut closes all connections and refuses others.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken = true
	for _, conn := range p.open {
		_ = conn.Close() // it may be closed
	}
	p.open = nil
}

func (p *proxy) mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken = false
}

func (p *proxy) refusals() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused
}
