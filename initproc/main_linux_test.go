package initproc

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// patience is how long a test waits for what must come; it is never waited
// out when all is well.
const patience = time.Minute

// The test binary is also the init, and some of the programs, of its tests.
const (
	helperEnv = "INITPROC_TEST_HELPER"
	specEnv   = "INITPROC_TEST_SPEC"
)

func TestMain(m *testing.M) {
	name := os.Getenv(helperEnv)
	if name == "" {
		os.Exit(m.Run())
	}
	helper := map[string]func() int{
		"init":          helperInit,
		"exit-codes":    helperExitCodes,
		"early-signals": helperEarlySignals,
		"race-signals":  helperRaceSignals,
		"echo-signals":  helperEchoSignals,
		"dump":          helperDump,
		"terminal":      helperTerminal,
	}[name]
	os.Exit(helper())
}

// A spec is the part of a [Config] that can be handed to the init of a test.
type spec struct {
	Session         *Process
	SessionTimeout  time.Duration
	StageGrace      time.Duration
	Agent           Process
	SignalChildOnly bool
	Grace           time.Duration
}

func helperInit() int {
	var s spec
	raw, err := hex.DecodeString(os.Getenv(specEnv))
	if err == nil {
		err = gob.NewDecoder(bytes.NewReader(raw)).Decode(&s)
	}
	if err != nil {
		panic(err)
	}
	super, err := newSupervisor(Config{
		Session: s.Session, SessionTimeout: s.SessionTimeout, Agent: s.Agent,
		SignalChildOnly: s.SignalChildOnly, Grace: s.Grace, Log: zerolog.New(os.Stderr),
	})
	if err != nil {
		panic(err)
	}
	if s.StageGrace != 0 {
		super.stageGrace = s.StageGrace
	}
	return super.run()
}

// baseEnv is what test programs get.
func baseEnv(extra ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH")}, extra...)
}

// sh is a shell script as a process.
func sh(script string, args ...string) Process {
	return Process{Argv: append([]string{"sh", "-c", script, "sh"}, args...), Env: baseEnv()}
}

func shp(script string, args ...string) *Process { p := sh(script, args...); return &p }

// self is a helper of this binary as a process.
func self(t *testing.T, helper string, args ...string) Process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Process{Path: exe, Argv: append([]string{helper}, args...), Env: baseEnv(helperEnv + "=" + helper)}
}

// eachMode runs test with an init that is PID 1 of a namespace of its own, and
// with one that is not.
func eachMode(t *testing.T, test func(t *testing.T, mode syscall.SysProcAttr)) {
	t.Run("pid1", func(t *testing.T) { t.Parallel(); test(t, pid1(t)) })
	t.Run("subreaper", func(t *testing.T) { t.Parallel(); test(t, syscall.SysProcAttr{}) })
}

// pid1 makes a process PID 1 of a new PID namespace, as root or, by a user
// namespace, as anybody.
func pid1(t *testing.T) syscall.SysProcAttr {
	t.Helper()
	attr := syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
	if os.Geteuid() != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	probe := exec.Command("true")
	probe.SysProcAttr = &attr
	if err := probe.Run(); err != nil {
		t.Skipf("the kernel gives us no PID namespace: %v", err)
	}
	return attr
}

// An initRun is a running init.
type initRun struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdout *bufio.Reader
	stderr *os.File
}

func startInit(t *testing.T, mode syscall.SysProcAttr, s spec) *initRun {
	t.Helper()
	return startHelper(t, mode, "init", specEnv+"="+s.encode(t))
}

func (s spec) encode(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(s); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(b.Bytes())
}

func startHelper(t *testing.T, mode syscall.SysProcAttr, helper string, env ...string) *initRun {
	t.Helper()
	p := self(t, helper)
	return startCmd(t, &exec.Cmd{Path: p.Path, Args: p.Argv, Env: append(p.Env, env...), SysProcAttr: &mode})
}

// startCmd starts an init that writes to a pipe and logs to a file, so that
// nothing of ours waits for descendants that hold those open.
func startCmd(t *testing.T, cmd *exec.Cmd) *initRun {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	_ = r.SetReadDeadline(time.Now().Add(patience)) // a pipe can
	cmd.Stdout, cmd.Stderr = w, stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill() // ended meanwhile
			_ = cmd.Wait()
		}
		r.Close()
		stderr.Close()
	})
	return &initRun{t: t, cmd: cmd, stdout: bufio.NewReader(r), stderr: stderr}
}

func (r *initRun) signal(sig syscall.Signal) {
	r.t.Helper()
	if err := r.cmd.Process.Signal(sig); err != nil {
		r.t.Fatal(err)
	}
}

// line waits for the next line of output.
func (r *initRun) line() string {
	r.t.Helper()
	line, err := r.stdout.ReadString('\n')
	if err != nil {
		r.t.Fatalf("waiting for a line, got %q: %v\nlog: %s", line, err, r.log())
	}
	return strings.TrimSuffix(line, "\n")
}

func (r *initRun) wantLine(want string) {
	r.t.Helper()
	if got := r.line(); got != want {
		r.t.Fatalf("line = %q, want %q\nlog: %s", got, want, r.log())
	}
}

// rest reads until everybody who could write has ended.
func (r *initRun) rest() string {
	r.t.Helper()
	rest, err := io.ReadAll(r.stdout)
	if err != nil {
		r.t.Fatalf("somebody still holds stdout: %v\nlog: %s", err, r.log())
	}
	return string(rest)
}

func (r *initRun) log() string {
	log, err := os.ReadFile(r.stderr.Name())
	if err != nil {
		r.t.Fatal(err)
	}
	return string(log)
}

func (r *initRun) wantLog(want string) {
	r.t.Helper()
	if log := r.log(); !strings.Contains(log, want) {
		r.t.Errorf("the log does not say %q: %s", want, log)
	}
}

func (r *initRun) wantExit(want int) {
	r.t.Helper()
	stuck := time.AfterFunc(patience, func() { _ = r.cmd.Process.Kill() })
	err := r.cmd.Wait()
	if !stuck.Stop() {
		r.t.Fatalf("init does not end\nlog: %s", r.log())
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	if status := r.cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		r.t.Fatalf("init ended by %v, want exit code %d\nlog: %s", status.Signal(), want, r.log())
	}
	if got := r.cmd.ProcessState.ExitCode(); got != want {
		r.t.Fatalf("exit code = %d, want %d\nlog: %s", got, want, r.log())
	}
}

// fifo makes a named pipe, the clock of these tests.
func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// release opens the fifo for writing, which waits for a reader, and closes it.
func release(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(f, "go")
	f.Close()
}
