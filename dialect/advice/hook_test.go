package advice

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
)

// one is the only hook of a file, its event open.
func one(t *testing.T, agent string, change values) dialect.Hook {
	t.Helper()
	f := New(Options{Workspace: "/w", Agent: agent, Issues: strings.NewReader(line("bd-x", change))})
	set, err := f.Load()
	if err != nil || len(set.Hooks) != 1 {
		t.Fatalf("Load() = %v, %v", set, err)
	}
	if err := f.Open(context.Background(), &dialect.Event{}); err != nil {
		t.Fatal(err)
	}
	return set.Hooks[0]
}

func TestPrepare(t *testing.T) {
	t.Parallel()
	hostile := "a'\"$(touch x)`touch x`\n/b"
	for _, test := range []struct{ name, agent string }{{"1a.7 environment", polecat}, {"rule E hostile agent", hostile}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			action, err := one(t, test.agent, values{"advice_hook_command": "echo {{agent}} ${GT_AGENT_ID}"}).Prepare(&dialect.Event{})
			want := dialect.Process{
				Argv: []string{"/bin/sh", "-c", "echo {{agent}} ${GT_AGENT_ID}"},
				Env: []string{
					"GT_ADVICE_HOOK_ID=bd-x", "GT_ADVICE_HOOK_TRIGGER=before-commit",
					"GT_AGENT_ID=" + test.agent, "GT_WORK_DIR=/w", "BD_ACTOR=" + test.agent,
				},
			}
			if diff := cmp.Diff(dialect.Action(want), action); diff != "" || err != nil {
				t.Errorf("Prepare() = %v, mismatch (-want +got):\n%s", err, diff)
			}
		})
	}
	for name, agent := range map[string]string{"NUL": "a\x00b", "1 MiB": strings.Repeat("x", 1<<20)} {
		t.Run("rule E refused: "+name, func(t *testing.T) {
			t.Parallel()
			if action, err := one(t, agent, nil).Prepare(&dialect.Event{}); err == nil {
				t.Errorf("Prepare() = %.100v", action)
			}
		})
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	exit1 := hook.Result{Status: hook.Failed, ExitCode: 1}
	late := hook.Result{Status: hook.TimedOut, ExitCode: 124, Reason: "hook timed out after 30s and was killed"}
	never := hook.Result{Status: hook.Failed, ExitCode: 127, Reason: "hook could not start: no such file"}
	const name = `advice "Always run tests" (bd-x)`
	for _, test := range []struct {
		name      string
		onFailure string
		result    hook.Result
		want      dialect.Judgement // without Fields
	}{
		{"1a.5 success", "block", hook.Result{Status: hook.OK}, dialect.Judgement{Status: hook.OK}},
		{"1a.5 block", "block", exit1, dialect.Judgement{
			Status: hook.Blocked, Block: true, Reason: name + ": exit 1", Err: "blocked: " + name + " failed: exit 1\nout\nerr\n",
		}},
		{"1a.5 block, timeout", "block", late, dialect.Judgement{
			Status: hook.TimedOut, Block: true, Reason: name + ": timed out after 30s and was killed",
			Err: "blocked: " + name + " failed: timed out after 30s and was killed\nout\nerr\n",
		}},
		{"1a.5 block, could not start", "block", never, dialect.Judgement{
			Status: hook.Blocked, Block: true, Reason: name + ": could not start: no such file",
			Err: "blocked: " + name + " failed: could not start: no such file\nout\nerr\n",
		}},
		{"1a.5 warn is the default", "", exit1, dialect.Judgement{
			Status: hook.Failed, Reason: name + ": exit 1", Err: "warning: " + name + " failed: exit 1\nout\nerr\n",
		}},
		{"1a.5 warn, timeout", "warn", late, dialect.Judgement{
			Status: hook.TimedOut, Reason: name + ": timed out after 30s and was killed",
			Err: "warning: " + name + " failed: timed out after 30s and was killed\nout\nerr\n",
		}},
		{"1a.14 ignore", "ignore", exit1, dialect.Judgement{Status: hook.Failed}},
		{"1a.14 ignore, timeout", "ignore", late, dialect.Judgement{Status: hook.TimedOut}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := one(t, polecat, values{"title": "Always \x1b[31mrun\ntests", "advice_hook_on_failure": test.onFailure})
			got := h.Judge(&dialect.Event{}, dialect.Outcome{Result: test.result, Stdout: []byte("out"), Stderr: []byte("\x1b[1merr\n")})
			test.want.Fields = map[string]any{"title": "Always run tests", "on_failure": test.onFailure}
			if test.onFailure == "" {
				test.want.Fields["on_failure"] = "warn"
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Judge() mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 60 {
		fmt.Fprintf(&many, "%d\n", i)
	}
	_, last50, _ := strings.Cut(many.String(), "9\n")
	wide := strings.Repeat(strings.Repeat("x", 999)+"\n", 10)
	for _, test := range []struct {
		name           string
		stdout, stderr string
		cut            bool
		want           string
	}{
		{"nothing", "", "", false, ""},
		{"newline alone", "\n", "", false, "\n"},
		{"last 50 lines", many.String(), "", false, "[10 lines, 20 bytes left out: see the log]\n" + last50},
		{"last 8 KiB", wide, "", false, "[2 lines, 2000 bytes left out: see the log]\n" + wide[:8000]},
		{"one line too long", strings.Repeat("é", 5000), "", false, "[0 lines, 1810 bytes left out: see the log]\n" + strings.Repeat("é", 4095) + "\n"},
		{"more than was kept", "a\n", "b", true, "a\n[more on stdout: see the log]\nb\n"},
	} {
		t.Run("1a.14 "+test.name, func(t *testing.T) {
			t.Parallel()
			got := report(dialect.Outcome{Stdout: []byte(test.stdout), Stderr: []byte(test.stderr), Cut: test.cut})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("report() mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
