package agenthost

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// openCodeRun is what a run of the plugin in a stand-in for OpenCode did.
type openCodeRun struct {
	Prompts []openCodePrompt `json:"prompts"`
	Logs    []string         `json:"logs"`
	Toasts  []string         `json:"toasts"`
	Calls   []string         `json:"calls"` // discobot-hooks' arguments, and what it read
	Turns   []string         `json:"-"`     // the calls' user_message
}

type openCodePrompt struct {
	Agent   string            `json:"agent"`
	Model   map[string]string `json:"model"`
	Variant string            `json:"variant"`
	Parts   []struct {
		Text     string         `json:"text"`
		Metadata map[string]any `json:"metadata"`
	} `json:"parts"`
}

// openCodeHost runs the plugin by Node in a stand-in for OpenCode, with a shell
// script for discobot-hooks, which is not there at all where it is "missing".
func openCodeHost(t *testing.T, plugin []byte, program, steps string) openCodeRun {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	host, err := filepath.Abs(filepath.Join("testdata", "opencode", "host.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "plugin.mjs")
	write(t, file, string(plugin), 0o644)
	if program != "missing" {
		write(t, filepath.Join(dir, "bin", "discobot-hooks"), "#!/bin/sh\nin=$(cat)\necho $$ >>groups\nprintf '%s %s\\n' \"$*\" \"$in\" >>calls\n"+program+"\n", 0o755)
	}
	if strings.Contains(program, "cat wait") {
		if err := syscall.Mkfifo(filepath.Join(dir, "wait"), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, host, file, `const fs = await import("node:fs"), go = () => fs.promises.writeFile("wait", ""); `+steps)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + filepath.Join(dir, "bin") + ":/usr/bin:/bin"}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	t.Cleanup(func() { endGroups(filepath.Join(dir, "groups")) })
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	return readOpenCodeRun(t, out)
}

func readOpenCodeRun(t *testing.T, out []byte) openCodeRun {
	t.Helper()
	var run openCodeRun
	if err := json.Unmarshal(out, &run); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, call := range run.Calls {
		if _, payload, found := strings.Cut(call, "eval-turn --agent opencode "); found {
			stop := readStop(t, payload, nil, noEnv)
			if stop.Host.Name != OpenCode || stop.Session != "ses_1" || len(stop.Dirs) == 0 {
				t.Errorf("Read(%s) = %+v", payload, stop)
			}
			run.Turns = append(run.Turns, stop.Key)
		}
	}
	return run
}

func write(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// gone waits until no process has that id.
func gone(t *testing.T, pid string) {
	t.Helper()
	id, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	for range 500 {
		if state, err := os.ReadFile("/proc/" + pid + "/stat"); syscall.Kill(id, 0) != nil || err == nil && strings.Contains(string(state), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %s still runs", pid)
}

// endGroups leaves nothing behind, also where a test has failed: the plugin starts
// the program in a group of its own.
func endGroups(file string) {
	text, _ := os.ReadFile(file)
	for _, line := range strings.Fields(string(text)) {
		if id, err := strconv.Atoi(line); err == nil && id > 1 {
			_ = syscall.Kill(-id, syscall.SIGKILL)
		}
	}
}
