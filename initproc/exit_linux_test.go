package initproc

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rs/zerolog"
)

// Every exit code, and 128+n for every signal that ends a process.
func TestExitCodes(t *testing.T) {
	eachMode(t, func(t *testing.T, mode syscall.SysProcAttr) {
		run := startHelper(t, mode, "exit-codes")
		if wrong := run.rest(); wrong != "" {
			t.Error(wrong)
		}
		run.wantExit(0)
	})
}

func helperExitCodes() int {
	for code := range 256 {
		got, err := Run(Config{Agent: sh(fmt.Sprintf("exit %d", code)), Log: zerolog.Nop()})
		if got != code || err != nil {
			fmt.Printf("exit %d: Run = %d, %v\n", code, got, err)
		}
	}
	for sig := syscall.Signal(1); sig <= sigMax; sig++ {
		switch sig {
		case syscall.SIGCHLD, syscall.SIGCONT, syscall.SIGURG, syscall.SIGWINCH,
			syscall.SIGSTOP, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU:
			continue // these end nobody
		}
		script := fmt.Sprintf("ulimit -c 0; kill -%d $$", int(sig))
		got, err := Run(Config{Agent: sh(script), Log: zerolog.Nop()})
		if got != 128+int(sig) || err != nil {
			fmt.Printf("%v: Run = %d, %v\n", sig, got, err)
		}
	}
	return 0
}

func TestNoCommand(t *testing.T) {
	if code, err := Run(Config{}); code != 1 || err == nil {
		t.Errorf("Run(Config{}) = %d, %v, want 1 and an error", code, err)
	}
}

func TestStartFailures(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, perm os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), perm); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := write("plain", "exit 0\n", 0o644)
	orphaned := write("orphaned", "#!/no/such/interpreter\n", 0o755)
	env := []string{"PATH=" + dir + ":/usr/bin:/bin"}
	for name, test := range map[string]struct {
		agent Process
		code  int
		log   string
	}{
		"bare name":             {Process{Argv: []string{"no-such-command"}}, 127, "start agent: no-such-command: not found in PATH"},
		"path":                  {Process{Argv: []string{"/no/such/command"}}, 127, "start agent: /no/such/command: not found"},
		"below a file":          {Process{Argv: []string{plain + "/x"}}, 127, "not found"},
		"empty name":            {Process{Argv: []string{""}}, 127, "empty command name"},
		"missing interpreter":   {Process{Argv: []string{orphaned}}, 127, "its interpreter is not found"},
		"the same by PATH":      {Process{Argv: []string{"orphaned"}}, 127, "start agent: orphaned: its interpreter is not found"},
		"not executable":        {Process{Argv: []string{plain}}, 126, "permission denied"},
		"the same by PATH, too": {Process{Argv: []string{"plain"}}, 126, "start agent: plain: permission denied"},
		"directory":             {Process{Argv: []string{dir}}, 126, "is a directory"},
		"no working directory":  {Process{Argv: []string{"true"}, Dir: "/no/such/dir"}, 126, "working directory: stat /no/such/dir"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.agent.Env = env
			run := startInit(t, syscall.SysProcAttr{}, spec{Agent: test.agent})
			run.wantExit(test.code)
			run.wantLog(test.log)
		})
	}
}

// execvp goes on past a file it may not execute, and runs one without a format
// by sh, with its arguments.
func TestScriptWithoutShebang(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	for path, perm := range map[string]os.FileMode{
		filepath.Join(first, "script"):  0o644,
		filepath.Join(second, "script"): 0o755,
	} {
		if err := os.WriteFile(path, []byte("echo \"$0:$1:$2:$#\"\nexit 6\n"), perm); err != nil {
			t.Fatal(err)
		}
	}
	run := startInit(t, syscall.SysProcAttr{}, spec{Agent: Process{
		Argv: []string{"script", "", "b c"},
		Env:  []string{"PATH=/no/such:" + first + ":" + second},
	}})
	run.wantLine(filepath.Join(second, "script") + "::b c:2")
	run.wantExit(6)
}

// A relative command, and a relative directory of PATH, are looked for where
// the agent starts, not where we are.
func TestRelativeCommand(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "script"), []byte("#!/bin/sh\nexit 6\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, agent := range map[string]Process{
		"command": {Argv: []string{"./script"}, Dir: dir, Env: baseEnv()},
		"PATH":    {Argv: []string{"script"}, Dir: dir, Env: []string{"PATH=/no/such:"}},
		"path":    {Argv: []string{"x"}, Path: "script", Dir: dir, Env: baseEnv()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			startInit(t, syscall.SysProcAttr{}, spec{Agent: agent}).wantExit(6)
		})
	}
}

// A directory of PATH that is closed to us does not make a missing command a
// forbidden one.
func TestClosedDirectoryInPath(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("nothing is closed to root")
	}
	closed := filepath.Join(t.TempDir(), "closed")
	if err := os.Mkdir(closed, 0); err != nil {
		t.Fatal(err)
	}
	run := startInit(t, syscall.SysProcAttr{}, spec{
		Agent: Process{Argv: []string{"no-such-command"}, Env: []string{"PATH=" + closed}},
	})
	run.wantExit(127)
	run.wantLog("start agent: no-such-command: not found in PATH")
}
