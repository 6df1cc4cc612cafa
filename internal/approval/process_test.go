package approval

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The variables that make this binary one of the program's processes.
const (
	modeVariable = "APPROVAL_TEST_MODE" // wait, stall or linger
	dirVariable  = "APPROVAL_TEST_DIR"
	keyVariable  = "APPROVAL_TEST_KEY"
	portVariable = "APPROVAL_TEST_PORT" // asked for explicitly, unless ~ is before it
	lingerBy     = "APPROVAL_TEST_LINGER"
	fileVariable = "APPROVAL_TEST_FILE"
)

// said is a line of a process.
type said struct {
	URL     string `json:",omitempty"`
	Resumed bool   `json:",omitempty"`
	Action  string `json:",omitempty"`
	Body    string `json:",omitempty"`
	Error   string `json:",omitempty"`
}

// actAs is what a process does. In the mode stall it ends neither before nor
// after it has used the answer.
func actAs(mode string) int {
	say := func(s said) {
		line, _ := json.Marshal(s) // strings
		fmt.Println(string(line))
	}
	if mode == "linger" {
		last, err := time.ParseDuration(os.Getenv(lingerBy))
		if err == nil {
			err = ServeAnswered(context.Background(), os.NewFile(3, "listener"), os.Getenv(fileVariable), last)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	o := Options{Dir: os.Getenv(dirVariable), Log: os.Stderr}
	if port := os.Getenv(portVariable); port != "" {
		number, wanted := strings.CutPrefix(port, "~")
		o.Port, _ = strconv.Atoi(number) // the test's own
		o.Explicit = !wanted
	}
	if os.Getenv(lingerBy) != "" {
		o.Linger = startLinger
	}
	err := waitOnce(o, say, mode == "stall")
	if err != nil {
		say(said{Error: err.Error()})
		return 1
	}
	return 0
}

func waitOnce(o Options, say func(said), stall bool) error {
	w, err := Open(context.Background(), o, os.Getenv(keyVariable))
	if err != nil {
		return err
	}
	if !w.Resumed() {
		if err := errors.Join(w.Ask(Question{Text: "Deploy?", Deadline: time.Now().Add(time.Hour)}), w.Sent()); err != nil {
			return err
		}
	}
	say(said{URL: w.URL(), Resumed: w.Resumed()})
	a, err := w.Answer(context.Background())
	if err != nil {
		return err
	}
	say(said{Action: a.Action, Body: string(a.Body)})
	if stall {
		_, _ = io.Copy(io.Discard, os.Stdin) // until killed
	}
	return w.Done()
}

func startLinger(listener *os.File, file string) error {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), modeVariable+"=linger", fileVariable+"="+file)
	child.ExtraFiles = []*os.File{listener}
	child.Stderr = os.Stderr
	return child.Start()
}

// A process is one of ours that waits for an answer.
type process struct {
	*exec.Cmd
	lines *bufio.Scanner
	stdin io.Closer
}

func start(t *testing.T, mode, dir, key string, env ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0])}
	p.Env = append(os.Environ(), modeVariable+"="+mode, dirVariable+"="+dir, keyVariable+"="+key)
	p.Env = append(p.Env, env...)
	p.Stderr = os.Stderr
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if p.stdin, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	p.lines = bufio.NewScanner(out)
	t.Cleanup(p.kill)
	return p
}

// kill ends it as SIGKILL and a power loss do.
func (p *process) kill() {
	_ = p.Process.Kill() // it may have ended
	_ = p.Wait()         // likewise
}

// hear waits for the process's next line.
func (p *process) hear(t *testing.T) said {
	t.Helper()
	var s said
	if !p.lines.Scan() {
		t.Errorf("process %d ended", p.Process.Pid)
		return s
	}
	if err := json.Unmarshal(p.lines.Bytes(), &s); err != nil {
		t.Errorf("process %d: %s: %v", p.Process.Pid, p.lines.Text(), err)
	}
	return s
}

// Many at once, of one key and of many, that want one port, have a port and an
// answer each.
func TestManyProcesses(t *testing.T) {
	t.Parallel()
	many := 200
	if testing.Short() || raceDetector { // which needs 40 MB for each
		many = 40
	}
	dir := t.TempDir()
	free, err := listen(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	want := portVariable + "=~" + strconv.Itoa(free.Addr().(*net.TCPAddr).Port)
	processes, asked := make([]*process, many), make([]said, many)
	for i := range processes {
		key := "one"
		if i%2 == 0 {
			key = "key " + strconv.Itoa(i)
		}
		processes[i] = start(t, "wait", dir, key, want)
	}
	ports := map[int]bool{}
	for i, p := range processes {
		asked[i] = p.hear(t)
		if asked[i].Resumed || asked[i].URL == "" {
			t.Fatalf("process %d: %+v, want its own question", i, asked[i])
		}
		ports[portOf(t, asked[i].URL)] = true
	}
	if records, _ := files(t, dir); len(records) != many || len(ports) != many {
		t.Errorf("%d processes have %d files and %d ports", many, len(records), len(ports))
	}
	var group sync.WaitGroup
	for i, p := range processes {
		group.Go(func() {
			action := "answer-" + strconv.Itoa(i)
			if status, _, body := (request{url: asked[i].URL + "?action=" + action}).send(t); status != http.StatusOK {
				t.Errorf("process %d: status %d, %s", i, status, body)
			}
			if got := p.hear(t); got.Action != action {
				t.Errorf("process %d: %+v, want %s", i, got, action)
			}
			if err := p.Wait(); err != nil {
				t.Errorf("process %d: %v", i, err)
			}
		})
	}
	group.Wait()
	if records, others := files(t, dir); len(records)+len(others) != 0 {
		t.Errorf("they leave %v, %v", records, others)
	}
}

// The link that people have works again once a new process waits.
func TestKilledBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := start(t, "wait", dir, "key")
	link := first.hear(t).URL
	first.kill()

	// Of several that resume, one does; the others ask anew.
	waiting := []*process{start(t, "wait", dir, "key"), start(t, "wait", dir, "key"), start(t, "wait", dir, "key")}
	var resumed *process
	for _, p := range waiting {
		switch s := p.hear(t); {
		case s.Error != "":
			t.Errorf("a later process: %s", s.Error)
		case s.Resumed && resumed != nil:
			t.Error("two processes resumed one question")
		case s.Resumed:
			resumed = p
		}
	}
	if resumed == nil {
		t.Fatal("no process resumed")
	}
	status, _, body := request{url: link, body: "action=reject&message=%C3%A9", header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}}.send(t)
	if status != http.StatusOK {
		t.Fatalf("POST to the old link: status %d, %s", status, body)
	}
	want := said{Action: "reject", Body: `{"action":"reject","message":"é"}`}
	if got := resumed.hear(t); got != want {
		t.Errorf("the process got %+v, want %+v", got, want)
	}
}

// An answer that nobody used is not lost, and nobody has to listen for it.
func TestKilledBeforeTheUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := start(t, "stall", dir, "key")
	link := first.hear(t).URL
	if status, _, body := (request{url: link + "?action=approve"}).send(t); status != http.StatusOK {
		t.Fatalf("POST: status %d, %s", status, body)
	}
	first.hear(t)
	first.kill()

	second := start(t, "wait", dir, "key")
	if s := second.hear(t); !s.Resumed {
		t.Errorf("the second process: %+v, want it to resume", s)
	}
	if got := second.hear(t); got.Action != "approve" {
		t.Errorf("the second process got %+v, want approve", got)
	}
	if err := second.Wait(); err != nil {
		t.Error(err)
	}
	if records, others := files(t, dir); len(records)+len(others) != 0 {
		t.Errorf("they leave %v, %v", records, others)
	}
	third := start(t, "wait", dir, "key")
	if s := third.hear(t); s.Resumed {
		t.Error("an answer is used twice")
	}
}

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
	var log strings.Builder
	o := Options{Dir: t.TempDir(), Log: &log, Linger: func(*os.File, string) error { return errors.New("no processes left") }}
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
	if !strings.Contains(log.String(), "no processes left") || strings.Count(log.String(), "\n") != 1 {
		t.Errorf("the log says %q", log.String())
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
