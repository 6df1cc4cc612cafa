// Package approval asks people something and waits for one answer, which
// arrives by HTTP: a person presses a button on a page, or a program POSTs
// JSON. The wait survives the death of the process that waits.
//
// Start with [Open], which listens before anybody can have the link; then
// [Wait.Ask], send the link of [Wait.URL] to people, [Wait.Sent],
// [Wait.Answer], use the answer, [Wait.Done]. What was asked lies in a file of Options.Dir until
// then. If the process dies, the next Open of the same key serves the link
// that people already have, or hands over the answer that nobody used.
//
// An answer is used at least once, not exactly once: a process that dies
// between using it and Done leaves it to the next one. The link is all that it
// takes to answer, so it must be sent to those who may. The package knows no
// names of people, and encrypts nothing: over a network that is the work of
// whatever stands at Options.BaseURL.
package approval

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"
)

// ErrDeadline tells that nobody answered in time.
var ErrDeadline = errors.New("nobody answered in time")

// ErrAnswered tells that there is an answer, which has been promised to count.
var ErrAnswered = errors.New("answered already")

// errClosed tells that a Wait is used after its end.
var errClosed = errors.New("the wait is over")

const tokenBytes = 32

// A Question is what people see. All of it may be foreign text.
type Question struct {
	Hook      string    `json:"hook,omitempty"`
	Event     string    `json:"event,omitempty"`
	Session   string    `json:"session,omitempty"`
	Stage     string    `json:"stage,omitempty"`
	Iteration string    `json:"iteration,omitempty"`
	File      string    `json:"file,omitempty"` // that defines the hook
	Text      string    `json:"text,omitempty"` // plain text with line breaks; the page shows 8 KiB of it
	Actions   []string  `json:"actions,omitempty"`
	Asked     time.Time `json:"asked"` // zero: when Ask is called
	Deadline  time.Time `json:"deadline"`
}

// An Answer is what somebody decided.
type Answer struct {
	// Action is the button's name, as it was written: 1 to 64 printable
	// characters.
	Action  string
	Message string // may be empty
	Body    []byte // the JSON object that was POSTed, byte for byte; else {"action":…,"message":…}
	Rejects bool   // as [Rejects] has it
}

// Options say where a Wait listens and keeps what is pending.
type Options struct {
	Dir      string // one for all of a user's waits; made with mode 0700 at need
	Port     int    // zero: any
	Explicit bool   // a busy Port is an error; otherwise a free one is taken, unless there is a BaseURL
	// BaseURL is what people's browsers reach this server by, http or https,
	// perhaps with a path; empty: http://localhost:PORT.
	BaseURL string
	Warn    func(string) // gets what people should know, one line; nil: nobody
	// Linger gets a copy of the listener and the file when an answer was used,
	// and has another process call [ServeAnswered] with both. It does not keep
	// the listener, which is closed after it. Nil: nobody lingers.
	Linger func(listener *os.File, file string) error
	Now    func() time.Time // nil: time.Now
}

// Open listens on 127.0.0.1, or finds that the question of this key is
// pending and served by nobody; then it is served again where the links lead,
// and [Wait.Resumed] says so. The key tells what makes two questions the
// same. Requests get 503 until [Wait.Ask]. ctx limits Open alone. Where somebody
// else has the port of a pending question it is a [*BusyError], and stays so.
//
// While it runs, Open removes files of others whose deadline has passed.
func Open(ctx context.Context, o Options, key string) (*Wait, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	base, err := parseBase(o.BaseURL)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make directory for pending approvals: %w", err)
	}
	pending, err := shelf{o.Dir, o.Now}.claim(key)
	if err != nil {
		return nil, fmt.Errorf("look for a pending approval: %w", err)
	}
	if pending != nil {
		return resume(ctx, o, pending)
	}
	listener, err := listenAnywhere(ctx, o)
	if err != nil {
		return nil, err
	}
	token := make([]byte, tokenBytes)
	_, _ = rand.Read(token) // never fails (Go 1.24)
	text := base64.RawURLEncoding.EncodeToString(token)
	hash := sha256.Sum256([]byte(text))
	port := listener.Addr().(*net.TCPAddr).Port
	w := newWait(o, record{Key: key, TokenSHA256: hash[:], Port: port, BaseURL: o.BaseURL})
	w.url = callbackURL(base, port, text)
	w.serve(listener, base)
	return w, nil
}

// resume serves what another process has asked, unless it is answered
// already.
func resume(ctx context.Context, o Options, pending *held) (_ *Wait, err error) {
	defer func() {
		if err != nil {
			pending.release() // stays pending
		}
	}()
	w := newWait(o, pending.record)
	w.held, w.resumed, w.asked = pending, true, true
	if w.record.Answer != nil {
		close(w.told)
		return w, nil
	}
	base, err := parseBase(w.record.BaseURL)
	if err != nil {
		return nil, err
	}
	listener, err := listenAgain(ctx, o, w.record)
	if err != nil {
		return nil, err
	}
	w.serve(listener, base)
	return w, nil
}

// Rejects tells whether an action's name says no: reject, abort or deny, or as
// what was done, in any case, with whatever stands around the word.
func Rejects(action string) bool {
	switch strings.Trim(strings.ToLower(action), " .,;:!?_-") {
	case "reject", "rejected", "abort", "aborted", "deny", "denied":
		return true
	}
	return false
}
