package pipeline_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/dialect"
	"discobot-hooks/dialect/pipeline"
)

const one = "hooks:\n  on_error:\n    - {type: shell, command: \"true\"}\n"

func TestLayersRunFromTheNarrowestToTheWidest(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"loop.yaml":                               "name: work\ntermination: {type: queue}\n" + one,
		"flow/pipeline.yaml":                      "description: no name\nstages: [{name: a, loop: b}]\n" + one,
		"~/.config/agent-pipelines/hooks.yaml":    one,
		"~/elsewhere/agent-pipelines/hooks.yaml":  one + one[len("hooks:\n  on_error:\n"):],
		"not-asked-for/pipeline.yaml/no/such.yml": "",
	}
	all := []string{"stage-work-on_error-1", "pipeline-flow-on_error-1", "global-on_error-1"}
	for _, tt := range []struct {
		name   string
		change func(*place)
		want   []string
	}{
		{"all three", func(*place) {}, all},
		{"a directory stands for the file in it", func(p *place) { p.options.Pipeline = "flow" }, all},
		{"XDG_CONFIG_HOME", func(p *place) {
			p.options.Env = append(p.options.Env, "XDG_CONFIG_HOME="+filepath.Join(p.options.Home, "elsewhere"))
		}, append(all[:3:3], "global-on_error-2")},
		{"a relative XDG_CONFIG_HOME is none", func(p *place) { p.options.Env = append(p.options.Env, "XDG_CONFIG_HOME=elsewhere") }, all},
		{"the stage disables the global ones", func(p *place) { p.write("loop.yaml", "disable_global_hooks: true\nname: work\n"+one) }, all[:2]},
		{"the pipeline does", func(p *place) { p.write("flow/pipeline.yaml", "disable_global_hooks: true\n"+one) }, all[:2]},
		{"false disables nothing", func(p *place) { p.write("flow/pipeline.yaml", "disable_global_hooks: false\n"+one) }, all},
		{"the global file alone", func(p *place) { p.options.Stage, p.options.Pipeline = "", "" }, all[2:]},
		{"nothing at all", func(p *place) { p.options.Stage, p.options.Pipeline, p.options.Home = "", "", "" }, nil},
		{"an empty global file", func(p *place) { p.write("~/.config/agent-pipelines/hooks.yaml", "# nothing now\n") }, all[:2]},
		{"a link to the global file", func(p *place) {
			path := filepath.Join(p.options.Home, ".config/agent-pipelines/hooks.yaml")
			if err := errors.Join(os.Rename(path, path+".real"), os.Symlink("hooks.yaml.real", path)); err != nil {
				p.t.Fatal(err)
			}
		}, all},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, files)
			p.options.Stage, p.options.Pipeline = "loop.yaml", "flow/pipeline.yaml"
			tt.change(p)
			set, problems := p.load()
			if diff := cmp.Diff(tt.want, ids(set.Hooks)); diff != "" || len(problems) > 0 {
				t.Errorf("hooks mismatch (-want +got):\n%s%q", diff, problems)
			}
		})
	}
}

// A gate may be in a file that cannot be read, so that emitting must not go on
// as if there were none.
func TestUnreadableFileIsAnError(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, file, content, want string }{
		{"not YAML", "pipeline.yaml", "hooks: [\n", "pipeline.yaml:1: not YAML: "},
		{"a list", "pipeline.yaml", "- hooks\n", "pipeline.yaml:1: not a pipeline file: write hooks: with the hook points below it"},
		{"hooks is a list", "loop.yaml", "hooks: [a]\n", "loop.yaml:1: hooks is a list: write the hook points below it, such as on_stage_complete: with a list of actions"},
		{"a point without a list", "loop.yaml", "hooks:\n  on_error:\n    type: shell\n", "loop.yaml:3: on_error is a mapping: write a list of actions, each such as - type: shell"},
		{"a point twice", "loop.yaml", "hooks:\n  on_error: []\n  on_error: []\n", "loop.yaml:3: on_error is here a second time: put all its actions into one list"},
		{"a tag hides what follows", "loop.yaml", "hooks:\n  on_error: [{type: webhook, url: \"${X}\", body: !!str 5}]\n  on_stage_complete: []\n", "loop.yaml:2: tags (!name) are not supported"},
		{"disable_global_hooks", "loop.yaml", "disable_global_hooks: 1\nhooks:\n", "loop.yaml:1: disable_global_hooks is `1`: write true or false, without quotes"},
		{"too large", "loop.yaml", strings.Repeat("#", 2<<20), "loop.yaml: larger than 1024 KiB"},
		{"global", "~/.config/agent-pipelines/hooks.yaml", "a: b: c\n", "hooks.yaml: not YAML: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := pipeline.New(newPlace(t, map[string]string{tt.file: tt.content}).options).Load()
			var unreadable *dialect.FileError
			if !errors.As(err, &unreadable) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
	p := newPlace(t, nil)
	p.options.Stage = "gone/loop.yaml"
	if _, err := pipeline.New(p.options).Load(); err == nil || !strings.Contains(err.Error(), "gone/loop.yaml: cannot be read: no such file") {
		t.Errorf("error %v for a file that somebody named and is not there", err)
	}
}
