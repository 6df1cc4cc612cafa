package pipeline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/hook"
)

const spawnHook = "hooks:\n  on_iteration_complete:\n    - type: spawn\n      pipeline: code-review\n      inputs:\n        files: \"${CHANGED_FILES}\"\n        session: \"${SESSION}\"\n        n: 3\n        list: [\"${STAGE}\", true, null]\n"

// engineScript shows how it was called, and answers.
const engineScript = `#!/bin/sh
pwd -P > "$2/cwd"
env | cut -d= -f1 | sort | grep -v -e ^_$ -e ^PWD$ -e ^SHLVL$ -e ^OLDPWD$ | tr '\n' ' ' > "$2/environment"
printf '%s\n' "$@" > "$2/arguments"
cp "$6" "$2/seen.json"
printf '{"verdict": "fine"}\n\n' > "$2/output.json"
`

func spawnPlace(t *testing.T, config, engine string) *place {
	p := newPlace(t, map[string]string{"loop.yaml": config, "scripts/engine.sh": engine})
	if err := os.Chmod(filepath.Join(p.options.Workspace, "scripts/engine.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

// Facts 1b.15 and 5: where a child runs, what it is given and what it is not.
func TestChildIsIsolated(t *testing.T) {
	t.Parallel()
	p := spawnPlace(t, spawnHook+"    - {type: shell, await: true, command: 'printf %s \"$SPAWN_OUTPUT\"'}\n", engineScript)
	p.options.Env = append(p.options.Env, "SLACK_WEBHOOK=secret", "LD_PRELOAD_NOT=1", "LANG=C", "LC_ALL=C", "STAGE=caller", "BASH_ENV=/nowhere")
	report := p.emit("on_iteration_complete", map[string]any{"iteration": "7", "session_dir": "run", "changed_files": []any{"a b", "c"}, "session": "s", "stage": "x\"y"})
	if diff := cmp.Diff([]hook.Status{hook.OK, hook.OK}, statuses(report)); diff != "" {
		t.Fatalf("statuses mismatch (-want +got):\n%s%+v\n%s", diff, report, p.log.String())
	}
	dir := filepath.Join(p.options.Workspace, "run/children/on_iteration_complete-7")
	for file, want := range map[string]string{
		"cwd":         dir + "\n",
		"environment": "DISCOBOT_HOOK_EVENT DISCOBOT_HOOK_ID DISCOBOT_HOOK_TYPE DISCOBOT_PIPELINE_DEPTH DISCOBOT_SESSION_ID DISCOBOT_WORKSPACE HOME LANG LC_ALL PATH ",
		"arguments":   "--session-dir\n" + dir + "\n--pipeline\ncode-review\n--inputs\n" + dir + "/inputs.json\n",
		"seen.json":   `{"files":"a b\nc","list":["x\"y",true,null],"n":3,"session":"s"}` + "\n",
		"progress.md": "",
	} {
		if got := p.read(filepath.Join("run/children/on_iteration_complete-7", file)); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory is %v, %v; want 0700", info.Mode(), err)
	}
	if got := report.Hooks[1].Judgement.Out; got != `{"verdict": "fine"}` || report.Result["spawn_output"] != got {
		t.Errorf("SPAWN_OUTPUT is %q, and %q in the result", got, report.Result["spawn_output"])
	}
}

// Facts 1b.15: two children of one point collide.
func TestChildrenOfOnePoint(t *testing.T) {
	t.Parallel()
	p := spawnPlace(t, spawnHook+"    - {type: spawn, pipeline: again, on_failure: retry, retries: 1, retry_delay: 0}\n",
		"#!/bin/sh\necho \"$4\" >> ../ran\ntest \"$4\" = code-review\n")
	report := p.emit("on_iteration_complete", map[string]any{"iteration": "../../../tmp/x", "session_dir": "run"})
	if diff := cmp.Diff([]hook.Status{hook.OK, hook.Failed}, statuses(report)); diff != "" {
		t.Errorf("statuses mismatch (-want +got):\n%s", diff)
	}
	entries, err := os.ReadDir(filepath.Join(p.options.Workspace, "run/children"))
	if err != nil || len(entries) != 4 { // three children and the file
		t.Errorf("children: %v, %v", entries, err)
	}
	if got := p.read("run/children/ran"); got != "code-review\nagain\nagain\n" {
		t.Errorf("ran %q", got)
	}
}

func TestEngine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, engine, script, want string }{
		{"the document's own", "", "#!/bin/sh\necho \"$@\" > ../ran\n", "--session-dir DIR --pipeline code-review --inputs DIR/inputs.json\n"},
		{"ours, where there is none", "", "", "ours --session-dir DIR --pipeline code-review --inputs DIR/inputs.json\n"},
		{"a template", "scripts/other.sh go {pipeline} in={session_dir} {workspace} {inputs}", "", "go code-review in=DIR WS DIR/inputs.json\n"},
		{"a list of words", `["scripts/other.sh", "with space", "{pipeline}"]`, "", "with space code-review\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := spawnPlace(t, spawnHook, tt.script)
			p.write("scripts/other.sh", "#!/bin/sh\necho \"$@\" > ../ran\n")
			if err := os.Chmod(filepath.Join(p.options.Workspace, "scripts/other.sh"), 0o755); err != nil {
				t.Fatal(err)
			}
			if tt.script == "" {
				if err := os.Remove(filepath.Join(p.options.Workspace, "scripts/engine.sh")); err != nil {
					t.Fatal(err)
				}
			}
			p.options.Engine, p.options.Local = tt.engine, []string{filepath.Join(p.options.Workspace, "scripts/other.sh"), "ours"}
			report := p.emit("on_iteration_complete", map[string]any{"iteration": "1", "session_dir": "run"})
			if report.Hooks[0].Result.Status != hook.OK {
				t.Fatalf("%+v\n%s", report.Hooks[0].Result, p.log.String())
			}
			dir := filepath.Join(p.options.Workspace, "run/children/on_iteration_complete-1")
			want := strings.NewReplacer("DIR", dir, "WS", p.options.Workspace).Replace(tt.want)
			if got := p.read("run/children/ran"); got != want {
				t.Errorf("called with %q, want %q", got, want)
			}
		})
	}
}

func TestChildThatFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, script, keys, reason string }{
		{"its engine", "#!/bin/sh\nexit 9\n", "on_failure: abort", "hook stage-workspace-on_iteration_complete-1 failed: exit 9"},
		{"its output is too large", "#!/bin/sh\nhead -c 1048577 /dev/zero > output.json\n", "on_failure: abort", "hook stage-workspace-on_iteration_complete-1 failed: read output of child pipeline: "},
		{"its output is a pipe", "#!/bin/sh\nmkfifo output.json\n", "on_failure: abort", "hook stage-workspace-on_iteration_complete-1 failed: read output of child pipeline: "},
		{"its time is up", "#!/bin/sh\nsleep 60\n", "on_failure: abort\n      timeout: 0.2", "hook stage-workspace-on_iteration_complete-1 failed: hook timed out after 200ms and was killed"},
		{"the engine is no program", "not a script\x00", "on_failure: abort", "hook stage-workspace-on_iteration_complete-1 failed: hook could not start: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			report := spawnPlace(t, spawnHook+"      "+tt.keys+"\n", tt.script).emit("on_iteration_complete", map[string]any{"iteration": "1"})
			if !report.Blocked || !strings.HasPrefix(report.Reason, tt.reason) || report.Result["spawn_output"] != "" {
				t.Errorf("report %+v, want %q", report, tt.reason)
			}
		})
	}
}
