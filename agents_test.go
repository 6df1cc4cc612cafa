package discobothooks_test

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/internal/loopback"
)

// content is a model that has only this to say.
func content(loopback.Request) loopback.Reply { return loopback.Reply{Text: "That is all."} }

// A scene is a turn of an agent's, and how it must go.
type scene struct {
	name      string
	notes     string // what the notes say when the turn begins
	fixed     bool   // the model repairs them once it is told
	tool      bool   // the model looks around before it answers a re-prompt
	after     string // what the hook does when it fails
	reprompts []string
	runs      int // of the hook
}

var thrice = []string{"1/3", "2/3", "3/3"}

var scenes = []scene{
	{name: "nothing changed", notes: goodNotes, reprompts: []string{}},
	{name: "fails for ever", notes: badNotes, reprompts: thrice, runs: 4},
	{name: "fixed after the first re-prompt", notes: badNotes, fixed: true, reprompts: []string{"1/3"}, runs: 2},
	{name: "each retry uses a tool", notes: badNotes, tool: true, reprompts: thrice, runs: 4},
	{name: "a background child holds the hook's output", notes: badNotes, after: "sleep 300 &", reprompts: thrice, runs: 4},
}

// Real agents are sent back to work with the hook's failure, three times at
// most, and then end by themselves.
func TestRealAgents(t *testing.T) {
	t.Parallel()
	for _, a := range agents() {
		for _, scene := range scenes {
			t.Run(a.name+"/"+scene.name, func(t *testing.T) {
				t.Parallel()
				scene.play(t, a)
			})
		}
	}
}

// The user's next turn in the same session begins with three re-prompts again.
func TestRealAgentsAreAskedAgain(t *testing.T) {
	t.Parallel()
	for _, a := range agents() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			locate(t, a)
			s := newStage(t, "")
			s.connect(a)
			s.write("notes.txt", badNotes, 0o644)
			for range 2 {
				if diff := cmp.Diff(thrice, reprompts(s.run(a, content).requests)); diff != "" {
					t.Errorf("re-prompts mismatch (-want +got):\n%s", diff)
				}
				a.args = a.again
			}
			if sessions := s.sessions(); len(sessions) != 1 {
				t.Errorf("turns were evaluated in sessions %q, want one: it was not gone on with", sessions)
			}
		})
	}
}

func (c scene) play(t *testing.T, a agent) {
	locate(t, a)
	s := newStage(t, c.after)
	s.connect(a)
	s.write("notes.txt", c.notes, 0o644)
	last := ""
	got := s.run(a, func(r loopback.Request) loopback.Reply {
		number := reprompted(r)
		switch {
		case number != "" && c.tool:
			return s.use(a)
		case number != "" && c.fixed:
			s.repo.Write("notes.txt", mendedNotes)
		}
		reply := fmt.Sprintf("This is an answer to %d bytes.", len(r.Body))
		if number != "" || r.Tool || strings.Contains(r.News, prompt) { // not a title, or a summary
			last = reply
		}
		return loopback.Reply{Text: reply}
	})
	if diff := cmp.Diff(c.reprompts, reprompts(got.requests)); diff != "" {
		t.Errorf("re-prompts mismatch (-want +got):\n%s", diff)
	}
	if runs := s.runs(); runs != c.runs {
		t.Errorf("the hook ran %d times, want %d", runs, c.runs)
	}
	if sessions := s.sessions(); len(sessions) != 1 {
		t.Errorf("turns were evaluated in sessions %q, want one", sessions)
	}
	if last == "" || !strings.Contains(got.printed, last) {
		t.Errorf("the agent did not print the model's last answer, %q", last)
	}
	for i, r := range got.requests {
		if number := reprompted(r); number != "" {
			holdsTheFailure(t, a, r)
			if c.tool && !toolUsed(a, number, got.requests[i+1:]) {
				t.Errorf("after re-prompt %s tool %s was not used; there are %q", number, a.tool, r.Tools)
			}
		}
	}
}

// holdsTheFailure wants the whole message in a re-prompt.
func holdsTheFailure(t *testing.T, a agent, r loopback.Request) {
	t.Helper()
	message := r.News
	if a.escapes {
		message = html.UnescapeString(message)
	}
	for _, part := range []string{`"No bad notes" (pattern: *.txt)`, "Files: notes.txt\n", "Exit code: 1\n", says} {
		if !strings.Contains(message, part) {
			t.Errorf("re-prompt %s does not hold %q:\n%s", reprompted(r), part, message)
		}
	}
}

// toolUsed tells whether what follows the re-prompt is the result of a tool.
// What it shows counts the first time alone: some agents do not show a file
// again that is as it was.
func toolUsed(a agent, number string, following []loopback.Request) bool {
	return len(following) > 0 && following[0].Tool && (number != thrice[0] || strings.Contains(following[0].News, a.shows))
}
