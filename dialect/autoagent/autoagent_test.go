package autoagent_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/dialect"
	"discobot-hooks/dialect/autoagent"
	"discobot-hooks/hook"
)

// The document's own configuration.
const documented = `{
  "providers": ["claude", "gemini"],
  "failoverDelay": 5000,
  "retryAttempts": 3,
  "maxTokens": 100000,
  "rateLimitCooldown": 3600000,
  "gitAutoCommit": false,
  "logLevel": "info",
  "hooks": {
    "PreExecutionStart": [
      {
        "type": "command",
        "command": "echo 'About to start issue {{issueNumber}}: {{issueTitle}}' >> ~/.autoagent/execution.log"
      }
    ],
    "PostExecutionStart": [
      {
        "type": "command",
        "command": "bash .autoagent/hooks/track-execution-start.sh"
      }
    ],
    "PreExecutionEnd": [
      {
        "type": "command",
        "command": "bash .autoagent/hooks/validate-execution.sh",
        "blocking": true,
        "timeout": 60000
      }
    ],
    "PostExecutionEnd": [
      {
        "type": "command",
        "command": "bash .autoagent/hooks/notify-completion.sh"
      },
      {
        "type": "git-commit",
        "message": "Complete issue #{{issueNumber}}: {{issueTitle}}"
      }
    ]
  }
}
`

func TestDocumentedConfigLoads(t *testing.T) {
	t.Parallel()
	w := newWorld(t, documented)
	set, err := w.format().Load()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("warning .autoagent/config.json:7: gitAutoCommit was removed and does nothing: take it out", problems(set)); diff != "" {
		t.Errorf("problems mismatch (-want +got):\n%s", diff)
	}
	want := "PreExecutionStart-1 PostExecutionStart-1 PreExecutionEnd-1 PostExecutionEnd-1 PostExecutionEnd-2"
	if diff := cmp.Diff(want, ids(set)); diff != "" {
		t.Errorf("hooks mismatch (-want +got):\n%s", diff)
	}
	wantInfo := dialect.Info{Kind: "command", Line: 23, Command: "bash .autoagent/hooks/validate-execution.sh", Hook: hook.Hook{
		ID: "PreExecutionEnd-1", Name: "bash .autoagent/hooks/validate-execution.sh", Dialect: "autoagent",
		Event: "PreExecutionEnd", File: ".autoagent/config.json", Action: hook.Action{Timeout: time.Minute},
	}}
	if diff := cmp.Diff(wantInfo, set.Hooks[2].Info()); diff != "" {
		t.Errorf("info mismatch (-want +got):\n%s", diff)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	global := hooksAt("Stop", running("true"), running("false"))
	tests := []struct{ name, global, local, want string }{
		{"1c.1 no files are no hooks", "", "", ""},
		{"1c.1 the home's alone", global, "", "Stop-1 Stop-2"},
		{"1c.1 a local file without hooks leaves the home's", global, `{"providers": []}`, "Stop-1 Stop-2"},
		{"1c.1 local hooks replace all of the home's", global, hooksAt("PreExecutionStart", running("true")), "PreExecutionStart-1"},
		{"1c.1 also when there are none", global, `{"hooks": {}}`, ""},
		{"1c.1 or null", global, `{"hooks": null}`, ""},
		{"of two hooks the last counts, as in JavaScript", "", `{"hooks": {}, "hooks": {"Stop": [` + running("true") + `]}}`, "Stop-1"},
		{"a null list is empty", "", `{"hooks": {"Stop": null}}`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, test.local)
			if test.global != "" {
				write(t, filepath.Join(w.home, autoagent.ConfigFile), test.global)
			}
			set, err := w.format().Load()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, ids(set)); diff != "" {
				t.Errorf("hooks mismatch (-want +got):\n%s", diff)
			}
			replaced := test.global != "" && strings.Contains(test.local, "hooks")
			if warned := strings.Contains(problems(set), "these replace the hooks of "+w.home); warned != replaced || len(set.Problems) > 1 {
				t.Errorf("warned of replaced hooks: %v, want %v; problems:\n%s", warned, replaced, problems(set))
			}
		})
	}
}

func TestBrokenFileIsAnError(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, content, want string }{
		{"1c.1 unparsable", "{\n  \"hooks\": {,}\n}", ".autoagent/config.json:2: column 13: not JSON: "},
		{"1c.1 not an object", " []", ".autoagent/config.json:1: column 2: want an object"},
		{"1c.1 empty", "\n", ".autoagent/config.json:1: column 1: not JSON: unexpected end of JSON input"},
		{"characters are counted, not bytes", `{"ä": x}`, ".autoagent/config.json:1: column 7: not JSON: "},
		{"too large", strings.Repeat(" ", 1<<20) + "{}", ".autoagent/config.json: cannot be read: too large"},
		{"deeper than the stack", strings.Repeat("[", 100_000), ".autoagent/config.json:1: column 10001: not JSON: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := newWorld(t, test.content).format().Load()
			file, ok := errors.AsType[*dialect.FileError](err)
			if !ok || !strings.HasPrefix(hook.Problem(*file).String(), test.want) || file.Severity != hook.Error {
				t.Errorf("Load() = %v, want a FileError %q", err, test.want)
			}
		})
	}
	t.Run("the home's counts even where the workspace has hooks", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, `{"hooks": {}}`)
		path := filepath.Join(w.home, autoagent.ConfigFile)
		write(t, path, "{")
		_, err := w.format().Load()
		if err == nil || !strings.Contains(err.Error(), path+":1: column 1: not JSON") {
			t.Errorf("Load() = %v", err)
		}
	})
}

func TestLinks(t *testing.T) {
	t.Parallel()
	t.Run("the workspace's configuration is no link to somewhere else", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, "")
		write(t, filepath.Join(w.home, "elsewhere.json"), `{"hooks": {}}`)
		write(t, filepath.Join(w.workspace, ".autoagent", "x"), "")
		if err := os.Symlink(filepath.Join(w.home, "elsewhere.json"), w.path()); err != nil {
			t.Fatal(err)
		}
		if _, err := w.format().Load(); err == nil || !strings.Contains(err.Error(), "no link") {
			t.Errorf("Load() = %v", err)
		}
	})
	t.Run("the home's may be one", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, "")
		write(t, filepath.Join(w.home, "dotfiles", "autoagent.json"), hooksAt("Stop", running("true")))
		write(t, filepath.Join(w.home, ".autoagent", "x"), "")
		path := filepath.Join(w.home, autoagent.ConfigFile)
		if err := os.Symlink("../dotfiles/autoagent.json", path); err != nil {
			t.Fatal(err)
		}
		set, err := w.format().Load()
		if err != nil || ids(set) != "Stop-1" || set.Hooks[0].Info().File != path {
			t.Errorf("Load() = %v, %v", set, err)
		}
	})
	t.Run("a home that is closed to us has no hooks of ours", func(t *testing.T) {
		t.Parallel()
		if os.Geteuid() == 0 {
			t.Skip("root reads everything")
		}
		w := newWorld(t, hooksAt("Stop", running("true")))
		if err := os.Chmod(w.home, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(w.home, 0o700) })
		set, err := w.format().Load()
		if err != nil || ids(set) != "Stop-1" || !strings.Contains(problems(set), "permission denied") {
			t.Errorf("Load() = %v, %v", set, err)
		}
	})
}

func TestProblems(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, hooks, want string }{
		{"1c.2 points of the table are accepted", `"PreGitCommit": [` + running("true") + `], "PostGitCommit": []`,
			"warning .autoagent/config.json:1: PreGitCommit is accepted, but never fired: put its hooks under PostExecutionEnd, around git-commit\n" +
				"warning .autoagent/config.json:1: PostGitCommit is accepted, but never fired: put its hooks under PostExecutionEnd, around git-commit"},
		{"1c.2 unknown point", "\n" + `"PreExecutionStop": []`,
			`warning .autoagent/config.json:2: there is no hook point ` + "`PreExecutionStop`" + `: it can be PreExecutionStart, PostExecutionStart, PreExecutionEnd, PostExecutionEnd, Stop`},
		{"1c.3 unknown type", "\n\"Stop\": [\n{\n\"type\": \"webhook\", \"url\": \"x\"}]",
			`warning .autoagent/config.json:4: unknown hook type ` + "`webhook`" + `, which does nothing: write command, git-commit or git-push`},
		{"1c.3 no type", `"Stop": [{"command": "true"}]`, "error .autoagent/config.json:1: hook has no type: write command, git-commit or git-push"},
		{"1c.3 missing command", "\n\"Stop\": [{\"type\": \"command\"}]", `error .autoagent/config.json:2: command hook has no command: write "command": "…"`},
		{"1c.3 timeout is a positive number", `"Stop": [` + running("true", `"timeout": 0`) + "," + running("true", `"timeout": "60000"`) + "," + running("true", `"timeout": 1e99`) + `]`,
			strings.TrimSuffix(strings.Repeat("error .autoagent/config.json:1: timeout is not a number of milliseconds from 1 to 2147483647: write 60000 for one minute\n", 3), "\n")},
		{"1c.3 types of keys", `"PostExecutionEnd": [` + running("true", `"blocking": "false"`) + `, {"type": "git-commit", "message": 5, "noVerify": 1}, {"type": "git-push", "remote": []}]`,
			"error .autoagent/config.json:1: blocking is neither true nor false: write one of them, without quotes\n" +
				"error .autoagent/config.json:1: message is not a string: put it in quotes\n" +
				"error .autoagent/config.json:1: noVerify is neither true nor false: write one of them, without quotes\n" +
				"error .autoagent/config.json:1: remote is not a string: put it in quotes"},
		{"1c.3 unknown keys", `"Stop": [` + running("true", `"cwd": "x"`) + `]`,
			`warning .autoagent/config.json:1: unknown key ` + "`cwd`" + `, which does nothing: a command hook has type, command, timeout, blocking`},
		{"1c.3 null is as good as none", `"Stop": [` + running("true", `"timeout": null, "blocking": null`) + `]`, ""},
		{"1c.12 branch", `"PostExecutionEnd": [{"type": "git-push", "branch": "release"}]`,
			`warning .autoagent/config.json:1: branch ` + "`release`" + ` does nothing: the current branch is pushed; write "current"`},
		{"1c.11 git-commit elsewhere", `"Stop": [{"type": "git-commit"}]`, "error .autoagent/config.json:1: git-commit is for PostExecutionEnd alone: move it there"},
		{"1c.12 git-push elsewhere", `"PreExecutionEnd": [{"type": "git-push"}]`, "error .autoagent/config.json:1: git-push is for PostExecutionEnd alone: move it there"},
		{"a list is wanted", `"Stop": {"type": "command"}`, `error .autoagent/config.json:1: Stop is not a list: write "Stop": [{"type": "command", "command": "…"}]`},
		{"of objects", `"Stop": ["true"]`, `error .autoagent/config.json:1: Stop: hook 1 is not an object: write {"type": "command", "command": "…"}`},
		{"twice the same point", `"Stop": [], "Stop": []`, `warning .autoagent/config.json:1: ` + "`Stop`" + ` is there a second time, which is the one that counts: take this one out`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			set, err := newWorld(t, `{"hooks": {`+test.hooks+`}}`).format().Load()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, problems(set)); diff != "" {
				t.Errorf("problems mismatch (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("1c.10 unsafe templates", func(t *testing.T) {
		t.Parallel()
		config := "{\"hooks\": {\"Stop\": [{\"type\": \"command\",\n\"command\": \"echo hi\\necho $(( {{issueNumber}} ))\"},\n" + running(`sh -c "echo {{issueTitle}}"`) + "]}}"
		set, err := newWorld(t, config).format().Load()
		if err != nil {
			t.Fatal(err)
		}
		if len(set.Problems) != 2 {
			t.Fatalf("problems:\n%s", problems(set))
		}
		for i, want := range []string{"error .autoagent/config.json:2: command, line 2, column 10: {{issueNumber}}", "warning .autoagent/config.json:3: command, line 1, column 13: {{issueTitle}}"} {
			if got := string(set.Problems[i].Severity) + " " + set.Problems[i].String(); !strings.HasPrefix(got, want) {
				t.Errorf("problem %q, want %q…", got, want)
			}
		}
	})
	t.Run("hooks are an object", func(t *testing.T) {
		t.Parallel()
		set, err := newWorld(t, `{"hooks": []}`).format().Load()
		if err != nil || !strings.HasPrefix(problems(set), "error .autoagent/config.json:1: hooks is not an object") {
			t.Errorf("Load() = %v, %v", set, err)
		}
	})
	t.Run("1c.14 removed switches that were on", func(t *testing.T) {
		t.Parallel()
		set, err := newWorld(t, "{\n\"gitAutoCommit\": true,\n\"gitAutoPush\": true}").format().Load()
		want := "warning .autoagent/config.json:2: gitAutoCommit was removed and does nothing: take it out and run discobot-hooks config set-auto-commit true\n" +
			"warning .autoagent/config.json:3: gitAutoPush was removed and does nothing: take it out and run discobot-hooks config set-auto-push true"
		if diff := cmp.Diff(want, problems(set)); err != nil || diff != "" {
			t.Errorf("problems mismatch (-want +got):\n%s%v", diff, err)
		}
	})
}

func TestPushRunsAfterCommit(t *testing.T) {
	t.Parallel()
	push, commit := `{"type": "git-push"}`, `{"type": "git-commit"}`
	tests := []struct {
		name  string
		hooks []string
		want  string
	}{
		{"1c.14 switched on first", []string{push, commit}, "PostExecutionEnd-2 PostExecutionEnd-1"},
		{"1c.14 what is between keeps its place", []string{running("a"), push, running("b"), commit, running("c")},
			"PostExecutionEnd-1 PostExecutionEnd-3 PostExecutionEnd-4 PostExecutionEnd-2 PostExecutionEnd-5"},
		{"1c.5 a push after one commit stays before another", []string{commit, push, commit}, "PostExecutionEnd-1 PostExecutionEnd-2 PostExecutionEnd-3"},
		{"1c.5 a push alone stays", []string{push, running("a")}, "PostExecutionEnd-1 PostExecutionEnd-2"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			set, err := newWorld(t, hooksAt("PostExecutionEnd", test.hooks...)).format().Load()
			if err != nil || ids(set) != test.want {
				t.Errorf("Load() = %s, %v, want %s", ids(set), err, test.want)
			}
		})
	}
}

func TestBrokenHooksDoNotRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hooksAt("Stop",
		`{"type": "webhook"}`, `{"type": "command"}`, running("touch ran", `"timeout": -1`), `{"type": "git-commit"}`, `5`, running("echo $(( {{n}} ))"), running("echo fine")))
	report := w.emit("Stop", `{"n": 1}`)
	want := "Stop-1=invalid/0 Stop-2=invalid/0 Stop-3=invalid/0 Stop-4=invalid/0 Stop-6=invalid/0 Stop-7=ok/0"
	if diff := cmp.Diff(want, summary(report)); diff != "" {
		t.Errorf("1c.3 hooks mismatch (-want +got):\n%s", diff)
	}
	if got := report.Hooks[1].Judgement.Reason; got != "Hook error: Command hook missing command field" {
		t.Errorf("1c.3 reason %q", got)
	}
	if report.Blocked {
		t.Error("a broken hook blocks")
	}
}

func TestNeverFired(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hooksAt("PreGitCommit", running("true")))
	plan, err := w.engine().Plan(t.Context(), w.event("Stop", ""))
	if err != nil || len(plan.Hooks) != 0 || len(plan.Left) != 1 || plan.Left[0].Info.Off != "never fired" {
		t.Errorf("1c.2 Plan() = %+v, %v", plan, err)
	}
	for _, name := range w.format().Description().Events {
		if strings.Contains(name, "Git") {
			t.Errorf("1c.2 %s can be emitted", name)
		}
	}
}
