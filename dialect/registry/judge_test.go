package registry_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"discobot-hooks/dialect"
	"discobot-hooks/dialect/registry"
	"discobot-hooks/hook"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	ok := hook.Result{Status: hook.OK}
	exit3 := hook.Result{Status: hook.Failed, ExitCode: 3}
	timeout := hook.Result{Status: hook.TimedOut, ExitCode: 124, Reason: "hook timed out after 1s and was killed"}
	tests := []struct {
		name, event, more string
		outcome           dialect.Outcome
		want              dialect.Judgement // Result apart
	}{
		{name: "1d.5 empty output", outcome: dialect.Outcome{Result: ok, Stdout: []byte(" \r\n")}, want: dialect.Judgement{Status: hook.OK}},
		{name: "1d.5 messages", outcome: dialect.Outcome{Result: ok, Stdout: []byte(`{"messages_to_user": ["one", "\u001b[31mtwo\nthree"]}`)},
			want: dialect.Judgement{Status: hook.OK, Out: "one\ntwo\nthree"}},
		{name: "1d.5 failure is not fatal", outcome: dialect.Outcome{Result: exit3, Stderr: []byte("why\x1b[0m\n\n")},
			want: dialect.Judgement{Status: hook.Failed, Reason: "exit 3: why", Err: "hook a failed: exit 3\nwhy"}},
		{name: "1d.5 failure of a blocking hook", more: "blocking: true", outcome: dialect.Outcome{Result: exit3},
			want: dialect.Judgement{Status: hook.Blocked, Block: true, Reason: "exit 3", Err: "hook a failed: exit 3"}},
		{name: "1d.5 timeout", outcome: dialect.Outcome{Result: timeout},
			want: dialect.Judgement{Status: hook.TimedOut, Reason: timeout.Reason, Err: "hook a failed: " + timeout.Reason}},
		{name: "1d.5 timeout of a blocking hook", more: "blocking: true", outcome: dialect.Outcome{Result: timeout},
			want: dialect.Judgement{Status: hook.TimedOut, Block: true, Reason: timeout.Reason, Err: "hook a failed: " + timeout.Reason}},
		{name: "1d.5 messages of a failed hook are kept", outcome: dialect.Outcome{Result: exit3, Stdout: []byte(`{"messages_to_user": ["sorry"]}`)},
			want: dialect.Judgement{Status: hook.Failed, Reason: "sorry", Out: "sorry", Err: "hook a failed: exit 3"}},
		{name: "1d.5 no JSON", outcome: dialect.Outcome{Result: ok, Stdout: []byte("\x1b[1mHello\nworld")},
			want: dialect.Judgement{Status: hook.Failed, Reason: "result is not a JSON object alone: `Hello world`", Err: "hook a failed: result is not a JSON object alone: `Hello world`"}},
		{name: "1d.5 no JSON, but a failure anyhow", outcome: dialect.Outcome{Result: exit3, Stdout: []byte("Hello")},
			want: dialect.Judgement{Status: hook.Failed, Reason: "exit 3", Err: "hook a failed: exit 3\nHello"}},
		{name: "1d.5 no object", more: "blocking: true", outcome: dialect.Outcome{Result: ok, Stdout: []byte("null")},
			want: dialect.Judgement{Status: hook.Blocked, Block: true, Reason: "result is not a JSON object alone: `null`", Err: "hook a failed: result is not a JSON object alone: `null`"}},
		{name: "1d.5 two objects", outcome: dialect.Outcome{Result: ok, Stdout: []byte("{} {}")},
			want: dialect.Judgement{Status: hook.Failed, Reason: "result is not a JSON object alone: `{} {}`", Err: "hook a failed: result is not a JSON object alone: `{} {}`"}},
		{name: "1d.5 more than is kept", outcome: dialect.Outcome{Result: ok, Stdout: []byte("{}"), Cut: true},
			want: dialect.Judgement{Status: hook.Failed, Reason: "result larger than 1 MiB", Err: "hook a failed: result larger than 1 MiB"}},

		{name: "1d.6 error alone does not block", outcome: dialect.Outcome{Result: ok, Stdout: []byte(`{"error": "blocked_by_policy"}`)},
			want: dialect.Judgement{Status: hook.Failed, Reason: "blocked_by_policy", Err: "hook a failed: blocked_by_policy"}},
		{name: "1d.6 error of a blocking hook", more: "blocking: true", outcome: dialect.Outcome{Result: ok, Stdout: []byte(`{"error": "blocked_by_policy", "messages_to_user": ["No.", "Not here."]}`)},
			want: dialect.Judgement{Status: hook.Blocked, Block: true, Reason: "No.\nNot here.", Out: "No.\nNot here.", Err: "hook a failed: blocked_by_policy"}},
		{name: "1d.6 block_execution of a blocking hook", more: "blocking: true", outcome: dialect.Outcome{Result: ok, Stdout: []byte(`{"block_execution": true}`)},
			want: dialect.Judgement{Status: hook.Blocked, Block: true, Reason: "block_execution", Err: "hook a failed: block_execution"}},
		{name: "1d.6 block_execution: false", more: "blocking: true", outcome: dialect.Outcome{Result: ok, Stdout: []byte(`{"block_execution": false, "error": "", "logs": null}`)}, want: dialect.Judgement{Status: hook.OK}},
		{name: "1d.6 never at PostAbilityCall", event: "PostAbilityCall", more: "blocking: true", outcome: dialect.Outcome{Result: ok, Stdout: []byte(`{"error": "late", "block_execution": true}`)},
			want: dialect.Judgement{Status: hook.Failed, Reason: "late", Err: "hook a failed: late"}},
		{name: "1d.6 an error that is no text is one", more: "blocking: true", outcome: dialect.Outcome{Result: ok, Stdout: []byte(`{"error": {"code": 5}}`)},
			want: dialect.Judgement{Status: hook.Blocked, Block: true, Reason: "error is not a string: left out", Err: "hook a failed: error is not a string: left out\nhook a: error is not a string: left out"}},
		{name: "1d.6 an empty error is none", more: "blocking: true", outcome: dialect.Outcome{Result: ok, Stdout: []byte(`{"error": ""}`)}, want: dialect.Judgement{Status: hook.OK}},
		{name: "1d.6 nor is false", more: "blocking: true", outcome: dialect.Outcome{Result: ok, Stdout: []byte(`{"error": false}`)}, want: dialect.Judgement{Status: hook.OK}},
		{name: "a result that would indent without end", more: "blocking: true", outcome: dialect.Outcome{Result: ok, Stdout: []byte(`{"x":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`)},
			want: dialect.Judgement{Status: hook.Blocked, Block: true, Reason: "result is nested deeper than 64 levels", Err: "hook a failed: result is nested deeper than 64 levels"}},
		{name: "1d.6 an error of control characters is one", outcome: dialect.Outcome{Result: ok, Stdout: []byte(`{"error": "\u001b[0m"}`)},
			want: dialect.Judgement{Status: hook.Failed, Reason: "error", Err: "hook a failed: error"}},

		{name: "1d.8 fields of a wrong type are left out, and named", outcome: dialect.Outcome{Result: ok, Stdout: []byte(`{"logs": {}, "messages_to_user": ["a", 1], "new_intent": [], "usage_recorded": 1,
			"suggested_abilities": [{}, {"id": "x", "confidence": "high"}], "suggested_documents": [[]], "follow_up_actions": [{"path": "x"}, {"kind": "y", "payload": 1}], "errors": []}`)},
			want: dialect.Judgement{Status: hook.OK, Out: "a", Err: strings.Join([]string{
				"hook a: errors is for the merged result, write error: left out", "hook a: follow_up_actions[0] has no kind: left out", "hook a: follow_up_actions[1] payload of `y` is not an object: left out",
				"hook a: logs is not a list: left out", "hook a: messages_to_user[1] is not a string: left out", "hook a: new_intent is not an object: left out", "hook a: suggested_abilities[0] has no id: left out",
				"hook a: suggested_abilities[1] confidence is not a number: left out", "hook a: suggested_documents[0] is not an object: left out", "hook a: usage_recorded is not true or false: left out",
			}, "\n")}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			name := "PreAbilityCall"
			if test.event != "" {
				name = test.event
			}
			set := load(t, registry.New(workspace(t, hookFiles(define("a", name, "true", test.more))), ""))
			got := set.Hooks[0].Judge(&dialect.Event{Name: name, Time: emitted}, test.outcome)
			if diff := cmp.Diff(test.want, got, cmpopts.IgnoreFields(dialect.Judgement{}, "Result")); diff != "" {
				t.Errorf("Judge() mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// What a hook floods us with is shown in part.
func TestJudgeBoundsWhatItShows(t *testing.T) {
	t.Parallel()
	set := load(t, registry.New(workspace(t, hookFiles(define("a", "SessionStop", "true"))), ""))
	j := set.Hooks[0].Judge(&dialect.Event{Name: "SessionStop"}, dialect.Outcome{
		Result: hook.Result{Status: hook.Failed, ExitCode: 1},
		Stdout: []byte(`{"logs": [` + strings.Repeat("1,", 1000) + `1]}`), Stderr: []byte(strings.Repeat("x\n", 100000) + strings.Repeat("y", 3000)),
	})
	if lines := strings.Split(j.Err, "\n"); len(lines) != 1+20+20+1 || lines[len(lines)-1] != "hook a: and 981 more things left out" || !strings.HasPrefix(lines[20], "yyy") {
		t.Errorf("%d lines: %.300s", len(lines), j.Err)
	}
}

// The whole way, with a real shell.
func TestBlockEndsTheEvent(t *testing.T) {
	t.Parallel()
	t.Run("1d.6 first block ends the event", func(t *testing.T) {
		t.Parallel()
		f := registry.New(workspace(t, hookFiles(
			answer("warns", "PreAbilityCall", `{"error": "hm"}`),
			answer("guards", "PreAbilityCall", document(t, "4.3.4-answer.json"), "blocking: true"),
			define("late", "PreAbilityCall", "true"))), "")
		report := emit(t, f, "PreAbilityCall", "")
		equal(t, "statuses", []string{"warns failed", "guards blocked"}, statuses(report))
		equal(t, "reason", "This ability would write to production. In this environment, it is blocked.", report.Reason)
		equal(t, "result", object(t, `{"errors": [{"hook_id": "warns", "error": "hm"}, {"hook_id": "guards", "error": "blocked_by_policy"}],
			"messages_to_user": ["This ability would write to production. In this environment, it is blocked."]}`), report.Result)
	})
	t.Run("1d.5 real exits and time limits", func(t *testing.T) {
		t.Parallel()
		f := registry.New(workspace(t, hookFiles(
			define("exits", "SessionStop", "exit 7"),
			define("prints", "SessionStop", "echo done"),
			define("missing", "SessionStop", "/no/such/program"),
			define("sleeps", "SessionStop", "exec sleep 100", "timeout: 0.05"),
			define("ignores", "SessionStop", "exec <&-"))), "")
		report := emit(t, f, "SessionStop", `{"x": "`+strings.Repeat("x", 1<<18)+`"}`)
		equal(t, "statuses", []string{"exits failed", "prints failed", "missing failed", "sleeps timeout", "ignores ok"}, statuses(report))
		equal(t, "result", object(t, "{\"errors\": [{\"hook_id\": \"exits\", \"error\": \"exit 7\"}, {\"hook_id\": \"prints\", \"error\": \"result is not a JSON object alone: `done`\"}, {\"hook_id\": \"missing\", \"error\": \"exit 127\"}, {\"hook_id\": \"sleeps\", \"error\": \"hook timed out after 50ms and was killed\"}]}"), report.Result)
	})
}
