package discobothooks_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fixtureProject is the project's directory in the recorded payloads.
const fixtureProject = "/home/dev/project"

// Each agent's recorded payload is answered with exactly the bytes that this
// agent was seen to understand: where a hook fails, and where none does.
func TestAgentsGetTheirOwnAnswer(t *testing.T) {
	t.Parallel()
	payloads, err := filepath.Glob("agenthost/testdata/*/stop_stdin*.json")
	if err != nil || len(payloads) < 15 {
		t.Fatalf("found %d payloads: %v", len(payloads), err)
	}
	for _, file := range payloads {
		agent := filepath.Base(filepath.Dir(file))
		for _, name := range []string{agent, "auto"} {
			for _, answer := range []string{"block", "allow"} {
				t.Run(strings.Join([]string{filepath.Base(file), agent, name, answer}, "/"), func(t *testing.T) {
					t.Parallel()
					project := projectThatFails(t, answer == "block")
					payload := readFile(t, file)
					got := evalTurn(t, project, strings.ReplaceAll(payload, fixtureProject, project), name)
					want := readFile(t, filepath.Join(filepath.Dir(file), answer+".stdout"))
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("eval-turn --agent %s mismatch (-want +got):\n%s", name, diff)
					}
				})
			}
		}
	}
}

// projectThatFails is a work tree with the hook of the recorded answers. It
// fails, or has nothing to do.
func projectThatFails(t *testing.T, fails bool) string {
	t.Helper()
	project := t.TempDir()
	hook := filepath.Join(project, ".discobot", "hooks", "gofmt.sh")
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	const script = "#!/bin/sh\n#---\n# name: Go format check\n# type: file\n# pattern: \"*.go\"\n#---\n" +
		"echo $DISCOBOT_CHANGED_FILES\nexit 1\n"
	file := "notes.txt"
	if fails {
		file = "main.go"
	}
	if err := os.WriteFile(hook, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(project, file), []byte("x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "init", "-q", project).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	return project
}

func evalTurn(t *testing.T, dir, payload, agent string) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(binaryDir, "discobot-hooks"), "eval-turn", "--agent", agent)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(payload)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("eval-turn: %v\n%s", err, stderr.String())
	}
	return stdout.String()
}

func readFile(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
