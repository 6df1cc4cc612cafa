package temporal_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// limit is for how long a test waits for anything.
const limit = 45 * time.Second

// stage is one test's: a task queue, a workspace, session directories.
type stage struct {
	*testing.T
	queue     string
	workspace string
	address   string // of the server, for engines
	engine    string // the workers' template; empty for testdata/engine.sh
}

func newStage(t *testing.T) *stage {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("testdata/engine.sh")
	if err != nil {
		t.Fatal(err)
	}
	return &stage{
		T: t, queue: t.Name(), workspace: dir, address: server.GetFrontendHostPort(),
		engine: script + " {session_dir} {pipeline} {inputs} {workspace}",
	}
}

// process is a program under test.
type process struct {
	*exec.Cmd
	log  string // the file with its stderr
	done chan struct{}
}

// said is what it has written to stderr up to now.
func (p *process) said() string {
	content, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(content)
}

func (s *stage) start(env []string, name string, args ...string) *process {
	s.Helper()
	log, err := os.CreateTemp(s.workspace, name+"-*.log")
	if err != nil {
		s.Fatal(err)
	}
	defer log.Close() // the process has its own
	p := &process{Cmd: exec.Command(program(name), args...), log: log.Name(), done: make(chan struct{})}
	p.Env, p.Stderr = append(os.Environ(), env...), log
	// The race detector would sleep for a second at each exit.
	p.Env = append(p.Env, "GORACE=atexit_sleep_ms=0 log_path="+raceLog())
	if err := p.Start(); err != nil {
		s.Fatal(err)
	}
	go func() {
		defer close(p.done)
		_ = p.Wait() // its state is looked at
	}()
	s.Cleanup(func() {
		_ = p.Process.Kill() // it may have ended
		<-p.done
		if s.Failed() {
			s.Logf("%s: %v\n%s", name, p.ProcessState, p.said())
		}
	})
	return p
}

// end waits for the process to exit and returns its status.
func (s *stage) end(p *process) int {
	s.Helper()
	select {
	case <-p.done:
	case <-time.After(limit):
		s.Fatalf("%s has not ended", p.Path)
	}
	return p.ProcessState.ExitCode()
}

func (s *stage) worker(name string, args ...string) *process {
	s.Helper()
	return s.start([]string{"DISCOBOT_TEST_WORKER=" + name}, "temporal-worker", append([]string{
		"--address", server.GetFrontendHostPort(), "--namespace", server.GetDefaultNamespace(), "--task-queue", s.queue,
		"--engine", s.engine}, args...)...)
}

// session makes a child's directory.
func (s *stage) session(name string) string {
	s.Helper()
	dir := filepath.Join(s.workspace, "children", name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "inputs.json"), []byte(`{"n":"`+name+`"}`), 0o600); err != nil {
		s.Fatal(err)
	}
	return dir
}

// spawn starts temporal-engine as a spawn hook does.
func (s *stage) spawn(dir, pipeline string, args ...string) *process {
	s.Helper()
	return s.start([]string{"DISCOBOT_WORKSPACE=" + s.workspace}, "temporal-engine", append([]string{
		"--session-dir", dir, "--pipeline", pipeline, "--inputs", filepath.Join(dir, "inputs.json"),
		"--address", s.address, "--namespace", server.GetDefaultNamespace(), "--task-queue", s.queue,
		"--heartbeat-timeout", "3s"}, args...)...)
}

func (s *stage) wantExit(p *process, want int) {
	s.Helper()
	if got := s.end(p); got != want {
		s.Errorf("%s: exit %d, want %d\n%s", filepath.Base(p.Path), got, want, p.said())
	}
}

// begun is an engine that began: its process group and its worker.
type begun struct {
	group  int
	worker string
}

// begun returns which engines began for a child, when there are n of them.
func (s *stage) begun(child string, n int) []begun {
	s.Helper()
	var found []begun
	s.wait(fmt.Sprintf("%d engines of %s", n, child), func() bool {
		found = s.engines(child)
		return len(found) >= n
	})
	return found
}

func (s *stage) engines(child string) (found []begun) {
	s.Helper()
	content, err := os.ReadFile(filepath.Join(s.workspace, child+".begun"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		var b begun
		if _, err := fmt.Sscan(line, &b.group, &b.worker); err != nil {
			s.Fatalf("%q: %v", line, err)
		}
		found = append(found, b)
	}
	return found
}

// wait waits for a condition.
func (s *stage) wait(what string, holds func() bool) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), limit)
	defer cancel()
	for !holds() {
		select {
		case <-ctx.Done():
			s.Fatalf("waited in vain for %s", what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// alive tells whether a process group has members that are no zombies.
func (s *stage) alive(group int) bool {
	s.Helper()
	out, err := exec.Command("ps", "-A", "-o", "pgid=,stat=").Output()
	if err != nil {
		s.Fatal(err)
	}
	return slices.ContainsFunc(strings.Split(string(out), "\n"), func(line string) bool {
		fields := strings.Fields(line)
		return len(fields) == 2 && fields[0] == strconv.Itoa(group) && !strings.HasPrefix(fields[1], "Z")
	})
}

// letGo ends the engines that wait.
func (s *stage) letGo() {
	s.Helper()
	if err := os.WriteFile(filepath.Join(s.workspace, "go"), nil, 0o600); err != nil {
		s.Fatal(err)
	}
}

// output is a child's output.json, or why there is none.
func (s *stage) output(dir string) string {
	s.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "output.json"))
	if err != nil {
		return err.(*os.PathError).Err.Error()
	}
	return string(content)
}

// result is what testdata/engine.sh leaves.
func (s *stage) result(worker, child string) string {
	return fmt.Sprintf(`{"worker":"%s", "inputs":{"n":"%s"}, "workspace":"%s"}`+"\n", worker, child, s.workspace)
}

func (s *stage) signal(p *process, signal syscall.Signal) {
	s.Helper()
	if err := p.Process.Signal(signal); err != nil {
		s.Fatal(err)
	}
}
