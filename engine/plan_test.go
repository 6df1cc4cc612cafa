package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/engine"
)

func runWith(t *testing.T, o engine.Options) engine.Outcome {
	t.Helper()
	outcome, err := engine.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

func TestWhereAPipelineIsFound(t *testing.T) {
	t.Parallel()
	places := []string{
		"scripts/pipelines/p.yaml", "scripts/pipelines/p/pipeline.yaml", "scripts/loops/p/loop.yaml",
		"scripts/loops/p/stage.yaml", "scripts/stages/p/stage.yaml", "scripts/stages/p/loop.yaml",
	}
	for i, place := range places {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			files := make(map[string]string)
			for _, path := range places[i:] {
				files[path] = "command: echo " + path
			}
			b := newBench(t, files)
			if got := string(b.run(t).Output); got != `"`+place+`"` {
				t.Errorf("%s runs, want %s", got, place)
			}
			if got := b.data[0]["stage_file"]; got != filepath.Join(b.workspace, place) || b.data[0]["pipeline_file"] != "" {
				t.Errorf("stage_file %v, pipeline_file %v", got, b.data[0]["pipeline_file"])
			}
		})
	}
}

func TestNamesThatAreAPath(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{
		"other/flow.yaml":                    "stages: [{stage: other/one.yaml}, {loop: nested/two}]",
		"other/one.yaml":                     "command: echo one",
		"scripts/loops/nested/two/loop.yaml": "command: echo two",
	})
	outcome := runWith(t, b.options("other/flow.yaml"))
	want := []engine.Stage{{Name: "one", Iterations: 1}, {Name: "two", Iterations: 1}}
	if diff := cmp.Diff(want, outcome.Stages); diff != "" {
		t.Errorf("stages mismatch (-want +got):\n%s", diff)
	}
}

func TestNamesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", ".", "..", "../p", "a/../p", "a..b", "/etc/p.yaml", "-p", ".p", "p q", "p\n", "p\x00", "é", "p;ls", "~p"} {
		b := alone(t, "true")
		_, err := engine.Run(t.Context(), b.options(name))
		if _, ok := errors.AsType[*engine.NameError](err); !ok {
			t.Errorf("Run of %q = %v, want a NameError", name, err)
		}
		if _, err := os.Stat(b.dir); err == nil {
			t.Errorf("%q made the session directory", name)
		}
	}
}

func TestMaxIterations(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{
		"scripts/pipelines/p.yaml": `
stages:
  - {name: own, loop: three}
  - {name: less, loop: three, max_iterations: 2}
  - {name: runs, loop: three, runs: 1}
  - {name: command, loop: three, command: "true", runs: 4, max_iterations: 1}
  - {command: "true"}
  - &again {loop: three, max_iterations: 1}
  - *again`,
		"scripts/loops/three/loop.yaml": "name: 3\nunknown: {a: [b]}\nmax_iterations: 3\ncommand: \"true\"\n",
	})
	outcome := b.run(t)
	want := []engine.Stage{
		{Name: "own", Iterations: 3}, {Name: "less", Iterations: 2}, {Name: "runs", Iterations: 1}, {Name: "command", Iterations: 1},
		{Name: "stage-5", Iterations: 1}, {Name: "three", Iterations: 1}, {Name: "three", Iterations: 1},
	}
	if diff := cmp.Diff(want, outcome.Stages); diff != "" {
		t.Errorf("stages mismatch (-want +got):\n%s", diff)
	}
	for _, log := range []string{"three-1.log", "three.7-1.log"} { // two stages of one name
		b.read(t, "output/"+log)
	}
}

// A stage's name is free; its log's is not.
func TestStageNameThatIsNoFileName(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"scripts/pipelines/p.yaml": `stages: [{name: "../plan & é", command: echo x}]`})
	if outcome := b.run(t); outcome.Stages[0].Name != "../plan & é" {
		t.Errorf("stage %q", outcome.Stages[0].Name)
	}
	if got := b.read(t, "output/..-plan-----1.log"); got != "x\n" {
		t.Errorf("log %q", got)
	}
}

func TestFilesThatAreWrong(t *testing.T) {
	t.Parallel()
	const p = "scripts/pipelines/p.yaml"
	tests := []struct{ name, content, want string }{
		{"not YAML", "stages: [", p + ":1: not YAML: "},
		{"empty", "# nothing\n", p + ": empty: fill it or remove it"},
		{"a list", "- a", p + ":1: not a mapping: write lines such as"},
		{"neither stages nor command", "name: p\n", p + ": no command: write command: COMMAND"},
		{"stages is text", "stages: work", p + ":1: stages is no list of stages: "},
		{"no stage", "name: p\nstages: []", p + ":2: stages is no list of stages: "},
		{"a stage is text", "stages:\n  - work", p + ":2: not a mapping: "},
		{"a stage without command", "stages:\n  - name: a", p + ":2: a stage without loop and command: "},
		{"loop and stage", "stages:\n  - {loop: a, stage: b}", p + ":2: a stage with both loop and stage: take one out"},
		{"loop outside", "stages:\n  - loop: ../a", p + ":2: `../a` cannot be the name of a stage: a name has "},
		{"loop absolute", "stages:\n  - loop: /etc/a.yaml", p + ":2: `/etc/a.yaml` cannot be"},
		{"missing loop", "stages:\n  - command: x\n  - loop: nowhere", p + ":3: find stage `nowhere`: no such file"},
		{"loop without command", "stages:\n  - loop: empty", "scripts/loops/empty/loop.yaml: no command: "},
		{"loop is a link", "stages:\n  - loop: link", "scripts/loops/link/loop.yaml: not a regular file: put the file itself here"},
		{"loop is a pipe", "stages:\n  - loop: pipe", "scripts/loops/pipe/loop.yaml: not a regular file: "},
		{"loop is long", "stages:\n  - loop: long", "scripts/loops/long/loop.yaml: larger than 1024 KiB: "},
		{"iterations zero", "stages:\n  - command: x\n    max_iterations: 0", p + ":3: max_iterations is `0`: write a number from 1"},
		{"iterations text", "stages:\n  - command: x\n    runs: many", p + ":3: runs is `many`: write a number from 1"},
		{"command is a list", "command: [a]", p + ":1: command is a list: write one value"},
		{"command twice", "command: a\ncommand: b", p + ":2: command is here a second time: take one out"},
		{"command too long for a program", "name: p\ncommand: " + strings.Repeat("true;", 20_000), p + ":2: command is larger than 96 KiB: keep it in a script"},
		{"NUL", `command: "a\0b"`, p + ":1: command has a NUL character"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, map[string]string{p: test.content, "scripts/loops/empty/loop.yaml": "name: empty\n"})
			loop := func(name string) string { return filepath.Join(b.workspace, "scripts/loops", name, "loop.yaml") }
			write(t, loop("long"), strings.Repeat("# long\n", 200_000))
			err := errors.Join(
				os.Mkdir(filepath.Dir(loop("link")), 0o755), os.Symlink("../empty/loop.yaml", loop("link")),
				os.Mkdir(filepath.Dir(loop("pipe")), 0o755), syscall.Mkfifo(loop("pipe"), 0o600),
			)
			if err != nil {
				t.Fatal(err)
			}
			_, err = engine.Run(t.Context(), b.options("p"))
			if err == nil || !strings.HasPrefix(strings.TrimPrefix(err.Error(), "read pipeline: "), test.want) {
				t.Errorf("Run = %v, want %s", err, test.want)
			}
			if _, err := os.Stat(b.dir); err == nil || len(b.points) > 0 {
				t.Errorf("something ran: %q", b.points)
			}
		})
	}
}

func TestMissingPipelineSaysWhereItWouldBe(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	_, err := engine.Run(t.Context(), b.options("nowhere"))
	missing, ok := errors.AsType[*engine.NotFoundError](err)
	if !ok || !strings.HasPrefix(missing.Hint(), "write scripts/pipelines/nowhere.yaml; a file at ") {
		t.Errorf("Run = %v, want a NotFoundError with a hint", err)
	}
}
