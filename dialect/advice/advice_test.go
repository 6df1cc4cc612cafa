package advice

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
)

// documented is design 2's example, as written.
const documented = `{
  "id": "bd-adv-pre_commit_tests",
  "title": "Run tests before committing",
  "description": "All code changes must pass tests before commit.",
  "issue_type": "advice",
  "status": "open",
  "labels": ["rig:beads", "role:polecat"],
  "advice_hook_command": "make test",
  "advice_hook_trigger": "before-commit",
  "advice_hook_timeout": 120,
  "advice_hook_on_failure": "block"
}`

const polecat = "beads/polecats/quartz"

// values are the fields of a line.
type values map[string]any

// line is an open advice that runs `true` before a commit, for everybody, but
// for what change says; nil takes a field out.
func line(id string, change values) string {
	all := values{
		"id": id, "title": "Title of " + id, "issue_type": "advice", "status": "open", "labels": []string{"global"},
		"priority": 2, "created_at": "2026-01-31T12:00:00Z",
		"advice_hook_command": "true", "advice_hook_trigger": "before-commit",
	}
	for key, value := range change {
		if all[key] = value; value == nil {
			delete(all, key)
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func lines(all ...string) string { return strings.Join(all, "\n") + "\n" }

func loadText(t *testing.T, text string) dialect.Set {
	t.Helper()
	set, err := New(Options{Workspace: t.TempDir(), Issues: strings.NewReader(text)}).Load()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func ids(set dialect.Set) []string {
	var ids []string
	for _, h := range set.Hooks {
		ids = append(ids, h.Info().ID)
	}
	return ids
}

func words(problems []hook.Problem) []string {
	var words []string
	for _, p := range problems {
		words = append(words, fmt.Sprintf("%s %s", p.Severity, p))
	}
	return words
}

func TestDocumentedExampleLoads(t *testing.T) {
	t.Parallel()
	workspace := t.TempDir()
	writeFile(t, filepath.Join(workspace, DefaultFile), strings.ReplaceAll(documented, "\n", "")+"\n")
	f := New(Options{Workspace: workspace})
	set, err := f.Load()
	if err != nil || len(set.Problems) > 0 || len(set.Hooks) != 1 {
		t.Fatalf("Load() = %v, %v", set, err)
	}
	want := dialect.Info{
		Hook: hook.Hook{
			ID: "bd-adv-pre_commit_tests", Name: "Run tests before committing",
			Description: "All code changes must pass tests before commit.",
			Dialect:     "advice", Event: "before-commit", File: ".beads/issues.jsonl",
			Action: hook.Action{Timeout: 2 * time.Minute},
		},
		Kind: "command", Line: 1, Command: "make test",
	}
	if diff := cmp.Diff(want, set.Hooks[0].Info()); diff != "" {
		t.Errorf("Info() mismatch (-want +got):\n%s", diff)
	}
	for agent, reached := range map[string]bool{polecat: true, "beads/crew/joe": false, "gastown/polecats/onyx": false} {
		ev := &dialect.Event{Name: "before-commit", Data: map[string]any{"agent": agent}}
		if err := f.Open(context.Background(), ev); err != nil {
			t.Fatal(err)
		}
		if reason := set.Hooks[0].Match(ev); (reason == "") != reached {
			t.Errorf("Match for %s = %q", agent, reason)
		}
	}
}

func TestDescription(t *testing.T) {
	t.Parallel()
	want := dialect.Description{
		Name: "advice", RunsOn: true,
		Events: []string{"session-end", "before-commit", "before-push", "before-handoff"},
	}
	if diff := cmp.Diff(want, New(Options{}).Description()); diff != "" {
		t.Errorf("Description() mismatch (-want +got):\n%s", diff)
	}
	if AdviceHookTimeoutDefault != 30 || AdviceHookTimeoutMax != 300 || AdviceHookCommandMax != 1000 {
		t.Error("a limit is not the document's")
	}
	if diff := cmp.Diff([]string{"block", "warn", "ignore"}, ValidAdviceHookOnFailure); diff != "" {
		t.Errorf("ValidAdviceHookOnFailure mismatch (-want +got):\n%s", diff)
	}
}

func TestWhatCountsAsAHook(t *testing.T) {
	t.Parallel()
	const triggers = "session-end, before-commit, before-push, before-handoff"
	hooked := []string{"bd-1"}
	for _, test := range []struct {
		name     string
		id       string
		change   values
		want     []string
		problems []string
	}{
		{name: "1a.1 open advice", want: hooked},
		{name: "1a.1 closed", change: values{"status": "closed"}},
		{name: "1a.1 tombstone", change: values{"status": "tombstone"}},
		{
			name: "1a.1 pinned", change: values{"status": "pinned"},
			problems: []string{`warning -:1: bd-1: only open advice runs, and this has the status "pinned": write "status": "open", or close it`},
		},
		{
			name: "1a.1 no status", change: values{"status": nil},
			problems: []string{`warning -:1: bd-1: only open advice runs, and this has the status "": write "status": "open", or close it`},
		},
		{name: "1a.1 pinned guidance", change: values{"status": "pinned", "advice_hook_command": nil, "advice_hook_trigger": nil}},
		{name: "1a.2 guidance", change: values{"advice_hook_command": nil, "advice_hook_trigger": nil}},
		{name: "1a.2 1000 characters of two bytes", change: values{"advice_hook_command": strings.Repeat("é", 1000)}, want: hooked},
		{
			name: "1a.2 1001 characters", change: values{"advice_hook_command": strings.Repeat("x", 1001)},
			problems: []string{"error -:1: bd-1: advice_hook_command has 1001 characters: write 1000 at most, or call a script"},
		},
		{
			name: "1a.2 NUL", change: values{"advice_hook_command": "a\x00b"},
			problems: []string{"error -:1: bd-1: advice_hook_command holds a NUL, which no command can: take it out"},
		},
		{
			name: "1a.3 case counts", change: values{"advice_hook_trigger": "Before-Commit"},
			problems: []string{`error -:1: bd-1: advice_hook_trigger "Before-Commit" is none: write one of ` + triggers},
		},
		{
			name: "1a.3 command without trigger", change: values{"advice_hook_trigger": nil},
			problems: []string{"error -:1: bd-1: advice_hook_command never runs without advice_hook_trigger: write one of " + triggers},
		},
		{name: "1a.3 trigger without command", change: values{"advice_hook_command": nil}},
		{name: "1a.4 1", change: values{"advice_hook_timeout": 1}, want: hooked},
		{name: "1a.4 300", change: values{"advice_hook_timeout": 300}, want: hooked},
		{
			name: "1a.4 301", change: values{"advice_hook_timeout": 301}, want: hooked,
			problems: []string{"error -:1: bd-1: advice_hook_timeout is 301, and the hook gets 300 seconds: write that, or less"},
		},
		{
			name: "1a.4 negative", change: values{"advice_hook_timeout": -1},
			problems: []string{"error -:1: bd-1: advice_hook_timeout is -1: write seconds from 1 to 300"},
		},
		{
			name: "1a.4 no number", change: values{"advice_hook_timeout": "60"},
			problems: []string{"error -:1: bd-1: advice_hook_timeout must be whole seconds from 1 to 300"},
		},
		{
			name: "1a.4 past any integer", change: values{"advice_hook_timeout": json.Number("1e40")},
			problems: []string{"error -:1: bd-1: advice_hook_timeout must be whole seconds from 1 to 300"},
		},
		{
			name: "1a.5 unknown", change: values{"advice_hook_on_failure": "abort"},
			problems: []string{`error -:1: bd-1: advice_hook_on_failure "abort" is none: write one of block, warn, ignore`},
		},
		{
			name: "1a.6 task", change: values{"issue_type": "task"},
			problems: []string{`warning -:1: bd-1: hook fields belong to advice, and this is of the type "task": write "issue_type": "advice", or take them out`},
		},
		{name: "1a.6 closed task", change: values{"issue_type": "task", "status": "closed"}},
		{name: "null is absent", change: values{"advice_hook_timeout": json.RawMessage("null"), "description": json.RawMessage("null")}, want: hooked},
		{
			name: "wrong types", change: values{"labels": "global", "advice_hook_trigger": 1},
			problems: []string{
				"error -:1: bd-1: labels must be a list of strings",
				"error -:1: bd-1: advice_hook_trigger must be a string",
			},
		},
		{
			name: "id that leads out of the logs", id: "../x",
			problems: []string{"error -:1: ../x: id \"../x\" cannot name a log: use letters, digits, `.`, `_` and `-` after a first letter or digit, 120 at most"},
		},
		{name: "id of guidance names no log", id: "../x", change: values{"advice_hook_command": nil}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			id := "bd-1"
			if test.id != "" {
				id = test.id
			}
			set := loadText(t, lines(line(id, test.change)))
			if diff := cmp.Diff(test.want, ids(set)); diff != "" {
				t.Errorf("hooks mismatch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.problems, words(set.Problems)); diff != "" {
				t.Errorf("problems mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	for written, want := range map[int]time.Duration{0: 30 * time.Second, 1: time.Second, 300: 5 * time.Minute, 4000: 5 * time.Minute} {
		t.Run(fmt.Sprintf("1a.4 %d", written), func(t *testing.T) {
			t.Parallel()
			set := loadText(t, lines(line("bd-1", values{"advice_hook_timeout": written})))
			if got := set.Hooks[0].Info().Action.Timeout; got != want {
				t.Errorf("timeout %v, want %v", got, want)
			}
		})
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		text string
		want []string
	}{
		{"1a.11 priority first", lines(
			line("bd-a", values{"priority": 4}), line("bd-b", values{"priority": 0, "created_at": "2026-03-01T00:00:00Z"}), line("bd-c", values{"priority": 1}),
		), []string{"bd-b", "bd-c", "bd-a"}},
		{"1a.11 instants, not text", lines(
			line("bd-a", values{"created_at": "2026-01-31T10:00:00+02:00"}), line("bd-b", values{"created_at": "2026-01-31T09:00:00Z"}),
			line("bd-c", values{"created_at": "2026-01-31T12:30:00+05:00"}),
		), []string{"bd-c", "bd-a", "bd-b"}},
		{"1a.11 ids last", lines(line("bd-c", nil), line("bd-a", nil), line("bd-b", nil)), []string{"bd-a", "bd-b", "bd-c"}},
		{"1a.11 no specificity", lines(
			line("bd-b", values{"labels": []string{"agent:" + polecat}}), line("bd-a", values{"labels": []string{"global"}}),
		), []string{"bd-a", "bd-b"}},
		{"1a.11 absent is zero", lines(
			line("bd-a", values{"priority": 0}), line("bd-b", values{"priority": nil, "created_at": nil}), line("bd-c", values{"created_at": nil}),
		), []string{"bd-b", "bd-a", "bd-c"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, ids(loadText(t, test.text))); diff != "" {
				t.Errorf("order mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
