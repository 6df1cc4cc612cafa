package approval

import (
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A question whose sender died before people had the link would never be
// answered.
func TestUnsentQuestionIsNotResumed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := Open(t.Context(), Options{Dir: dir}, "key")
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Ask(Question{Deadline: time.Now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := Open(t.Context(), Options{Dir: dir}, "key")
	if err != nil {
		t.Fatal(err)
	}
	if second.Resumed() || second.URL() == "" {
		t.Error("a question that nobody was asked is waited for")
	}
	if err := errors.Join(second.Ask(Question{Deadline: time.Now().Add(time.Hour)}), second.Sent(), second.Close()); err != nil {
		t.Fatal(err)
	}
	third, err := Open(t.Context(), Options{Dir: dir}, "key")
	if err != nil {
		t.Fatal(err)
	}
	if !third.Resumed() {
		t.Error("a question that people have is not waited for")
	}
	if err := third.Cancel(); err != nil {
		t.Fatal(err)
	}
}

// An answer that is not used up yet must not keep the port from the next wait
// of the same process.
func TestLeaveFreesThePort(t *testing.T) {
	t.Parallel()
	o := Options{Dir: t.TempDir()}
	first, err := Open(t.Context(), o, "first")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(first.Ask(Question{Deadline: time.Now().Add(time.Hour)}), first.Sent()); err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(first.URL()+"?action=approve", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if a, err := first.Answer(t.Context()); err != nil || a.Action != "approve" {
		t.Fatalf("Answer = %+v, %v", a, err)
	}
	o.Port, o.Explicit = first.record.Port, true
	if _, err := Open(t.Context(), o, "second"); err == nil {
		t.Fatal("two waits have one port")
	}
	first.Leave()
	second, err := Open(t.Context(), o, "second")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(second.Close(), first.Done()); err != nil {
		t.Error(err)
	}
}

func TestPending(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	hooks := func() (names []string) {
		pending, err := Pending(dir, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range pending {
			names = append(names, q.Hook)
		}
		return names
	}
	if got := hooks(); got != nil {
		t.Errorf("Pending = %q before anybody asks", got)
	}
	first := ask(t, Options{Dir: dir}, Question{Hook: "first"})
	ask(t, Options{Dir: dir}, Question{Hook: "second"})
	if diff := cmp.Diff([]string{"first", "second"}, hooks()); diff != "" {
		t.Errorf("Pending mismatch (-want +got):\n%s", diff)
	}
	response, err := http.Post(first.URL()+"?action=approve", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if diff := cmp.Diff([]string{"second"}, hooks()); diff != "" {
		t.Errorf("Pending mismatch after an answer (-want +got):\n%s", diff)
	}
	if got, err := Pending(dir, time.Now().Add(2*time.Hour)); len(got) > 0 || err != nil {
		t.Errorf("Pending = %v, %v after the deadline", got, err)
	}
	if got, err := Pending(filepath.Join(dir, "none"), time.Now()); got != nil || err != nil {
		t.Errorf("Pending = %v, %v without a directory", got, err)
	}
}

// The links of a question that nobody serves at the moment lead to its port.
func TestNewQuestionLeavesAPendingOneItsPort(t *testing.T) {
	t.Parallel()
	dir, port := t.TempDir(), quietPort(t)
	first := ask(t, Options{Dir: dir, Port: port}, Question{})
	if err := first.Close(); err != nil { // killed, say
		t.Fatal(err)
	}
	other, err := Open(t.Context(), Options{Dir: dir, Port: port}, "another question")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if portOf(t, other.URL()) == port {
		t.Error("a new question has the port of a pending one")
	}
	again, err := Open(t.Context(), Options{Dir: dir}, t.Name())
	if err != nil || !again.Resumed() {
		t.Fatalf("Open = %v, %v; want a resumed wait", again, err)
	}
	if err := again.Cancel(); err != nil {
		t.Error(err)
	}
}

// What stands before the port under its base URL knows that port alone.
func TestBaseURLKeepsThePort(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := ask(t, Options{Dir: dir}, Question{})
	o := Options{Dir: dir, Port: portOf(t, first.URL()), BaseURL: "https://hooks.example.com"}
	if w, err := Open(t.Context(), o, "another question"); err == nil {
		_ = w.Close()
		t.Error("the link leads to a port that somebody else has")
	}
}

// Links that were sent lead to one port; another would leave their readers in
// front of somebody else's server.
func TestResumeAtABusyPort(t *testing.T) {
	t.Parallel()
	port := quietPort(t)
	o := Options{Dir: t.TempDir(), Port: port}
	w := ask(t, o, Question{})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	busy, err := net.Listen("tcp4", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), o, t.Name()); err == nil || !strings.Contains(err.Error(), strconv.Itoa(port)) {
		t.Errorf("Open: %v, want an error that names port %d", err, port)
	}
	busy.Close()
	again, err := Open(t.Context(), o, t.Name())
	if err != nil || !again.Resumed() {
		t.Fatalf("Open once the port is free: %v, %v; want a resumed wait", again, err)
	}
	if err := again.Cancel(); err != nil {
		t.Error(err)
	}
}
