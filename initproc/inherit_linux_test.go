package initproc

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// helperDump prints what the kernel gave it: arguments, NUL, NUL, environment.
func helperDump() int {
	for _, name := range []string{"/proc/self/cmdline", "/proc/self/environ"} {
		f, err := os.Open(name)
		if err != nil {
			panic(err)
		}
		if _, err := io.Copy(os.Stdout, f); err != nil {
			panic(err)
		}
		os.Stdout.WriteString("\x00")
	}
	return 0
}

func TestArgvAndEnvironmentToTheByte(t *testing.T) {
	eachMode(t, func(t *testing.T, mode syscall.SysProcAttr) {
		agent := self(t, "dump")
		agent.Argv = []string{"odd name", "", "-x", "a\nb", "\xff\xfe", "", "é"}
		agent.Env = append([]string{"Z=1", "A=\xff\n", "EMPTY=", "TWICE=1", "TWICE=2", "no equals sign"}, agent.Env...)
		run := startInit(t, mode, spec{Agent: agent})
		want := strings.Join(agent.Argv, "\x00") + "\x00\x00" + strings.Join(agent.Env, "\x00") + "\x00\x00"
		if diff := cmp.Diff(want, run.rest()); diff != "" {
			t.Errorf("argv and environment mismatch (-want +got):\n%s", diff)
		}
		run.wantExit(0)
	})
}

// statusLine is one value of /proc/self/status, as text.
func statusLine(t *testing.T, status, name string) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + name + `:[ \t]*(.*?)[ \t]*$`).FindStringSubmatch(status)
	if m == nil {
		t.Fatalf("no %s in %q", name, status)
	}
	return m[1]
}

func TestCredentials(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become somebody else")
	}
	for name, test := range map[string]struct {
		groups []uint32
		want   string
	}{
		"groups":    {[]uint32{20, 4242}, "20 4242"},
		"no groups": {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agent := sh("cat /proc/self/status")
			agent.Dir, agent.User = "/", &Credential{UID: 1234, GID: 4321, Groups: test.groups}
			run := startInit(t, pid1(t), spec{Agent: agent})
			status := run.rest()
			for name, want := range map[string]string{
				"Uid": "1234\t1234\t1234\t1234", "Gid": "4321\t4321\t4321\t4321",
				"Groups": test.want, "CapEff": "0000000000000000", "CapPrm": "0000000000000000",
			} {
				if got := statusLine(t, status, name); got != want {
					t.Errorf("%s = %q, want %q", name, got, want)
				}
			}
			run.wantExit(0)
		})
	}
}

// What was ignored before our start stays so for the agent where the Go
// runtime lets us know; nothing of ours leaks into it.
func TestDispositionsAndMask(t *testing.T) {
	for name, test := range map[string]struct{ ignore, want string }{
		"none":      {"", "0000000000000000"},
		"nohup":     {"trap '' HUP; ", "0000000000000001"},
		"terminal":  {"trap '' HUP INT TSTP TTIN TTOU; ", "0000000000380003"},
		"some lost": {"trap '' CHLD; ", "0000000000000000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := startIgnoring(t, test.ignore, spec{
				Session: shp("exit 0"),
				Agent:   sh("cat /proc/self/status; exit 3"),
			})
			status := run.rest()
			if got := statusLine(t, status, "SigIgn"); got != test.want {
				t.Errorf("SigIgn = %s, want %s", got, test.want)
			}
			if got := statusLine(t, status, "SigBlk"); got != "0000000000000000" {
				t.Errorf("SigBlk = %s", got)
			}
			run.wantExit(3)
		})
	}
}

// A signal that was ignored before our start is forwarded all the same: the
// agent may have a handler of its own.
func TestIgnoredSignalIsForwarded(t *testing.T) {
	run := startIgnoring(t, "trap '' HUP; ", spec{Agent: self(t, "echo-signals")})
	run.wantLine("up")
	run.signal(syscall.SIGHUP)
	run.wantLine("1")
	run.signal(syscall.SIGTERM)
	run.wantExit(5)
}

// startIgnoring starts an init whose parent ignored signals.
func startIgnoring(t *testing.T, ignore string, s spec) *initRun {
	t.Helper()
	p := self(t, "init")
	cmd := exec.Command("sh", "-c", ignore+`exec "$0"`, p.Path)
	cmd.Env = append(p.Env, specEnv+"="+s.encode(t))
	return startCmd(t, cmd)
}

// Descriptors from our parent reach the agent under their numbers, ours do
// not; we are in / and it is where we were.
func TestDescriptorsAndDirectory(t *testing.T) {
	end, dir := fifo(t), t.TempDir()
	p := self(t, "init")
	extra, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer extra.Close()
	s := spec{
		Session: shp("echo >&3"),
		Agent:   sh(`pwd -P; cd /proc/self/fd && echo *; read x <"$1"`, end),
	}
	cmd := &exec.Cmd{Path: p.Path, Dir: dir, Env: append(p.Env, specEnv+"="+s.encode(t)), ExtraFiles: []*os.File{extra, extra}}
	direct := exec.Command("sh", "-c", "cd /proc/self/fd && echo *")
	direct.ExtraFiles = cmd.ExtraFiles
	want, err := direct.Output() // and what go test itself has inherited
	if err != nil {
		t.Fatal(err)
	}
	run := startCmd(t, cmd)
	run.wantLine(dir)
	run.wantLine(strings.TrimSpace(string(want)))
	if got, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", cmd.Process.Pid)); got != "/" {
		t.Errorf("our directory = %q, %v", got, err)
	}
	release(t, end)
	run.wantExit(0)
}
