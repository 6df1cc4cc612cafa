package agenthost

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// nowhere is where no model answers: a session starts all the same.
const nowhere = "http://127.0.0.1:1"

// The agents themselves read what Connect writes, beside what people had written,
// and run our command. Qwen Code runs none at a session's start when headless.
func TestAgentsReadWhatConnectWrites(t *testing.T) {
	t.Parallel()
	tests := []struct {
		agent, program, before string
		args, env              []string
		prepare                func(*testing.T, *agent)
	}{
		{ClaudeCode, "claude", "\ufeff{\"hooks\": {\"Stop\": []}}", []string{"-p", "hello"},
			[]string{"ANTHROPIC_BASE_URL=" + nowhere, "ANTHROPIC_API_KEY=dummy", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}, nil},
		{Codex, "codex", `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"true"}]}]}}`,
			[]string{"exec", "--skip-git-repo-check", "hello"}, []string{"MOCK_KEY=x"}, trustInCodex},
		{GeminiCLI, "gemini", "// mine\n{ \"ui\": {} /* too */ }\n", []string{"-m", "gemini-2.5-flash", "-p", "hello"},
			[]string{"GEMINI_API_KEY=dummy", "GOOGLE_GEMINI_BASE_URL=" + nowhere, "GEMINI_CLI_TRUST_WORKSPACE=true"}, keyForGemini},
		{CopilotCLI, "copilot", "", []string{"-p", "hello"}, []string{"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=" + nowhere + "/v1",
			"COPILOT_PROVIDER_API_KEY=x", "COPILOT_MODEL=mock", "COPILOT_ALLOW_ALL=true"}, nil},
	}
	for _, test := range tests {
		t.Run(test.agent, func(t *testing.T) {
			t.Parallel()
			path := agentProgram(t, test.program)
			o := testOptions(t)
			o.Workspace, o.Home = realPath(filepath.Dir(o.Workspace))+"/ws", realPath(filepath.Dir(o.Home))+"/home"
			h, _ := Find(test.agent)
			a := h.in(&o)
			writeFile(t, filepath.Join(o.Home, ".keep"), nil)
			writeFile(t, a.path(false), []byte(test.before))
			if _, err := h.Connect(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			if test.prepare != nil {
				test.prepare(t, a)
			}
			for _, f := range h.Examine(o, o.Workspace) {
				if f.Level == Problem {
					t.Errorf("doctor would say: %s", f.Message)
				}
			}
			ran := filepath.Join(o.Home, "ran")
			env := append(standIn(t, `echo "$*" >> '`+ran+`'`), "HOME="+o.Home)
			runUntil(t, ran, o.Workspace, append(env, test.env...), path, test.args...)
			if got := string(readFile(t, ran)); !strings.HasPrefix(got, "session --agent "+test.agent+"\n") {
				t.Errorf("%s ran %q", h.Title, got)
			}
		})
	}
}

// agentProgram is the agent's executable, in DISCOBOT_TEST_AGENTS' node_modules or
// in PATH.
func agentProgram(t *testing.T, name string) string {
	t.Helper()
	if dir := os.Getenv("DISCOBOT_TEST_AGENTS"); dir != "" {
		name = filepath.Join(dir, "node_modules", ".bin", name)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("the agent is not installed: %v", err)
	}
	return path
}

// runUntil runs a program until it has made the file, and ends its group.
func runUntil(t *testing.T, file, dir string, env []string, path string, args ...string) {
	t.Helper()
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = dir, env
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended
		<-ended
	}()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	limit := time.After(2 * time.Minute)
	for {
		select {
		case err := <-ended:
			ended <- err
			if _, statErr := os.Stat(file); statErr != nil {
				t.Fatalf("%s ended without running us: %v\n%s", filepath.Base(path), err, out.String())
			}
			return
		case <-limit:
			t.Fatalf("%s did not run us in two minutes", filepath.Base(path))
		case <-poll.C:
			if info, err := os.Stat(file); err == nil && info.Size() > 0 {
				return
			}
		}
	}
}

// trustInCodex does what /hooks does: it is the test of codexHash.
func trustInCodex(t *testing.T, a *agent) {
	t.Helper()
	config := fmt.Sprintf("model_provider = \"mock\"\nmodel = \"mock\"\n[model_providers.mock]\nname = \"mock\"\nbase_url = \"%s/v1\"\n"+
		"wire_api = \"responses\"\nenv_key = \"MOCK_KEY\"\n[projects.%q]\ntrust_level = \"trusted\"\n", nowhere, a.Workspace)
	content := readFile(t, a.path(false))
	for label, e := range map[string]event{"stop": a.events()[0], "session_start": a.events()[1]} {
		own, _ := a.split(content, e)
		groups := elements(members(members(content)["hooks"])[e.name])
		group := groups[len(groups)-1] // appended
		config += fmt.Sprintf("[hooks.state.\"%s:%s:%s:0\"]\ntrusted_hash = %q\n", a.path(false), label, own[0].path[2], codexHash(label, own[0], group))
	}
	writeFile(t, filepath.Join(a.Home, ".codex", "config.toml"), []byte(config))
}

func keyForGemini(t *testing.T, a *agent) {
	t.Helper()
	writeFile(t, filepath.Join(a.Home, ".gemini", "settings.json"), []byte(`{"security":{"auth":{"selectedType":"gemini-api-key"},"folderTrust":{"enabled":false}}}`))
}
