package discobothooks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// openCodeProgram is OpenCode's executable: of PATH, or of DISCOBOT_TEST_AGENTS, a
// directory with node_modules/.bin.
func openCodeProgram(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("DISCOBOT_TEST_AGENTS"); dir != "" {
		if file, err := exec.LookPath(filepath.Join(dir, "node_modules", ".bin", "opencode")); err == nil {
			return file
		}
	}
	file, err := exec.LookPath("opencode")
	if err != nil {
		t.Skip("opencode is not installed, neither in PATH nor in DISCOBOT_TEST_AGENTS")
	}
	return file
}

// An openCodeStage is a project, a home and a model for one OpenCode.
type openCodeStage struct {
	dir, project, home, url string
	model                   *openCodeModel
}

// newOpenCodeStage makes a repository with that hook on *.txt, and a.txt that is dirty or not.
func newOpenCodeStage(t *testing.T, hook string, dirty bool) *openCodeStage {
	t.Helper()
	dir := t.TempDir()
	s := &openCodeStage{dir: dir, project: filepath.Join(dir, "project"), home: filepath.Join(dir, "home"), model: newOpenCodeModel(t)}
	plugin, err := os.ReadFile(filepath.Join("agenthost", "opencode.js"))
	if err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf(`{"provider": {"mock": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": %q, "apiKey": "x"}, "models": {"mock": {}}}},
		"model": "mock/mock", "small_model": "mock/mock", "share": "disabled", "autoupdate": false}`, s.model.url+"/v1")
	write(t, filepath.Join(s.home, ".gitconfig"), gitConfig, 0o644)
	write(t, filepath.Join(s.project, "opencode.json"), config, 0o644)
	write(t, filepath.Join(s.project, ".opencode", "plugins", "discobot-hooks.js"), string(plugin), 0o644)
	write(t, filepath.Join(s.project, ".discobot", "hooks", "check.sh"), "#!/bin/sh\n#---\n# name: Check\n# type: file\n# pattern: \"*.txt\"\n#---\necho x >>"+filepath.Join(dir, "runs")+"\n"+hook+"\n", 0o755)
	// Where it has its packages already OpenCode fetches none.
	for _, at := range []string{filepath.Join(s.project, ".opencode"), filepath.Join(s.home, ".config", "opencode")} {
		write(t, filepath.Join(at, "package-lock.json"), `{"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}`, 0o644)
		write(t, filepath.Join(at, "node_modules", ".keep"), "", 0o644)
	}
	write(t, filepath.Join(dir, "bin", "discobot-hooks"), fmt.Sprintf(`#!/bin/sh
		payload=$(cat)
		[ "$1" = eval-turn ] || { printf '%%s\n' "$* $payload" >>%[1]s/starts; exit; }
		echo $$ >>%[1]s/pids
		answer=$(printf '%%s' "$payload" | %[2]s/discobot-hooks "$@")
		printf '%%s' "$answer"
		printf '%%s\n' "$payload $answer" >>%[1]s/calls
		`, dir, binaryDir), 0o755)
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-qm", "all"}} {
		if out, err := s.command(t, "git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	if dirty {
		write(t, filepath.Join(s.project, "a.txt"), "broken\n", 0o644)
	}
	return s
}

// command runs a program in the project, with the stage's home and programs, in a group of its own that ends with the test.
func (s *openCodeStage) command(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = s.project
	cmd.Env = []string{
		"HOME=" + s.home, "DISCOBOT_USER_HOME=" + s.home, "TMPDIR=" + os.TempDir(),
		"PATH=" + filepath.Join(s.dir, "bin") + string(os.PathListSeparator) + os.Getenv("PATH"),
		"GIT_CONFIG_GLOBAL=" + filepath.Join(s.home, ".gitconfig"), "GIT_CONFIG_NOSYSTEM=1",
		"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// serve starts OpenCode's server, which ends with the test.
func (s *openCodeStage) serve(t *testing.T, opencode string) {
	t.Helper()
	log := filepath.Join(s.dir, "server.log")
	out, err := os.Create(log)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := s.command(t, opencode, "serve", "--port", "0", "--hostname", "127.0.0.1")
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Cancel()
		_ = cmd.Wait()
	})
	listening := regexp.MustCompile(`listening on (http://\S+)`)
	for range 3000 {
		text, _ := os.ReadFile(log)
		if m := listening.FindSubmatch(text); m != nil {
			s.url = string(m[1])
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	text, _ := os.ReadFile(log)
	t.Fatalf("opencode serve does not listen:\n%s", text)
}

func (s *openCodeStage) session(t *testing.T) string {
	t.Helper()
	var session struct {
		ID string `json:"id"`
	}
	s.post(t, "/session", `{}`, &session)
	return session.ID
}

// turn is a user's; it returns when the model has answered.
func (s *openCodeStage) turn(t *testing.T, id string) {
	t.Helper()
	var answer any
	s.post(t, "/session/"+id+"/message", `{"parts": [{"type": "text", "text": "hello"}]}`, &answer)
}

func (s *openCodeStage) post(t *testing.T, path, body string, answer any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil || response.StatusCode >= 300 {
		t.Fatalf("POST %s: %s, %v", path, response.Status, err)
	}
}

// evaluations waits until eval-turn has answered n times, and gives payloads and answers.
func (s *openCodeStage) evaluations(t *testing.T, n int) (calls []string) {
	t.Helper()
	for range 3000 {
		if calls = s.lines(t, "calls"); len(calls) >= n {
			return calls
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("%d evaluations, want %d:\n%s", len(calls), n, strings.Join(calls, "\n"))
	return nil
}

func (s *openCodeStage) lines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, file))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
}

// openCodeAttempts are the answers' attempts, empty where the agent may stop.
func openCodeAttempts(calls []string) (attempts []string) {
	attempt := regexp.MustCompile(`\(Attempt (\d/\d)\)`)
	for _, call := range calls {
		m := append(attempt.FindStringSubmatch(call), "", "")
		attempts = append(attempts, m[1])
	}
	return attempts
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
