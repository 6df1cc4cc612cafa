package approval

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMain(m *testing.M) {
	if mode := os.Getenv(modeVariable); mode != "" {
		os.Exit(actAs(mode))
	}
	os.Exit(m.Run())
}

// ask opens a wait that has asked, and ends it with the test.
func ask(t *testing.T, o Options, q Question) *Wait {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	w, err := Open(t.Context(), o, t.Name())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	if q.Deadline.IsZero() {
		q.Deadline = time.Now().Add(time.Hour)
	}
	if err := errors.Join(w.Ask(q), w.Sent()); err != nil {
		t.Fatal(err)
	}
	return w
}

// A sent request, with curl's headers unless it says otherwise.
type request struct {
	method, url, body string
	header            map[string]string
	host              string
}

func (r request) send(t *testing.T) (status int, header http.Header, body string) {
	t.Helper()
	if r.method == "" {
		r.method = http.MethodPost
	}
	made, err := http.NewRequestWithContext(t.Context(), r.method, r.url, strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	made.Header.Set("Accept", "*/*")
	for name, value := range r.header {
		made.Header.Set(name, value)
	}
	made.Host = r.host
	response, err := http.DefaultTransport.RoundTrip(made)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(content)
}

func portOf(t *testing.T, link string) int {
	t.Helper()
	_, rest, _ := strings.Cut(link, "localhost:")
	port, err := strconv.Atoi(rest[:strings.IndexByte(rest, '/')])
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// quietPort is a free port that the kernel gives to nobody who asks for any
// (ip_local_port_range begins above): it stays free while nobody listens.
func quietPort(t *testing.T) int {
	t.Helper()
	for range 100 {
		port := 20000 + rand.IntN(10000)
		if l, err := net.Listen("tcp4", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

// files are the names in a directory, records first.
func files(t *testing.T, dir string) (records, others []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), recordSuffix) && !strings.HasPrefix(entry.Name(), ".") {
			records = append(records, filepath.Join(dir, entry.Name()))
		} else {
			others = append(others, entry.Name())
		}
	}
	return records, others
}

func TestAskAndAnswer(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state", "approvals")
	w := ask(t, Options{Dir: dir}, Question{Text: "Deploy?", Actions: []string{"approve", "reject"}})
	link := w.URL() + "?action=approve"

	for _, method := range []string{http.MethodGet, http.MethodHead} { // previews
		if status, _, _ := (request{method: method, url: link}).send(t); status != http.StatusOK {
			t.Errorf("%s: status %d, want 200", method, status)
		}
	}
	records, _ := files(t, dir)
	if len(records) != 1 {
		t.Fatalf("records %v, want one", records)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700 | os.ModeDir, records[0]: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: mode %v, %v; want %v", path, info.Mode(), err, want)
		}
	}
	content, err := os.ReadFile(records[0])
	if err != nil {
		t.Fatal(err)
	}
	if token := w.URL()[strings.LastIndexByte(w.URL(), '/')+1:]; len(token) != 43 || strings.Contains(string(content), token) {
		t.Errorf("token %q: want 32 bytes in base64url that are not in the file", token)
	}

	body := `{ "action": "Reject", "message": "no <b>", "more": [1,2] }`
	status, _, said := request{url: w.URL(), body: body, header: map[string]string{"Content-Type": "application/json; charset=utf-8"}}.send(t)
	if status != http.StatusOK || !strings.Contains(said, `"decided":"Reject"`) {
		t.Errorf("POST: status %d, %s", status, said)
	}
	got, err := w.Answer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Answer{Action: "Reject", Message: "no <b>", Body: []byte(body), Rejects: true}, got); diff != "" {
		t.Errorf("Answer mismatch (-want +got):\n%s", diff)
	}

	// Until the end, late clicks find out.
	if status, _, said := (request{url: link}).send(t); status != http.StatusGone || !strings.Contains(said, `"decided":"Reject"`) {
		t.Errorf("second POST: status %d, %s", status, said)
	}
	if status, _, said := (request{method: http.MethodGet, url: link}).send(t); status != http.StatusOK || !strings.Contains(said, `"decided":"Reject"`) {
		t.Errorf("GET after the answer: status %d, %s", status, said)
	}
	if err := w.Done(); err != nil {
		t.Fatal(err)
	}
	if records, others := files(t, dir); len(records)+len(others) != 0 {
		t.Errorf("Done leaves %v, %v", records, others)
	}
	if conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(portOf(t, w.URL()))); err == nil {
		conn.Close()
		t.Error("after Done somebody listens")
	}
}

func TestNothingIsServedBeforeAsk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := Open(t.Context(), Options{Dir: dir}, "key")
	if err != nil {
		t.Fatal(err)
	}
	if status, _, _ := (request{url: w.URL() + "?action=approve"}).send(t); status != http.StatusServiceUnavailable {
		t.Errorf("POST before Ask: status %d, want 503", status)
	}
	if _, err := w.Answer(t.Context()); err == nil {
		t.Error("Answer without Ask: no error")
	}
	if err := w.Cancel(); err != nil {
		t.Error(err)
	}
	if records, others := files(t, dir); len(records)+len(others) != 0 {
		t.Errorf("Cancel leaves %v, %v", records, others)
	}
	if err := w.Ask(Question{Deadline: time.Now().Add(time.Hour)}); !errors.Is(err, errClosed) {
		t.Errorf("Ask after Cancel: %v, want errClosed", err)
	}
}

func TestAskRefuses(t *testing.T) {
	t.Parallel()
	hour := time.Now().Add(time.Hour)
	for name, q := range map[string]Question{
		"a deadline that has passed": {Deadline: time.Now().Add(-time.Second)},
		"an action without a name":   {Deadline: hour, Actions: []string{"approve", " "}},
		"a control character":        {Deadline: hour, Actions: []string{"a\nb"}},
		"a long name":                {Deadline: hour, Actions: []string{strings.Repeat("é", 65)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			w, err := Open(t.Context(), Options{Dir: dir}, "key")
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if err := w.Ask(q); err == nil {
				t.Error("Ask: no error")
			}
			if records, _ := files(t, dir); len(records) != 0 {
				t.Errorf("Ask leaves %v", records)
			}
		})
	}
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := ask(t, Options{Dir: dir}, Question{Deadline: time.Now().Add(50 * time.Millisecond)})
	if _, err := w.Answer(t.Context()); !errors.Is(err, ErrDeadline) {
		t.Errorf("Answer: %v, want ErrDeadline", err)
	}
	if records, others := files(t, dir); len(records)+len(others) != 0 {
		t.Errorf("the deadline leaves %v, %v", records, others)
	}
}

// A machine that sleeps stops timers; the deadline passes all the same.
func TestLateAnswerDoesNotCount(t *testing.T) {
	t.Parallel()
	start := time.Now()
	clock := make(chan time.Time, 1)
	clock <- start
	now := func() time.Time { t := <-clock; clock <- t; return t }
	w := ask(t, Options{Now: now}, Question{Deadline: start.Add(time.Hour)})
	<-clock
	clock <- start.Add(time.Hour)
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		status, _, body := request{method: method, url: w.URL() + "?action=approve"}.send(t)
		if status != http.StatusGone || !strings.Contains(body, "over") {
			t.Errorf("%s: status %d, %s; want 410 and why", method, status, body)
		}
	}
	if _, err := w.Answer(t.Context()); !errors.Is(err, ErrDeadline) {
		t.Errorf("Answer: %v, want ErrDeadline", err)
	}
}

// What ends the process does not end the question.
func TestContextLeavesTheQuestion(t *testing.T) {
	t.Parallel()
	o := Options{Dir: t.TempDir()}
	w := ask(t, o, Question{Text: "Deploy?"})
	link := w.URL()
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("terminated")
	cancel(cause)
	if _, err := w.Answer(ctx); !errors.Is(err, cause) {
		t.Fatalf("Answer: %v, want the cause", err)
	}
	again, err := Open(t.Context(), o, t.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if !again.Resumed() || again.URL() != "" || again.Question().Text != "Deploy?" {
		t.Fatalf("Open = resumed %v, URL %q, question %v", again.Resumed(), again.URL(), again.Question())
	}
	if err := again.Ask(Question{Deadline: time.Now().Add(time.Hour)}); err == nil {
		t.Error("Ask in a resumed wait: no error")
	}
	if status, _, body := (request{url: link + "?action=approve"}).send(t); status != http.StatusOK {
		t.Fatalf("POST: status %d, %s", status, body)
	}
	if got, err := again.Answer(t.Context()); err != nil || got.Action != "approve" || got.Rejects {
		t.Errorf("Answer = %+v, %v; want approve", got, err)
	}
}

// The links lead to the address that was told when they were sent.
func TestResumeKeepsTheBase(t *testing.T) {
	t.Parallel()
	o := Options{Dir: t.TempDir(), BaseURL: "https://hooks.example/a"}
	w := ask(t, o, Question{})
	if !strings.HasPrefix(w.URL(), "https://hooks.example/a/callback/") {
		t.Errorf("URL = %s", w.URL())
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), Options{Dir: o.Dir}, t.Name())
	if err != nil || !again.Resumed() {
		t.Fatalf("Open = %v, %v; want a resumed wait", again, err)
	}
	defer again.Close()
	link := strings.Replace(w.URL(), "https://hooks.example", "http://127.0.0.1:"+strconv.Itoa(w.record.Port), 1)
	if status, _, body := (request{url: link + "?action=approve", host: "hooks.example"}).send(t); status != http.StatusOK {
		t.Errorf("POST: status %d, %s", status, body)
	}
}

// Whoever presses at the same moment, one alone decides, and all are told the
// same.
func TestOneAnswerAlone(t *testing.T) {
	t.Parallel()
	const people = 20
	w := ask(t, Options{}, Question{})
	type told struct {
		status  int
		decided string
	}
	all := make(chan told)
	for i := range people {
		go func() {
			status, _, body := request{url: w.URL() + "?action=a" + strconv.Itoa(i)}.send(t)
			var said struct{ Decided string }
			if err := json.Unmarshal([]byte(body), &said); err != nil {
				t.Error(err)
			}
			all <- told{status, said.Decided}
		}()
	}
	counts := map[told]int{}
	for range people {
		counts[<-all]++
	}
	got, err := w.Answer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := map[told]int{{http.StatusOK, got.Action}: 1, {http.StatusGone, got.Action}: people - 1}
	if diff := cmp.Diff(want, counts, cmp.AllowUnexported(told{})); diff != "" {
		t.Errorf("what people were told mismatch (-want +got):\n%s", diff)
	}
}

// Who cannot be told that the answer counts must not believe that it does.
func TestAnswerThatCannotBeKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := ask(t, Options{Dir: dir}, Question{})
	moved := dir + ".away"
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	if status, _, body := (request{url: w.URL() + "?action=approve"}).send(t); status != http.StatusInternalServerError {
		t.Errorf("POST: status %d, %s; want 500", status, body)
	}
	if err := os.Rename(moved, dir); err != nil {
		t.Fatal(err)
	}
	if status, _, body := (request{url: w.URL() + "?action=reject"}).send(t); status != http.StatusOK {
		t.Errorf("POST again: status %d, %s; want 200", status, body)
	}
	if got, err := w.Answer(t.Context()); err != nil || got.Action != "reject" {
		t.Errorf("Answer = %+v, %v; want reject", got, err)
	}
}

func TestPort(t *testing.T) {
	t.Parallel()
	busy, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	port := busy.Addr().(*net.TCPAddr).Port
	if _, err := Open(t.Context(), Options{Dir: t.TempDir(), Port: port, Explicit: true}, "key"); err == nil || !strings.Contains(err.Error(), strconv.Itoa(port)+" is busy") {
		t.Errorf("Open at a busy port: %v, want the port named", err)
	}
	w, err := Open(t.Context(), Options{Dir: t.TempDir(), Port: port}, "key")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if portOf(t, w.URL()) == port {
		t.Error("two listen at one port")
	}
	if _, err := Open(t.Context(), Options{Dir: t.TempDir(), Port: 65536}, "key"); err == nil {
		t.Error("Open at port 65536: no error")
	}
}
