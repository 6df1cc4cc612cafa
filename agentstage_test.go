package discobothooks_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"discobot-hooks/internal/gittest"
	"discobot-hooks/internal/loopback"
)

// A stage is a workspace with a file hook, a home, and a model, for one or
// more runs of agents.
type stage struct {
	t     *testing.T
	repo  gittest.Repo
	home  string
	bin   string // what comes first in the agents' PATH
	model *loopback.Model
	part  part // of the run that there is
}

// A part is how the model answers.
type part func(loopback.Request) loopback.Reply

const (
	goodNotes   = "good notes\n"
	badNotes    = "bad notes\n"
	mendedNotes = "good notes, by and large\n" // not as committed: that would be no change at all
	// says has what a protocol might spoil on the way to the model.
	says = `CHECK SAYS: 1 < 2 & "quoted" \ too`
)

// check fails while its files say bad, and counts its runs.
const check = `#!/bin/sh
#---
# name: No bad notes
# type: file
# pattern: "*.txt"
#---
echo ran >> "$HOME/runs"
xargs -0 grep bad < "$DISCOBOT_CHANGED_FILES_FILE" || exit 0
echo '` + says + `'
`

// newStage has a workspace where all is committed. After is what the hook does
// once it has failed.
func newStage(t *testing.T, after string) *stage {
	t.Helper()
	s := &stage{t: t, repo: gittest.New(t), home: t.TempDir(), bin: binaryDir}
	s.write(".discobot/hooks/check.sh", check+after+"\nexit 1\n", 0o755)
	s.write("notes.txt", goodNotes, 0o644)
	s.repo.Git("add", "-A")
	s.repo.Git("commit", "-qm", "a workspace")
	s.model = loopback.New(func(r loopback.Request) loopback.Reply { return s.part(r) })
	t.Cleanup(s.model.Close)
	return s
}

func (s *stage) write(path, content string, mode os.FileMode) {
	s.t.Helper()
	s.repo.Write(path, content)
	if err := os.Chmod(filepath.Join(s.repo.Dir, path), mode); err != nil {
		s.t.Fatal(err)
	}
}

// connect registers us with the agent, and gives it the settings of its user.
func (s *stage) connect(a agent) {
	s.t.Helper()
	for path, content := range a.home {
		full := filepath.Join(s.home, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(s.fill(content)), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	cmd := exec.Command(filepath.Join(binaryDir, "discobot-hooks"), "connect", a.name)
	cmd.Dir, cmd.Env = s.repo.Dir, s.env(a)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("connect %s: %v\n%s", a.name, err, out)
	}
}

// fill replaces the names that an agent's texts leave open.
func (s *stage) fill(text string) string {
	file := filepath.Join(s.repo.Dir, "notes.txt")
	return strings.NewReplacer("{URL}", s.model.URL, "{FILE}", file, "{DIR}", s.repo.Dir).Replace(text)
}

// use is a reply that uses the agent's tool.
func (s *stage) use(a agent) loopback.Reply {
	input := make(map[string]any)
	for name, value := range a.input {
		input[name] = s.fill(fmt.Sprint(value))
	}
	return loopback.Reply{Tool: a.tool, Input: input}
}

var attempt = regexp.MustCompile(`\(Attempt (\d+/\d+)\)`)

// reprompted is the number of the re-prompt that the request brings the model,
// such as 1/3; empty where it brings none. Titles and summaries, in which the
// model has no tools, bring none, and neither does one further up in the
// conversation.
func reprompted(r loopback.Request) string {
	found := attempt.FindStringSubmatch(r.News)
	if found == nil || r.Tool || len(r.Tools) == 0 {
		return ""
	}
	return found[1]
}

// reprompts are the numbers of those in the requests, in order.
func reprompts(requests []loopback.Request) []string {
	numbers := []string{}
	for _, r := range requests {
		if number := reprompted(r); number != "" {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// runs is how often the hook ran.
func (s *stage) runs() int {
	s.t.Helper()
	content, err := os.ReadFile(filepath.Join(s.home, "runs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.t.Fatal(err)
	}
	return bytes.Count(content, []byte("\n"))
}

// sessions are those in which a turn was evaluated.
func (s *stage) sessions() []string {
	s.t.Helper()
	markers, err := filepath.Glob(filepath.Join(s.home, ".discobot", "*", "hooks", ".last-eval"))
	if err != nil {
		s.t.Fatal(err)
	}
	var sessions []string
	for _, marker := range markers {
		sessions = append(sessions, filepath.Base(filepath.Dir(filepath.Dir(marker))))
	}
	return slices.Sorted(slices.Values(sessions))
}
