package flow

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/examples/engines/temporal/internal/child"
)

func TestTemplate(t *testing.T) {
	t.Parallel()
	template, err := ParseTemplate("sh  {session_dir} --pipeline={pipeline} {inputs} {workspace} {other} {workspace}/{pipeline}")
	if err != nil {
		t.Fatal(err)
	}
	if !filepath.IsAbs(template[0]) || filepath.Base(template[0]) != "sh" {
		t.Errorf("the program is %s", template[0])
	}
	got := template.Argv(child.Child{SessionDir: "/a b", Pipeline: "{inputs}", Workspace: "/w"}, "/in")
	want := []string{"/a b", "--pipeline={inputs}", "/in", "/w", "{other}", "/w/{inputs}"}
	if diff := cmp.Diff(want, got[1:]); diff != "" {
		t.Errorf("Argv mismatch (-want +got):\n%s", diff)
	}
}

func TestTemplateAsList(t *testing.T) {
	t.Parallel()
	template, err := ParseTemplate(` ["sh", "-c", "echo {pipeline}"]`)
	if err != nil {
		t.Fatal(err)
	}
	got := template.Argv(child.Child{Pipeline: "p"}, "")
	if diff := cmp.Diff([]string{"-c", "echo p"}, got[1:]); diff != "" {
		t.Errorf("Argv mismatch (-want +got):\n%s", diff)
	}
}

func TestTemplateThatCannotRun(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"":               "engine: no command",
		" \t":            "engine: no command",
		"[]":             "engine: no command",
		`["a", 1]`:       "engine: not a JSON list of words: json: cannot unmarshal number into Go value of type string",
		"/nowhere/e {x}": `engine: exec: "/nowhere/e": stat /nowhere/e: no such file or directory`,
	}
	for text, want := range tests {
		if _, err := ParseTemplate(text); err == nil || err.Error() != want {
			t.Errorf("ParseTemplate(%q): %v, want %s", text, err, want)
		}
	}
}

// Whatever a child is called, it is as many words, and its own.
func FuzzArgv(f *testing.F) {
	f.Add("/a b", "review", "/w")
	f.Add("{pipeline}", "{session_dir}", "{workspace}\n--x")
	f.Add("", "$(id)", "\x00")
	f.Fuzz(func(t *testing.T, dir, pipeline, workspace string) {
		template := Template{"e", "{session_dir}", "-p={pipeline}", "{workspace}", "{inputs}"}
		got := template.Argv(child.Child{SessionDir: dir, Pipeline: pipeline, Workspace: workspace}, "/in")
		if diff := cmp.Diff([]string{"e", dir, "-p=" + pipeline, workspace, "/in"}, got); diff != "" {
			t.Errorf("Argv mismatch (-want +got):\n%s", diff)
		}
	})
}

// A key for Temporal must not reach hooks, which anybody may have written.
func TestChildEnv(t *testing.T) {
	t.Parallel()
	got := childEnv(strings.Fields("PATH=/bin TEMPORAL_API_KEY=k LC_ALL=C DISCOBOT_X=1 DISCOBOT_WORKSPACE=/old LANGUAGE=x HOME=/h PATHS=x"), "/w")
	want := strings.Fields("PATH=/bin LC_ALL=C DISCOBOT_X=1 HOME=/h DISCOBOT_WORKSPACE=/w")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("childEnv mismatch (-want +got):\n%s", diff)
	}
}
