package approval

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"discobot-hooks/internal/plaintext"
)

const (
	maxTextBytes = 8 << 10 // a page that a person reads
	maxNameBytes = 300     // of each other thing shown

	// A timer stands still while the machine sleeps, a deadline does not: it
	// is compared with the clock this often.
	clockInterval = time.Minute

	// Answers under way when the wait ends are pages of a few kilobytes.
	farewell = time.Second
)

// A Wait is one question and its one answer. Its methods may be called from
// several goroutines.
type Wait struct {
	options Options
	url     string
	resumed bool
	door    *door // nil where nobody listens

	mu     sync.Mutex
	record record
	held   *held // nil before Ask
	asked  bool
	over   bool          // no answer counts any more
	told   chan struct{} // closed when who answered has been told so
	ended  chan struct{} // closed with over
}

func newWait(o Options, r record) *Wait {
	return &Wait{options: o, record: r, told: make(chan struct{}), ended: make(chan struct{})}
}

// serve begins to accept requests.
func (w *Wait) serve(listener *net.TCPListener, base *base) {
	w.door = openDoor(listener, &desk{
		base: base, port: w.record.Port, tokenSHA256: w.record.TokenSHA256, now: w.options.Now,
		look: w.look, decide: w.decide, told: sync.OnceFunc(func() { close(w.told) }),
	})
}

// URL is the link to send, with the token that lets its holder answer; empty
// where the wait was resumed, since nobody knows the token any more but those
// who have the link.
func (w *Wait) URL() string { return w.url }

// Resumed tells that the question was asked by an earlier process.
func (w *Wait) Resumed() bool { return w.resumed }

// Question is what was asked, with its deadline; zero before Ask.
func (w *Wait) Question() Question {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.record.Question
}

// Ask writes the question durably; from now on it can be answered, and
// survives this process. It is an error to ask twice, in a resumed wait, or
// with a deadline that has passed.
func (w *Wait) Ask(q Question) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.over:
		return fmt.Errorf("ask for approval: %w", errClosed)
	case w.asked:
		return errors.New("ask for approval: asked already")
	}
	now := w.options.Now()
	if !q.Deadline.After(now) {
		return fmt.Errorf("ask for approval: the deadline, %s, has passed", q.Deadline.Format(time.RFC3339))
	}
	if q.Asked.IsZero() {
		q.Asked = now
	}
	// Without the monotonic clock, which stands still while the machine sleeps.
	q.Asked, q.Deadline = q.Asked.Round(0), q.Deadline.Round(0)
	q, err := shown(q)
	if err != nil {
		return fmt.Errorf("ask for approval: %w", err)
	}
	w.record.Question = q
	w.held, err = shelf{w.options.Dir, w.options.Now}.put(w.record)
	if err != nil {
		return fmt.Errorf("keep pending approval: %w", err)
	}
	w.asked = true
	return nil
}

// Sent notes that people have the link. A question of which that is not known
// is not resumed: nobody might ever answer it.
func (w *Wait) Sent() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held == nil || w.over {
		return fmt.Errorf("note that the link was sent: %w", errClosed)
	}
	next := w.record
	next.Sent = true
	if err := w.held.write(next); err != nil {
		return fmt.Errorf("note that the link was sent: %w", err)
	}
	w.record = next
	return nil
}

// Answered is closed once somebody has answered, and has been told that it
// counts.
func (w *Wait) Answered() <-chan struct{} { return w.told }

// Leave stops listening before the answer is used up, for when another wait
// needs the port. Late clicks then find nobody.
func (w *Wait) Leave() {
	w.mu.Lock()
	door := w.door
	w.door = nil
	w.mu.Unlock()
	if door != nil { // not under the mutex, which requests under way need
		door.close(farewell)
	}
}

// shown is a question as people see it.
func shown(q Question) (Question, error) {
	for _, name := range []*string{&q.Hook, &q.Event, &q.Session, &q.Stage, &q.Iteration, &q.File} {
		*name = cut(plaintext.Line(*name), maxNameBytes)
	}
	q.Text = cut(plaintext.Clean(q.Text), maxTextBytes)
	q.Actions = slices.Clone(q.Actions)
	for _, action := range q.Actions {
		if name, err := actionName(action); err != nil {
			return q, err
		} else if name == "" {
			return q, errors.New("an action has no name")
		}
	}
	return q, nil
}

// Answer waits for the answer. [ErrDeadline] tells that none came in time;
// then nothing is pending. When ctx ends, the question stays pending for a
// later process, and Answer returns the cause. In both cases the wait is over.
func (w *Wait) Answer(ctx context.Context) (Answer, error) {
	w.mu.Lock()
	asked, deadline := w.asked, w.record.Question.Deadline
	w.mu.Unlock()
	if !asked {
		return Answer{}, errors.New("wait for approval: nothing was asked")
	}
	for {
		timer := time.NewTimer(min(clockInterval, deadline.Sub(w.options.Now())))
		select {
		case <-w.told:
			timer.Stop()
			return w.answered()
		case <-w.ended:
			timer.Stop()
			return Answer{}, fmt.Errorf("wait for approval: %w", errClosed)
		case <-ctx.Done():
			timer.Stop()
			return w.end(context.Cause(ctx), (*held).release)
		case <-timer.C:
			if !w.options.Now().Before(deadline) {
				return w.end(ErrDeadline, (*held).remove)
			}
		}
	}
}

// end ends the wait, unless an answer has come in the same moment.
func (w *Wait) end(cause error, with func(*held) error) (Answer, error) {
	w.mu.Lock()
	late := w.record.Answer != nil
	first := !late && w.finish()
	w.mu.Unlock()
	if late {
		<-w.told
		return w.answered()
	}
	err := fmt.Errorf("wait for approval: %w", cause)
	if first {
		err = errors.Join(err, w.leave(with))
	}
	return Answer{}, err
}

func (w *Wait) answered() (Answer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.record.Answer.public(), nil
}

// Cancel ends the wait without a trace, for when the link could not be sent.
// Where somebody has answered all the same it does nothing, and returns
// [ErrAnswered].
func (w *Wait) Cancel() error {
	w.mu.Lock()
	if w.record.Answer != nil {
		w.mu.Unlock()
		return ErrAnswered
	}
	first := w.finish()
	w.mu.Unlock()
	if !first {
		return nil
	}
	return w.leave((*held).remove)
}

// Close ends the wait and leaves what is pending, or answered and not
// [Wait.Done], to a later process. After another end it does nothing.
func (w *Wait) Close() error { return w.close((*held).release) }

// Done tells that the answer has been used: the question is no longer
// pending. With Options.Linger the file stays until whoever lingers removes
// it. An error means that a later process may get the same answer again.
func (w *Wait) Done() error {
	w.mu.Lock()
	door := w.door
	lingers := w.options.Linger != nil && door != nil && w.record.Answer != nil && !w.over
	w.mu.Unlock()
	if !lingers {
		return w.close((*held).remove)
	}
	listener, err := door.copy()
	if err != nil {
		w.warnLinger(err)
		return w.close((*held).remove)
	}
	defer listener.Close() // whoever lingers has its own
	return w.close(func(h *held) error { return w.linger(h, listener) })
}

// linger marks the answer as used, so that nobody uses it again, and hands
// over to another process.
func (w *Wait) linger(h *held, listener *os.File) error {
	r := w.record
	r.Used = &usedRecord{At: w.options.Now()}
	if err := h.write(r); err != nil {
		w.warnLinger(err)
		return h.remove()
	}
	// Released before the other process starts, which takes the lock.
	if err := h.release(); err != nil {
		return err
	}
	if err := w.options.Linger(listener, h.file()); err != nil {
		w.warnLinger(err)
		h.unlink()
	}
	return nil
}

func (w *Wait) warnLinger(err error) {
	w.options.Warn(fmt.Sprintf("who clicks on the link of an approval from now on will find nobody: %v", err))
}

// close ends the wait once.
func (w *Wait) close(with func(*held) error) error {
	w.mu.Lock()
	first := w.finish()
	w.mu.Unlock()
	if !first {
		return nil
	}
	return w.leave(with)
}

// finish makes no further answer count, and tells whether it is the first to
// do so. The caller holds the mutex.
func (w *Wait) finish() (first bool) {
	if w.over {
		return false
	}
	w.over = true
	close(w.ended)
	return true
}

// leave stops listening; no request is under way when it does something with
// the file.
func (w *Wait) leave(with func(*held) error) error {
	w.Leave()
	if w.held == nil {
		return nil
	}
	return with(w.held)
}

// look is what a request sees.
func (w *Wait) look() (record, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.record, w.asked
}

// decide makes an answer count, unless it comes too late. It is on disk
// before anybody is told.
func (w *Wait) decide(a answerRecord) (record, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.record.Answer != nil || w.over || !a.At.Before(w.record.Question.Deadline) {
		return w.record, false, nil
	}
	next := w.record
	next.Answer = &a
	if err := w.held.write(next); err != nil {
		return w.record, false, err
	}
	w.record = next
	return next, true, nil
}
