package initproc

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// waitUntil polls for what no pipe tells.
func waitUntil(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not so in %v: %s", patience, what)
		}
	}
}

// orphans makes 1,000 orphans that wait for the end of the fifo, which comes to
// all at once, and end badly. They inherit it open: one that had yet to open
// it could miss the writer.
const orphans = `
	exec 8<>"$1"; exec 7<"$1" 9>"$1"; exec 8>&-
	i=0; while [ $i -lt 1000 ]; do ( (read x; exit 9) <&7 9>&- & ); i=$((i+1)); done
	echo made; exec 9>&-`

func TestOrphansAreReaped(t *testing.T) {
	eachMode(t, func(t *testing.T, mode syscall.SysProcAttr) {
		end := fifo(t)
		run := startInit(t, mode, spec{Agent: sh(orphans+`; read x <"$2"; exit 5`, fifo(t), end)})
		run.wantLine("made")
		waitUntil(t, "the agent is the only child", func() bool { return len(children(run.cmd.Process.Pid)) == 1 })
		release(t, end)
		run.wantExit(5)
	})
}

func TestOrphansWhileTheAgentEnds(t *testing.T) {
	eachMode(t, func(t *testing.T, mode syscall.SysProcAttr) {
		run := startInit(t, mode, spec{Agent: sh(orphans+`; exit 5`, fifo(t)), Grace: patience})
		run.wantLine("made")
		run.wantExit(5)
		if rest := run.rest(); rest != "" {
			t.Errorf("output: %q", rest)
		}
	})
}

// leftovers are one that obeys TERM, one that is deaf and has a session of its
// own, and one that is stopped.
const leftovers = `
	(trap 'echo obeyed; exit' TERM; echo up; while :; do sleep 60 & wait; done) &
	setsid sh -c 'trap "" TERM INT; echo up; while :; do sleep 60; done' &
	sh -c 'trap "echo woken; exit" TERM; (echo up)& kill -STOP $$; while :; do sleep 60 & wait; done' &
	read x <"$1"; exit 7`

func TestLeftoversGetTermThenKill(t *testing.T) {
	eachMode(t, func(t *testing.T, mode syscall.SysProcAttr) {
		end := fifo(t)
		run := startInit(t, mode, spec{Agent: sh(leftovers, end), Grace: 300 * time.Millisecond})
		for range 3 {
			run.wantLine("up")
		}
		release(t, end)
		run.wantExit(7)
		rest := run.rest() // ends when the last of them has
		for _, want := range []string{"obeyed", "woken"} {
			if !strings.Contains(rest, want) {
				t.Errorf("output lacks %q: %q\nlog: %s", want, rest, run.log())
			}
		}
		run.wantLog("killing what the agent left behind")
	})
}

func TestTermCutsTheGraceShort(t *testing.T) {
	eachMode(t, func(t *testing.T, mode syscall.SysProcAttr) {
		end := fifo(t)
		run := startInit(t, mode, spec{Agent: sh(leftovers, end), Grace: time.Hour})
		for range 3 {
			run.wantLine("up")
		}
		release(t, end)
		for range 2 { // obeyed, woken: the grace has begun
			run.line()
		}
		run.signal(syscall.SIGTERM)
		run.wantExit(7)
		run.rest()
	})
}

func TestNoGraceLeavesAtOnce(t *testing.T) {
	end := fifo(t)
	run := startInit(t, pid1(t), spec{Agent: sh(leftovers, end)})
	for range 3 {
		run.wantLine("up")
	}
	release(t, end)
	run.wantExit(7)
	if rest := run.rest(); rest != "" {
		t.Errorf("output: %q", rest)
	}
}

// The agent does not outlive an init that somebody kills.
func TestAgentDiesWithUs(t *testing.T) {
	run := startInit(t, syscall.SysProcAttr{}, spec{Agent: sh("echo up; exec sleep 60")})
	run.wantLine("up")
	run.signal(syscall.SIGKILL)
	_ = run.cmd.Wait() // killed
	run.rest()
}

func TestOnlyDescendantsAreSignalled(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if got, want := parent(cmd.Process.Pid), os.Getpid(); got != want {
		t.Errorf("parent = %d, want %d", got, want)
	}
	for pid, want := range map[int]bool{cmd.Process.Pid: true, os.Getppid(): false, 1: false, os.Getpid(): false} {
		if got := descends(pid); got != want {
			t.Errorf("descends(%d) = %v, want %v", pid, got, want)
		}
	}
	signalDescendant(cmd.Process.Pid, syscall.SIGKILL)
	if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("sleep: %v", err)
	}
	if got := parent(cmd.Process.Pid); got != 0 {
		t.Errorf("parent of a process that is gone = %d", got)
	}
}

// A command may be named like the fields that follow its name.
func TestParentOfOddName(t *testing.T) {
	path := t.TempDir() + "/) S 1 ("
	if err := os.Symlink("/bin/sleep", path); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
	}()
	comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", cmd.Process.Pid))
	if err != nil || string(comm) != ") S 1 (\n" {
		t.Skipf("sleep is a program of many names here: %q, %v", comm, err)
	}
	if got, want := parent(cmd.Process.Pid), os.Getpid(); got != want {
		t.Errorf("parent = %d, want %d", got, want)
	}
}
