package approval

import (
	"errors"
	"net/http"
	"path/filepath"
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
