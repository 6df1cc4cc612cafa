package advice

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestString(t *testing.T) {
	t.Parallel()
	hooked := Advice{
		ID: "bd-abc123", Title: "Always run tests", Labels: []string{"rig:beads", "role:polecat"},
		HookCommand: "make test", HookTrigger: "before-commit", HookOnFailure: "block",
	}
	for _, test := range []struct {
		name   string
		advice Advice
		want   string
	}{
		{"the document's", hooked, "  bd-abc123 · Always run tests [before-commit: make test] (block)\n  Target: beads/polecat"},
		{"guidance", Advice{ID: "bd-1", Title: "Be kind", Labels: []string{"global"}}, "  bd-1 · Be kind\n  Target: global"},
		{"defaults", Advice{ID: "bd-1", HookCommand: "x"}, "  bd-1 · bd-1 [no trigger: x] (warn)\n  Target: nobody: it has no labels"},
		{"several of a dimension", Advice{ID: "bd-1", Title: "t", Labels: []string{"go", "rig:a", "agent:a/b/c", "rig:b", "role:x", "g1:rig:c"}}, "  bd-1 · t\n  Target: a,b/x, a/b/c, go, g1:rig:c"},
		{"role of any rig", Advice{ID: "bd-1", Title: "t", Labels: []string{"role:x"}}, "  bd-1 · t\n  Target: */x"},
		{"hostile", Advice{ID: "a\x1b[2Jb", Title: "x\ny\x1b]0;z\x07", Labels: []string{"rig:\x1b[1mr\n"}, HookCommand: "a\nb", HookTrigger: "\u202e", HookOnFailure: "\a"}, "  ab · x y [: a b] ()\n  Target: r"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, test.advice.String()); diff != "" {
				t.Errorf("String() mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	text := lines(
		line("bd-late", values{"priority": 3}), line("bd-first", values{"priority": 0, "labels": []string{"rig:gastown"}}),
		line("bd-guide", values{"advice_hook_command": nil}), line("bd-closed", values{"status": "closed"}),
		line("bd-go", values{"labels": []string{"go"}, "priority": 4}), `{"id":"bd-task","issue_type":"task","status":"open"}`,
	)
	for _, test := range []struct {
		name    string
		options Options
		want    []string
	}{
		{"1a.15 all", Options{}, []string{"bd-first", "bd-guide", "bd-late", "bd-go"}},
		{"1a.15 of an agent", Options{Agent: polecat}, []string{"bd-guide", "bd-late"}},
		{"1a.15 of BD_ACTOR, with a subscription", Options{Actor: polecat, Subscribe: []string{"go"}}, []string{"bd-guide", "bd-late", "bd-go"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.options.Issues = strings.NewReader(text)
			list, problems, err := List(test.options)
			if err != nil || len(problems) > 0 {
				t.Fatal(problems, err)
			}
			var got []string
			for _, a := range list {
				got = append(got, a.ID)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("List() mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
