// Package discobothooks_test runs the built program as its users do: each
// file in testdata/script is one behaviour, in a scratch directory of its own.
package discobothooks_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// binaryDir holds the program that the scripts run.
var binaryDir string

func TestMain(m *testing.M) {
	code, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(code)
}

func buildAndRun(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "discobot-hooks-test-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // hooks run as another user must get in
		return 0, err
	}
	binaryDir = filepath.Join(dir, "bin")
	build := exec.Command("./build.sh", filepath.Join(binaryDir, "discobot-hooks"))
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build discobot-hooks: %w\n%s", err, out)
	}
	return m.Run(), nil
}

func TestScript(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for dir := root; dir != filepath.Dir(os.TempDir()) && dir != "/"; dir = filepath.Dir(dir) {
		if dir != os.TempDir() {
			_ = os.Chmod(dir, 0o755) // the scripts that drop root need to get in
		}
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		WorkdirRoot:         root,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") == "1",
		Setup:               setup,
		Condition:           condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "receiver": receiverCommand, "received": receivedCommand, "person": personCommand, "post": postCommand,
		},
	})
}

// gitConfig keeps the machine's own out of the scripts.
const gitConfig = `[user]
	name = Script
	email = script@example.org
[init]
	defaultBranch = main
[advice]
	detachedHead = false
`

func setup(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	config := filepath.Join(home, ".gitconfig")
	if err := os.WriteFile(config, []byte(gitConfig), 0o644); err != nil {
		return err
	}
	env.Values[receiversKey{}] = receivers{}
	env.Setenv("HOME", home)
	env.Setenv("DISCOBOT_USER_HOME", home) // root's would be the machine's own
	env.Setenv("PATH", binaryDir+string(os.PathListSeparator)+env.Getenv("PATH"))
	env.Setenv("GIT_CONFIG_GLOBAL", config)
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("DISCOBOT_SESSION_ID", "s1")
	env.Setenv("STATE", filepath.Join(home, ".discobot", "s1", "hooks"))
	env.Setenv("UID", strconv.Itoa(os.Getuid()))
	return nil
}

// condition knows [root], [pidns] and [strace]: whether we are root, whether the
// kernel gives us a PID namespace, and whether it lets us be traced; and
// [pipeline]: whether the program knows that dialect.
func condition(name string) (bool, error) {
	switch name {
	case "root":
		return os.Geteuid() == 0, nil
	case "strace":
		return exec.Command("strace", "-o", os.DevNull, "true").Run() == nil, nil
	case "pipeline":
		list := exec.Command(filepath.Join(binaryDir, "discobot-hooks"), "list", "--dialect", "pipeline", "--dir", os.TempDir())
		return list.Run() == nil, nil
	case "pidns":
		return exec.Command("unshare", pidNamespace()...).Run() == nil, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

func pidNamespace() []string {
	args := []string{"--pid", "--fork", "--mount-proc", "true"}
	if os.Geteuid() != 0 {
		args = append([]string{"--user", "--map-root-user"}, args...)
	}
	return args
}

// exits runs a program and compares its exit code: exits 2 discobot-hooks …
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%s: %v", strings.Join(args[1:], " "), err)
	}
	if got != want {
		ts.Fatalf("%s: exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}
