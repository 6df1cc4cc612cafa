package approval

import (
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// lingering waits until a used answer's file tells who serves it.
func lingering(t *testing.T, dir string) usedRecord {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		records, _ := files(t, dir)
		for _, path := range records {
			if r, err := readRecord(path); err == nil && r.Used != nil && r.Used.PID != 0 {
				return *r.Used
			}
		}
	}
	t.Fatal("nobody lingers")
	return usedRecord{}
}

// gone waits until a directory is empty.
func gone(t *testing.T, dir string) {
	t.Helper()
	var records, others []string
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if records, others = files(t, dir); len(records)+len(others) == 0 {
			return
		}
	}
	t.Errorf("left: %v, %v", records, others)
}

// answerAndLinger has a process answered that ends and leaves one behind.
func answerAndLinger(t *testing.T, dir, last string, env ...string) (link string) {
	t.Helper()
	p := start(t, "wait", dir, "key", append(env, lingerBy+"="+last)...)
	link = p.hear(t).URL
	if status, _, body := (request{url: link + "?action=approve"}).send(t); status != http.StatusOK {
		t.Fatalf("POST: status %d, %s", status, body)
	}
	if got := p.hear(t); got.Action != "approve" {
		t.Fatalf("the process got %+v, want approve", got)
	}
	if err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	return link
}

// Between the first process and the one that lingers, the port is never
// closed: a click at once finds out, too.
func TestLateClick(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := answerAndLinger(t, dir, "4s") // longer than this takes on a busy machine
	browser := map[string]string{"Accept": "text/html", "Content-Type": "application/x-www-form-urlencoded"}
	status, _, body := request{url: link, body: "action=reject", header: browser}.send(t)
	if status != http.StatusGone || !strings.Contains(body, "Decided: approve") {
		t.Errorf("a late click: status %d, %s", status, body)
	}
	if status, _, _ := (request{method: http.MethodGet, url: link + "x"}).send(t); status != http.StatusNotFound {
		t.Errorf("another token: status %d, want 404", status)
	}
	w, err := Open(t.Context(), Options{Dir: dir}, "key")
	if err != nil {
		t.Fatal(err)
	}
	if w.Resumed() {
		t.Error("a used answer is used again")
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	gone(t, dir)
}

// Whoever lingers is in nobody's way.
func TestLingererYields(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := answerAndLinger(t, dir, "1m")
	port := strconv.Itoa(portOf(t, link))
	next := start(t, "wait", dir, "key", portVariable+"="+port)
	got := next.hear(t)
	if got.Error != "" || got.Resumed || got.URL == link || !strings.Contains(got.URL, ":"+port+"/") {
		t.Errorf("the next process: %+v, want a new question at port %s", got, port)
	}
	next.kill()
}

// The one who lingers at the port of a question that must be resumed there.
func TestLingererYieldsToAResumed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	killed := start(t, "wait", dir, "other key")
	link := killed.hear(t).URL
	killed.kill()
	port := strconv.Itoa(portOf(t, link))
	answerAndLinger(t, dir, "1m", portVariable+"="+port)
	next := start(t, "wait", dir, "other key")
	if got := next.hear(t); !got.Resumed {
		t.Fatalf("the next process: %+v, want it to resume", got)
	}
	if status, _, body := (request{url: link + "?action=approve"}).send(t); status != http.StatusOK {
		t.Errorf("POST: status %d, %s", status, body)
	}
}

// A pid that lingered once may be anybody's by now.
func TestNobodyElseIsSignalled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := shelf{dir, time.Now}
	bystander := exec.Command("sleep", "60")
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bystander.Process.Kill(); _ = bystander.Wait() })
	at := func(place string) record {
		return record{Port: 1, Answer: &answerRecord{}, Used: &usedRecord{At: time.Now(), PID: bystander.Process.Pid, Where: place}}
	}
	left, err := s.put(at(where()))
	if err != nil {
		t.Fatal(err)
	}
	if err := left.release(); err != nil { // its holder has died
		t.Fatal(err)
	}
	elsewhere, err := s.put(at("another machine"))
	if err != nil {
		t.Fatal(err)
	}
	if pids, found := s.serving(1); len(pids) != 0 || found {
		t.Errorf("serving = %v, %v; want nobody", pids, found)
	}
	if _, err := s.claim("key"); err != nil {
		t.Fatal(err)
	}
	if records, _ := files(t, dir); len(records) != 1 || records[0] != elsewhere.file() {
		t.Errorf("records %v, want the one that is held", records)
	}
	if err := elsewhere.remove(); err != nil {
		t.Error(err)
	}
}

// Without anybody to linger, the answer is used all the same.
func TestNobodyCanLinger(t *testing.T) {
	t.Parallel()
	var told []string
	o := Options{Dir: t.TempDir(), Warn: func(text string) { told = append(told, text) }, Linger: func(*os.File, string) error { return errors.New("no processes left") }}
	w := ask(t, o, Question{})
	if status, _, body := (request{url: w.URL() + "?action=approve"}).send(t); status != http.StatusOK {
		t.Fatalf("POST: status %d, %s", status, body)
	}
	if _, err := w.Answer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Done(); err != nil {
		t.Error(err)
	}
	if len(told) != 1 || !strings.HasSuffix(told[0], "no processes left") {
		t.Errorf("people are told %q", told)
	}
	if records, others := files(t, o.Dir); len(records)+len(others) != 0 {
		t.Errorf("left: %v, %v", records, others)
	}
}

// What is no used answer is not served as one.
func TestServeAnsweredRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h, err := shelf{dir, time.Now}.put(record{Question: Question{Deadline: time.Now().Add(time.Hour)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.release(); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{h.file(), h.path + lockSuffix, h.path + "x" + recordSuffix} {
		listener, err := listen(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		handed, err := listener.File()
		if err != nil {
			t.Fatal(err)
		}
		listener.Close()
		if err := ServeAnswered(t.Context(), handed, file, LingerFor); err == nil {
			t.Errorf("ServeAnswered(%s): no error", file)
		}
		if conn, err := net.Dial("tcp", listener.Addr().String()); err == nil {
			conn.Close()
			t.Errorf("ServeAnswered(%s) leaves the port open", file)
		}
	}
	if !exists(h.file()) {
		t.Error("the question is gone")
	}
}

func TestLingererKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	answerAndLinger(t, dir, "1m")
	who := lingering(t, dir)
	if who.Where != where() {
		t.Errorf("the process is at %q, want %q", who.Where, where())
	}
	p, err := os.FindProcess(who.PID)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		w, err := Open(t.Context(), Options{Dir: dir}, "key")
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if records, others := files(t, dir); len(records)+len(others) == 0 {
			return
		} else if time.Now().After(deadline) {
			t.Fatalf("left: %v, %v", records, others)
		}
	}
}
