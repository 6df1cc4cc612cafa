package approval

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"
)

const (
	headerTimeout = 5 * time.Second
	readTimeout   = 15 * time.Second
	writeTimeout  = 30 * time.Second // with the time a slow disk takes

	// Browsers send the cookies of every server that ever was at localhost.
	maxHeaderBytes = 32 << 10

	maxGuests = 64

	silence = 50 * time.Millisecond // for a request that has just arrived
)

// A door is the server at one listener.
type door struct {
	listener *net.TCPListener
	guests   *guests
	server   *http.Server
	served   chan struct{}
}

// openDoor serves until close, which also closes the listener.
func openDoor(listener *net.TCPListener, d *desk) *door {
	served := &door{listener: listener, guests: &guests{Listener: listener}, served: make(chan struct{}), server: &http.Server{
		Handler:           d.handler(),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          log.New(io.Discard, "", 0), // clients' faults
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, guestKey{}, c) },

		DisableGeneralOptionsHandler: true,
	}}
	served.server.SetKeepAlivesEnabled(false)
	go func() {
		defer close(served.served)
		_ = served.server.Serve(served.guests) // ends by close alone
	}()
	return served
}

// copy is the listener for another process. Connections that come after close
// wait for it.
func (d *door) copy() (*os.File, error) { return d.listener.File() }

// close lets requests that are under way end for so long, but no new one
// begin. Browsers open connections that they may never use; those are not
// waited for.
func (d *door) close(grace time.Duration) {
	if d.shutdown(silence) != nil {
		d.guests.dismiss()
		if d.shutdown(grace) != nil {
			_ = d.server.Close() // somebody is slow
		}
	}
	_ = d.listener.Close() // closed already, unless Serve has not begun
	<-d.served
}

func (d *door) shutdown(grace time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	return d.server.Shutdown(ctx)
}

// A guests is a listener with maxGuests connections at most. One more makes the oldest
// leave, first of all one that has not shown the token: so those who hold
// connections open keep nobody out.
type guests struct {
	net.Listener
	mu  sync.Mutex
	all []*guest // oldest first
}

// A guest is one connection.
type guest struct {
	net.Conn
	house *guests
	spoke bool // has sent a request with the token
}

type guestKey struct{}

// Accept makes room for the new connection.
func (g *guests) Accept() (net.Conn, error) {
	conn, err := g.Listener.Accept()
	if err != nil {
		return nil, err
	}
	arrived := &guest{Conn: conn, house: g}
	if leaving := g.add(arrived); leaving != nil {
		_ = leaving.Conn.Close() // its own Close, later, finds it gone
	}
	return arrived, nil
}

func (g *guests) add(arrived *guest) (leaving *guest) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.all) >= maxGuests {
		at := max(0, slices.IndexFunc(g.all, func(other *guest) bool { return !other.spoke }))
		leaving = g.all[at]
		g.all = slices.Delete(g.all, at, at+1)
	}
	g.all = append(g.all, arrived)
	return leaving
}

// dismiss closes connections on which nobody has shown the token.
func (g *guests) dismiss() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.all {
		if !c.spoke {
			_ = c.Conn.Close() // its own Close takes it off the list
		}
	}
}

// Close takes the connection off the list.
func (c *guest) Close() error {
	c.house.mu.Lock()
	c.house.all = slices.DeleteFunc(c.house.all, func(other *guest) bool { return other == c })
	c.house.mu.Unlock()
	return c.Conn.Close()
}

// CloseWrite is what net/http uses so that a client whose body is too large
// can read that before the connection is reset.
func (c *guest) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// hear notes that a request may be here.
func hear(r *http.Request) {
	if c, ok := r.Context().Value(guestKey{}).(*guest); ok {
		c.house.mu.Lock()
		c.spoke = true
		c.house.mu.Unlock()
	}
}
