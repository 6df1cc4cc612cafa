package agenthost

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// standIn puts a program of our name first in PATH, which does what the script
// says, and returns the environment.
func standIn(t *testing.T, script string) []string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, program), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
}

func TestFire(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string
		level        Level
		want         string
	}{
		{"nothing on stdout", "exit 0", OK, "the agent may stop"},
		{"a block", `printf %s '{"decision":"block","reason":"fix it\nnow"}'`, OK, "it sends the model back to work: fix it"},
		{"text on stdout", "echo hello", Problem, "it prints what is no answer"},
		{"a note", "echo cannot >&2; echo more >&2", Warning, ": cannot"},
		{"a crash", "echo broken >&2; exit 3", Problem, "exit code 3: broken"},
		{"payload, directory, state", `grep -q '"cwd":"'"$PWD"'"' && [ -d "$DISCOBOT_STATE_DIR" ] && [ -z "$COPILOT_CLI$GEMINI_PROJECT_DIR" ] && [ "$CLAUDE_PROJECT_DIR" = "$PWD" ]`, OK, "the agent may stop"},
		{"a hang", "sleep 60", Problem, "it took longer than 4s"},
		{"a child that keeps stdout open", "sleep 60 & exit 0", Problem, "a child of it keeps stdout open"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := testOptions(t)
			h, _ := Find(ClaudeCode)
			writeFile(t, h.in(&o).path(false), []byte(`{"hooks":{"Stop":[{"hooks":[{"command":"discobot-hooks eval-turn --agent claude","timeout":4}]}]}}`))
			env := append(standIn(t, test.script), "COPILOT_CLI=1", "GEMINI_PROJECT_DIR=/elsewhere")
			started := time.Now()
			got, err := h.Fire(t.Context(), o, env)
			if err != nil {
				t.Fatal(err)
			}
			if got.Level != test.level || !strings.Contains(got.Message, test.want) {
				t.Errorf("Fire = %+v, want level %d and %q", got, test.level, test.want)
			}
			if took := time.Since(started); took > 30*time.Second {
				t.Errorf("Fire took %v", took)
			}
		})
	}
}
