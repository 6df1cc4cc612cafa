package engine_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/engine"
)

var variables = []string{
	"SESSION", "STAGE", "NEXT_STAGE", "ITERATION", "MAX_ITERATIONS", "PROGRESS", "STATUS", "CTX",
	"LAST_DECISION", "LAST_HOOK_STATUS", "CHANGED_FILES", "STAGE_OUTPUTS", "ERROR", "TIMESTAMP",
	"CALLBACK_URL", "HOOK_RESPONSE", "SPAWN_OUTPUT", "STAGE_OUTPUTS_FILE", "INPUTS", "SESSION_DIR", "DISCOBOT_WORKSPACE",
}

// A variable of the caller's that has a pipeline's name is not the pipeline's.
func TestSameNamedVariablesDoNotLeakIn(t *testing.T) {
	t.Parallel()
	b := alone(t, "env -0 >env; pwd >cwd")
	o := b.options("p")
	for _, name := range variables {
		o.Env = append(o.Env, name+"=leaked")
	}
	o.Env = append(o.Env, "OTHER=kept")
	runWith(t, o)
	got := make(map[string]string)
	for entry := range strings.SplitSeq(b.read(t, "env"), "\x00") {
		name, value, _ := strings.Cut(entry, "=")
		got[name] = value
	}
	want := map[string]string{
		"SESSION": "s1", "STAGE": "p", "ITERATION": "1", "MAX_ITERATIONS": "1", "STAGE_OUTPUTS": "[]",
		"PROGRESS": b.dir + "/progress.md", "STATUS": b.dir + "/status.json", "CTX": b.dir + "/context.json",
		"INPUTS": b.dir + "/inputs.json", "SESSION_DIR": b.dir, "DISCOBOT_WORKSPACE": b.workspace, "TIMESTAMP": got["TIMESTAMP"],
	}
	for _, name := range variables {
		value, ok := got[name]
		if !ok || value != want[name] {
			t.Errorf("%s is %q, %v; want %q", name, value, ok, want[name])
		}
	}
	if got["OTHER"] != "kept" || got["TIMESTAMP"] == "leaked" {
		t.Errorf("OTHER is %q, TIMESTAMP %q", got["OTHER"], got["TIMESTAMP"])
	}
	if cwd := strings.TrimSpace(b.read(t, "cwd")); cwd != b.dir {
		t.Errorf("the command runs in %s, want %s", cwd, b.dir)
	}
	if got := b.read(t, "progress.md") + b.read(t, "inputs.json"); got != "{}\n" {
		t.Errorf("progress and inputs begin as %q", got)
	}
}

// context.json has the values of the iteration under way.
func TestContextFile(t *testing.T) {
	t.Parallel()
	b := alone(t, `cp "$CTX" "ctx-$ITERATION"`, "max_iterations: 2")
	b.run(t)
	for name, want := range map[string]float64{"ctx-1": 1, "ctx-2": 2} {
		var context map[string]any
		if err := json.Unmarshal([]byte(b.read(t, name)), &context); err != nil || context["iteration"] != want || context["session"] != "s1" {
			t.Errorf("%s has %v, %v", name, context, err)
		}
	}
}

func TestOutput(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, command, file, outcome string }{
		{"text", "printf 'one\\ntwo\\n\\n'", `"one\ntwo\n"`, ""},
		{"JSON stays as it is", `printf '{ "b": 1,\n "a":1.0}\n'`, "{ \"b\": 1,\n \"a\":1.0}\n", ""},
		{"two documents are text", `echo 1; echo 2`, `"1\n2"`, ""},
		{"nothing", "true", `""`, ""},
		{"stderr is none", "echo x >&2", `""`, ""},
		{"bytes that are not UTF-8", `printf 'a\377<b>'`, `"a` + "\uFFFD" + `<b>"`, ""},
		{"the command's own file", `echo '{"own": true}' >output.json`, "{\"own\": true}\n", ""},
		{"the command's own file, not JSON", `echo own >output.json`, "own\n", `"own"`},
		{"both: what is printed counts", `echo own >output.json; echo printed`, `"printed"`, ""},
		{"its own file is a link", `ln -s /etc/passwd output.json`, `""`, ""},
		{"its own file is a pipe", `mkfifo output.json`, `""`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := alone(t, test.command)
			outcome := b.run(t)
			if diff := cmp.Diff(test.file, b.read(t, "output.json")); diff != "" {
				t.Errorf("output.json mismatch (-want +got):\n%s", diff)
			}
			want := test.outcome
			if want == "" {
				want = test.file
			}
			if diff := cmp.Diff(want, string(outcome.Output)); diff != "" {
				t.Errorf("Output mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// An output.json that was there before, or is of an iteration before the last,
// is not the last one's.
func TestStaleFilesAreNobodysWord(t *testing.T) {
	t.Parallel()
	b := alone(t, `ls >"seen-$ITERATION"; if [ $ITERATION = 1 ]; then echo own >output.json; echo a >changed-files; fi`, "max_iterations: 2")
	write(t, filepath.Join(b.dir, "output.json"), "stale")
	write(t, filepath.Join(b.dir, "status.json"), `{"decision": "stop"}`)
	outcome := b.run(t)
	if string(outcome.Output) != `""` || outcome.Stages[0].Iterations != 2 {
		t.Errorf("outcome %+v with %s", outcome, outcome.Output)
	}
	for _, name := range []string{"seen-1", "seen-2"} {
		if got := b.read(t, name); strings.Contains(got, "output.json") || strings.Contains(got, "status.json") || strings.Contains(got, "changed-files") {
			t.Errorf("an iteration begins with %q", got)
		}
	}
	if got := b.data[len(b.data)-1]["stage_outputs"]; got != `["own",""]` {
		t.Errorf("stage_outputs %v", got)
	}
}

// Inputs that somebody else wrote into the directory stay.
func TestInputsStay(t *testing.T) {
	t.Parallel()
	b := alone(t, `cat "$INPUTS"`)
	write(t, filepath.Join(b.dir, "inputs.json"), `{"a": 1}`)
	write(t, filepath.Join(b.dir, "progress.md"), "begun\n")
	if outcome := b.run(t); string(outcome.Output) != `{"a": 1}` || b.read(t, "progress.md") != "begun\n" {
		t.Errorf("inputs %s, progress %q", outcome.Output, b.read(t, "progress.md"))
	}
}

// The log has all of a long output, output.json what a reader with a limit
// takes, and the command's end is not waited for by anybody.
func TestOutputOverTheLimit(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{
		"text":                    `head -c 3000000 /dev/zero | tr '\0' x`,
		"control characters":      `head -c 3000000 /dev/zero`,
		"digits cut are no JSON":  `head -c 3000000 /dev/zero | tr '\0' 1`,
		"the command's own, long": `head -c 3000000 /dev/zero | tr '\0' x >output.json`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := alone(t, command)
			outcome := b.run(t)
			var text string
			if err := json.Unmarshal(outcome.Output, &text); err != nil || len(outcome.Output) > 1<<20 || len(text) < 170_000 {
				t.Errorf("output of %d bytes, %v, want a string of at most 1 MiB", len(outcome.Output), err)
			}
			if !strings.Contains(b.log.String(), "discobot-hooks: the output is over 1024 KiB: the rest is not used\n") {
				t.Errorf("nobody says that it is cut: %.200q", b.log.String())
			}
			own := strings.Contains(command, "output.json")
			info, err := os.Stat(filepath.Join(b.dir, "output", "p-1.log"))
			if err != nil || (info.Size() == 3_000_000) == own {
				t.Errorf("log %v, %v", info, err)
			}
			if !own && b.read(t, "output.json") != string(outcome.Output) {
				t.Error("output.json is something else")
			}
		})
	}
}

// A variable of the environment has its limit in the kernel; the file has all.
func TestStageOutputsOverTheLimit(t *testing.T) {
	t.Parallel()
	b := alone(t, `echo "${#STAGE_OUTPUTS} ${STAGE_OUTPUTS_FILE:+$(wc -c <"$STAGE_OUTPUTS_FILE")}" >"size-$ITERATION"; head -c 90000 /dev/zero | tr '\0' x`, "max_iterations: 3")
	b.run(t)
	got := []string{b.read(t, "size-1"), b.read(t, "size-2"), b.read(t, "size-3")}
	want := []string{"2 \n", "90004 \n", "98304 180007\n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sizes mismatch (-want +got):\n%s", diff)
	}
}

func TestStatusThatDecidesNothing(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, command, says string }{
		{"no JSON", `echo stop >"$STATUS"`, "status.json decides nothing: not a JSON object"},
		{"a list", `echo '["stop"]' >"$STATUS"`, "not a JSON object"},
		{"null", `echo null >"$STATUS"`, "not a JSON object"},
		{"empty", `: >"$STATUS"`, "not a JSON object"},
		{"no string", `echo '{"decision": true}' >"$STATUS"`, "its decision is no string"},
		{"a link", `echo '{"decision": "stop"}' >x; ln -sf x "$STATUS"`, "not a regular file"},
		{"a pipe", `rm -f "$STATUS"; mkfifo "$STATUS"`, "not a regular file"},
		{"too long", `head -c 2000000 /dev/zero >"$STATUS"`, "too large"},
		{"no decision", `echo '{}' >"$STATUS"`, ""},
		{"another word", `echo '{"decision": "Stop"}' >"$STATUS"`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := alone(t, test.command, "max_iterations: 2")
			outcome := b.run(t)
			if outcome.Failed || outcome.Stages[0].Iterations != 2 {
				t.Errorf("outcome %+v, want both iterations", outcome)
			}
			if said := strings.Contains(b.log.String(), "decides nothing"); said != (test.says != "") || !strings.Contains(b.log.String(), test.says) {
				t.Errorf("people see %q, want %q", b.log.String(), test.says)
			}
		})
	}
}

func TestChangedFiles(t *testing.T) {
	t.Parallel()
	b := alone(t, `printf 'a.go\n\nb c.go' >changed-files; touch "was=$CHANGED_FILES"`, "max_iterations: 2")
	b.run(t)
	var got []any
	for _, data := range b.data {
		got = append(got, data["changed_files"])
	}
	none, two := []any{}, []any{"a.go", "b c.go"}
	if diff := cmp.Diff([]any{none, none, two, none, two, two, two}, got); diff != "" {
		t.Errorf("changed_files mismatch (-want +got):\n%s", diff)
	}
}

// What is printed reaches people without what would steer their terminal.
func TestPeopleSeeCleanText(t *testing.T) {
	t.Parallel()
	b := alone(t, `printf 'red \033[31mtext\n'; printf 'no end'`)
	b.run(t)
	want := "discobot-hooks: stage p: iteration 1 of 1\nred text\nno end\n"
	if diff := cmp.Diff(want, b.log.String()); diff != "" {
		t.Errorf("people see (-want +got):\n%s", diff)
	}
	if got := b.read(t, "output/p-1.log"); got != "red \x1b[31mtext\nno end" {
		t.Errorf("log %q", got)
	}
}

// A pipe where a log goes would wait for a reader.
func TestLogWhereAPipeIs(t *testing.T) {
	t.Parallel()
	b := alone(t, `rm -f "output/p-$((ITERATION+1)).log"; mkfifo "output/p-$((ITERATION+1)).log"; echo x`, "max_iterations: 2")
	b.run(t)
	if got := b.read(t, "output/p-2.log"); got != "x\n" {
		t.Errorf("log %q", got)
	}
}

func TestNoBash(t *testing.T) {
	t.Parallel()
	b := alone(t, "true")
	o := b.options("p")
	o.Env = []string{"PATH=" + t.TempDir()}
	if _, err := engine.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "find bash: not installed") || len(b.points) > 0 {
		t.Errorf("Run = %v after %q, want it to say that there is no bash", err, b.points)
	}
}
