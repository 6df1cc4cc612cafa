package discobothooks_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/internal/loopback"
)

// Copilot also runs the hooks of Claude Code's settings, and so asks twice at
// each stop.
func TestRealAgentsCopilotWithClaudesSettings(t *testing.T) {
	t.Parallel()
	locate(t, copilot())
	s := newStage(t, "")
	s.connect(copilot())
	s.connect(claude())
	asked := s.countCalls()
	s.write("notes.txt", badNotes, 0o644)
	got := s.run(copilot(), content)
	if diff := cmp.Diff(thrice, reprompts(got.requests)); diff != "" {
		t.Errorf("re-prompts mismatch (-want +got):\n%s", diff)
	}
	if runs := s.runs(); runs != 4 {
		t.Errorf("the hook ran %d times, want once at each of 4 stops", runs)
	}
	if calls := asked(); len(calls) != 8 {
		t.Errorf("Copilot asked %d times, want twice at each of 4 stops: it no longer does what this test is about:\n%s", len(calls), strings.Join(calls, "\n"))
	}
}

// countCalls puts a program before ours in the agents' PATH that notes each
// call, and returns what gets those at the end of a turn.
func (s *stage) countCalls() func() []string {
	s.t.Helper()
	const wrapper = "#!/bin/sh\necho \"$*\" >> \"$HOME/calls\"\nexec '{REAL}' \"$@\"\n"
	s.bin = filepath.Join(filepath.Dir(s.repo.Dir), "bin")
	s.write("../bin/discobot-hooks", strings.Replace(wrapper, "{REAL}", filepath.Join(binaryDir, "discobot-hooks"), 1), 0o755)
	return func() []string {
		s.t.Helper()
		calls, err := os.ReadFile(filepath.Join(s.home, "calls"))
		if err != nil {
			s.t.Fatal(err)
		}
		ends := strings.Split(strings.TrimSpace(string(calls)), "\n")
		return slices.DeleteFunc(ends, func(call string) bool { return !strings.HasPrefix(call, "eval-turn") }) // session, at the start
	}
}

// An agent is not sent to mend what another one broke in the same workspace,
// but still what it breaks itself.
func TestRealAgentsInOneWorkspace(t *testing.T) {
	t.Parallel()
	locate(t, claude())
	locate(t, codex())
	s := newStage(t, "")
	s.connect(claude())
	s.connect(codex())
	s.write("notes.txt", badNotes, 0o644)
	if diff := cmp.Diff(thrice, reprompts(s.run(claude(), content).requests)); diff != "" {
		t.Errorf("first agent: re-prompts mismatch (-want +got):\n%s", diff)
	}
	before := s.runs()
	if diff := cmp.Diff([]string{}, reprompts(s.run(codex(), content).requests)); diff != "" {
		t.Errorf("second agent, which edits nothing: re-prompts mismatch (-want +got):\n%s", diff)
	}
	if runs := s.runs(); runs != before {
		t.Errorf("the hook ran %d times for the second agent, which edits nothing", runs-before)
	}
	got := s.run(codex(), func(r loopback.Request) loopback.Reply {
		text := badNotes
		if reprompted(r) != "" {
			text = mendedNotes
		}
		s.repo.Write("own.txt", text)
		return content(r)
	})
	if diff := cmp.Diff([]string{"1/3"}, reprompts(got.requests)); diff != "" {
		t.Fatalf("an agent that breaks something: re-prompts mismatch (-want +got):\n%s", diff)
	}
	for _, r := range got.requests {
		if reprompted(r) != "" && !strings.Contains(r.News, "Files: own.txt\n") {
			t.Errorf("the message is not only about the agent's own file:\n%s", r.News)
		}
	}
	if sessions := s.sessions(); len(sessions) != 3 {
		t.Errorf("turns were evaluated in sessions %q, want three", sessions)
	}
}

// The end of a subagent is not the turn's: only the main agent is sent back to
// work, and as ever. Claude Code's and Qwen Code's work on while the main agent
// stops, and wake it.
func TestRealAgentsWithSubagents(t *testing.T) {
	t.Parallel()
	for _, a := range agents() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			locate(t, a)
			s := newStage(t, "")
			s.connect(a)
			s.write("notes.txt", badNotes, 0o644)
			asked, errands := false, 0
			got := s.run(a, func(r loopback.Request) loopback.Reply {
				switch {
				case !asked:
					asked = true
					return a.task
				case strings.Contains(r.News, errand) && !r.Tool && errands == 0:
					errands++
					return s.use(a)
				case r.Tool && strings.Contains(r.News, a.shows) && a.report.Tool != "":
					return a.report
				}
				return content(r)
			})
			if errands != 1 {
				t.Fatalf("no subagent was at work; there are tools %q", got.requests[0].Tools)
			}
			if diff := cmp.Diff(thrice, reprompts(got.requests)); diff != "" {
				t.Errorf("re-prompts mismatch (-want +got):\n%s", diff)
			}
			if runs := s.runs(); runs != 4 {
				t.Errorf("the hook ran %d times, want 4", runs)
			}
			if sessions := s.sessions(); len(sessions) != 1 {
				t.Errorf("turns were evaluated in sessions %q, want the main one alone", sessions)
			}
		})
	}
}

// thought is how long a model takes for an answer, at the least. Copilot writes its
// transcript every second, and we find there what woke it.
const thought = 2 * time.Second

// An agent that something in the background wakes is not its user who asks again:
// re-prompts are counted on, where the model answers each by starting such a thing.
func TestRealAgentsThatWakeThemselves(t *testing.T) {
	t.Parallel()
	for _, a := range agents() {
		if a.aside.Tool == "" {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			locate(t, a)
			s := newStage(t, "")
			s.connect(a)
			s.write("notes.txt", badNotes, 0o644)
			told := 0
			got := s.run(a, func(r loopback.Request) loopback.Reply {
				if reprompted(r) != "" {
					told++
				} else {
					time.Sleep(thought)
				}
				if reprompted(r) == "" || told > 4*len(thrice) { // enough to see that it has no end
					return content(r)
				}
				return a.aside
			})
			// Copilot may put a later message before an earlier one.
			if diff := cmp.Diff(thrice, slices.Sorted(slices.Values(reprompts(got.requests)))); diff != "" {
				t.Errorf("re-prompts mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
