package initproc

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// openPTY returns both ends of a new terminal.
func openPTY(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("the terminal cannot be opened: %v", err)
	}
	t.Cleanup(func() { slave.Close() })
	return master, slave
}

// helperTerminal tells whether it is in the terminal's foreground, then what
// signals it gets until TERM.
func helperTerminal() int {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	signals := make(chan os.Signal, 10)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGWINCH, syscall.SIGTSTP, syscall.SIGTERM)
	pgrp, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	fmt.Println("foreground", pgrp == unix.Getpgrp(), err)
	for sig := range signals {
		fmt.Println(signalName(sig))
		if sig == syscall.SIGTERM {
			return 5
		}
	}
	return 1
}

// The agent is the terminal's foreground group, whether or not the terminal is
// stdin, and gets its signals once.
func TestTerminal(t *testing.T) {
	for name, stdin := range map[string]bool{"stdin": true, "dev-tty": false} {
		t.Run(name, func(t *testing.T) {
			eachMode(t, func(t *testing.T, mode syscall.SysProcAttr) {
				master, slave := openPTY(t)
				mode.Setsid, mode.Setctty = true, true
				s := spec{Session: shp("exit 0"), Agent: self(t, "terminal")}
				p := self(t, "init")
				cmd := &exec.Cmd{Path: p.Path, Env: append(p.Env, specEnv+"="+s.encode(t)), SysProcAttr: &mode}
				if stdin {
					cmd.Stdin = slave
				} else {
					cmd.ExtraFiles, mode.Ctty = []*os.File{slave}, 3
				}
				run := startCmd(t, cmd)
				run.wantLine("foreground true <nil>")
				if _, err := master.WriteString("\x03"); err != nil {
					t.Fatal(err)
				}
				run.wantLine("SIGINT")
				if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 7, Col: 9}); err != nil {
					t.Fatal(err)
				}
				run.wantLine("SIGWINCH")
				if _, err := master.WriteString("\x1a"); err != nil {
					t.Fatal(err)
				}
				run.wantLine("SIGTSTP")
				run.signal(syscall.SIGTTOU) // ours: not the agent's to stop for
				run.signal(syscall.SIGTERM)
				run.wantLine("SIGTERM")
				run.wantExit(5)
			})
		})
	}
}
