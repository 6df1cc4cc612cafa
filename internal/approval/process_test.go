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
	o := Options{Dir: os.Getenv(dirVariable), Warn: func(text string) { fmt.Fprintln(os.Stderr, text) }}
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
