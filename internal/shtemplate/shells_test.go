package shtemplate

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A shell is one of those that /bin/sh may be.
type shell struct {
	name string
	argv []string
}

var allShells = []shell{
	{"dash", []string{"dash"}},
	{"bash", []string{"bash", "--posix"}},
	{"bash as sh", []string{"bash"}},
	{"busybox", []string{"busybox", "sh"}},
}

// shells skips the test where there is none, and notes what is missing.
func shells(tb testing.TB) []shell {
	tb.Helper()
	var found []shell
	for _, sh := range allShells {
		if _, err := exec.LookPath(sh.argv[0]); err != nil {
			tb.Logf("%s is not tried: %v", sh.name, err)
			continue
		}
		found = append(found, sh)
	}
	if len(found) == 0 {
		tb.Skip("no shell to try")
	}
	return found
}

// output runs a command in a directory; its status does not matter.
func (sh shell) output(tb testing.TB, dir, command string, env ...string) string {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), 20*time.Second)
	defer cancel()
	argv := append(sh.argv[1:len(sh.argv):len(sh.argv)], "-c", command)
	cmd := exec.CommandContext(ctx, sh.argv[0], argv...)
	if sh.name == "bash as sh" {
		cmd.Args[0] = "sh"
	}
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent"}, env...)
	cmd.WaitDelay = time.Second
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	if err := cmd.Run(); ctx.Err() != nil {
		tb.Fatalf("%s: %q: %v", sh.name, command, err)
	}
	return stdout.String()
}

// checkNoCanary fails where a value has run.
func checkNoCanary(tb testing.TB, dir string) bool {
	tb.Helper()
	if _, err := os.Lstat(filepath.Join(dir, "CANARY")); err == nil {
		tb.Error("the value has run: there is a CANARY")
		return false
	}
	return true
}

func one(text string) func(string) (Value, bool) {
	return func(name string) (Value, bool) { return Value{Text: text}, name == "x" }
}
