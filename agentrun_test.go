package discobothooks_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"discobot-hooks/internal/loopback"
)

// installed names a directory with agents in node_modules/.bin, as
// testdata/agents/install.sh makes it. Without it PATH is searched.
const installed = "DISCOBOT_TEST_AGENTS"

// patience is for one run of an agent, of seconds where nothing holds it.
const patience = 2 * time.Minute

// locate is the agent's program. It skips the test where there is none.
func locate(t *testing.T, a agent) string {
	t.Helper()
	for _, dir := range agentPath() {
		if program, err := exec.LookPath(filepath.Join(dir, a.program)); err == nil {
			return program
		}
	}
	t.Skipf("%s is not installed: testdata/agents/install.sh DIR %s installs it, then set %s=DIR", a.program, a.name, installed)
	return ""
}

// agentPath is where to look for agents, and for the Node that they need.
func agentPath() []string {
	path := filepath.SplitList(os.Getenv("PATH"))
	if dir := os.Getenv(installed); dir != "" {
		path = slices.Insert(path, 0, filepath.Join(dir, "node_modules", ".bin"))
	}
	return path
}

// env is all that an agent gets. Its proxy takes no calls: nothing may leave
// this machine.
func (s *stage) env(a agent) []string {
	path := strings.Join(slices.Insert(agentPath(), 0, s.bin), string(os.PathListSeparator))
	const nowhere = "http://127.0.0.1:9"
	env := []string{
		"PATH=" + path, "HOME=" + s.home, "TMPDIR=" + s.t.TempDir(), "TERM=xterm-256color", "GIT_CONFIG_NOSYSTEM=1",
		"HTTP_PROXY=" + nowhere, "HTTPS_PROXY=" + nowhere, "NO_PROXY=127.0.0.1",
		"http_proxy=" + nowhere, "https_proxy=" + nowhere, "no_proxy=127.0.0.1",
	}
	for _, variable := range a.env {
		env = append(env, s.fill(variable))
	}
	return env
}

// prompt is what the user asks.
const prompt = "Please look after my files."

// A performance is one run of an agent.
type performance struct {
	printed  string
	requests []loopback.Request
}

// run has the agent answer one prompt, with the model in its part. The agent
// must end by itself and be content.
func (s *stage) run(a agent, plays part) performance {
	s.t.Helper()
	program := locate(s.t, a)
	s.part = plays
	before := len(s.model.Requests())
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append(slices.Clone(a.args), prompt)...)
	cmd.Dir, cmd.Env = s.repo.Dir, s.env(a)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	out, err := os.Create(filepath.Join(s.t.TempDir(), "printed")) // no pipe, which a background process would hold
	if err != nil {
		s.t.Fatal(err)
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	start := time.Now()
	err = cmd.Run()
	took := time.Since(start).Round(time.Millisecond)
	s.endRemains()
	printed, readErr := os.ReadFile(out.Name())
	if err := errors.Join(err, ctx.Err(), readErr); err != nil {
		s.t.Fatalf("%s, after %v: %v\n%s", a.program, took, err, printed)
	}
	s.t.Logf("%s took %v and printed:\n%s", a.program, took, printed)
	return performance{string(printed), s.model.Requests()[before:]}
}

// endRemains kills what the agent and its hooks left running: what has this
// stage's home, of which there is only one. It needs Linux's /proc.
func (s *stage) endRemains() {
	entries, _ := os.ReadDir("/proc") // none elsewhere
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		environ, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "environ"))
		if err == nil && slices.Contains(strings.Split(string(environ), "\x00"), "HOME="+s.home) {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may just have ended
		}
	}
}
