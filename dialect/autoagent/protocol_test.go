package autoagent_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hooksAt("PostExecutionEnd", running("cat > input.json")))
	w.emit("PostExecutionEnd", `{
		"eventName": "x", "sessionId": "session-1-abcdef", "workspace": "/etc", "timestamp": 5,
		"issueNumber": 9007199254740993, "duration": 1.50, "taskTitle": "a < b && \"c\" \u2713", "taskId": "t-1", "nested": {"a": [1, null]}}`)
	want := `{"duration":1.50,"eventName":"PostExecutionEnd","issueNumber":9007199254740993,"nested":{"a":[1,null]},` +
		`"sessionId":"session-1-abcdef","taskId":"t-1","taskTitle":"a < b && \"c\" ✓","timestamp":1704110400250,"workspace":"` + w.workspace + `"}` + "\n"
	if diff := cmp.Diff(want, w.read("input.json")); diff != "" {
		t.Errorf("1c.4, 1c.15 stdin mismatch (-want +got):\n%s", diff)
	}
	t.Run("1c.4 without a session it is the caller's", func(t *testing.T) {
		w := newWorld(t, hooksAt("Stop", running("cat")))
		report := w.emit("Stop", "")
		want := `{"eventName":"Stop","sessionId":"ws-0123456789ab","timestamp":1704110400250,"workspace":"` + w.workspace + `"}` + "\n"
		if diff := cmp.Diff(want, report.Hooks[0].Judgement.Out); diff != "" {
			t.Errorf("stdin mismatch (-want +got):\n%s", diff)
		}
	})
}

func TestProtocol(t *testing.T) {
	t.Parallel()
	const block = `echo '{"decision": "block", "reason": "5 errors\u001b[31m", "feedback": "fix them"}'`
	tests := []struct {
		name, event string
		hooks       []string
		want        string
		reason      string // why it blocks
		shown       string
	}{
		{"1c.5 one after the other, in the workspace", "Stop", []string{running("echo 1 > order"), running("cat order")}, "Stop-1=ok/0 Stop-2=ok/0", "", "1\n"},
		{"1c.5 stdout is shown once, stderr of a success is not", "PreExecutionEnd", []string{running("echo out; echo err >&2")}, "PreExecutionEnd-1=ok/0", "", "out\n"},
		{"1c.6 exit 2 blocks at Pre*", "PreExecutionStart", []string{running("echo out; echo 'no issue' >&2; exit 2"), running("echo later")}, "PreExecutionStart-1=blocked/2", "no issue", "out\n"},
		{"1c.6 exit 2 blocks before the end", "PreExecutionEnd", []string{running("exit 2")}, "PreExecutionEnd-1=blocked/2", "Blocked by hook", ""},
		{"1c.6 exit 2 blocks at Stop", "Stop", []string{running("echo why >&2; exit 2")}, "Stop-1=blocked/2", "why", ""},
		{"1c.6 other exit codes do not", "Stop", []string{running("echo out; echo err >&2; exit 3"), running("true")}, "Stop-1=failed/3 Stop-2=ok/0", "",
			"out\nHook error: echo out; echo err >&2; exit 3: exit 3\nerr"},
		{"1c.6 exit 2 after the event does not", "PostExecutionEnd", []string{running("exit 2")}, "PostExecutionEnd-1=failed/2", "", "Hook error: exit 2: exit 2"},
		{"1c.6 nor at its start", "PostExecutionStart", []string{running("exit 2")}, "PostExecutionStart-1=failed/2", "", "Hook error: exit 2: exit 2"},
		{"1c.7 a decision blocks with exit 0", "PreExecutionEnd", []string{running(block)}, "PreExecutionEnd-1=blocked/0", "5 errors",
			"{\"decision\": \"block\", \"reason\": \"5 errors\\u001b[31m\", \"feedback\": \"fix them\"}\nfix them"},
		{"1c.7 and with any other code", "Stop", []string{running(`echo '{"decision": "block", "reason": "r"}'; exit 1`)}, "Stop-1=blocked/1", "r", "{\"decision\": \"block\", \"reason\": \"r\"}\n"},
		{"1c.7 without a reason", "Stop", []string{running(`echo '{"decision": "block", "reason": null}'`)}, "Stop-1=blocked/0", "Blocked by hook", "{\"decision\": \"block\", \"reason\": null}\n"},
		{"1c.7 a reason that is no text", "Stop", []string{running(`echo '{"decision": "block", "reason": {"n": 5}}'`)}, "Stop-1=blocked/0", `{"n": 5}`, "{\"decision\": \"block\", \"reason\": {\"n\": 5}}\n"},
		{"1c.7 with exit 2 stderr says why", "Stop", []string{running(`echo '{"decision": "block", "reason": "r"}'; echo e >&2; exit 2`)}, "Stop-1=blocked/2", "e", "{\"decision\": \"block\", \"reason\": \"r\"}\n"},
		{"1c.7 approve means nothing", "Stop", []string{running(`echo '{"decision": "approve"}'; exit 2`)}, "Stop-1=blocked/2", "Blocked by hook", "{\"decision\": \"approve\"}\n"},
		{"1c.7 only where all of stdout is it", "Stop", []string{running(`echo hi; echo '{"decision": "block"}'`)}, "Stop-1=ok/0", "", "hi\n{\"decision\": \"block\"}\n"},
		{"1c.7 two objects are none", "Stop", []string{running(`echo '{"decision": "block"} {}'`)}, "Stop-1=ok/0", "", "{\"decision\": \"block\"} {}\n"},
		{"1c.7 keys are what they are", "Stop", []string{running(`echo '{"Decision": "block"}'`)}, "Stop-1=ok/0", "", "{\"Decision\": \"block\"}\n"},
		{"1c.7 a list is none", "Stop", []string{running(`echo '["block"]'`)}, "Stop-1=ok/0", "", "[\"block\"]\n"},
		{"1c.7 after the event it is shown and ignored", "PostExecutionEnd", []string{running(`printf '{"decision": "block"}'`)}, "PostExecutionEnd-1=ok/0", "",
			`{"decision": "block"}hook printf '{"decision": "block"}': a decision to block means nothing at PostExecutionEnd`},
		{"1c.8 blocking false makes it a failure", "Stop", []string{running("echo no >&2; exit 2", `"blocking": false`), running("echo on")}, "Stop-1=failed/2 Stop-2=ok/0", "",
			"Hook error: echo no >&2; exit 2: noon\n"},
		{"1c.8 also a decision", "Stop", []string{running(`printf '{"decision": "block"}'`, `"blocking": false`)}, "Stop-1=failed/0", "",
			`{"decision": "block"}Hook error: printf '{"decision": "block"}': Blocked by hook`},
		{"1c.8 true is the protocol", "Stop", []string{running("exit 2", `"blocking": true`)}, "Stop-1=blocked/2", "Blocked by hook", ""},
		{"1c.9 a time-out never blocks", "Stop", []string{running(`echo '{"decision": "block"}'; echo e >&2; sleep 60; exit 2`, `"timeout": 200`), running("true")}, "Stop-1=timeout/124 Stop-2=ok/0", "",
			"{\"decision\": \"block\"}\nHook error: echo '{\"decision\": \"block\"}'; echo e >&2; sleep 60; exit 2: hook timed out after 200ms and was killed\ne"},
		{"1c.13 a hook need not read", "Stop", []string{running("exec true <&-")}, "Stop-1=ok/0", "", ""},
		{"a command that is not there", "Stop", []string{running("no-such-command 2>&-")}, "Stop-1=failed/127", "", "Hook error: no-such-command 2>&-: exit 127"},
		{"a NUL cannot be run", "Stop", []string{`{"type": "command", "command": "a\u0000b"}`}, "Stop-1=failed/127", "", "Hook error: ab: hook could not start: fork/exec /bin/sh: invalid argument"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, hooksAt(test.event, test.hooks...))
			report := w.emit(test.event, "")
			if diff := cmp.Diff(test.want, summary(report)); diff != "" {
				t.Errorf("hooks mismatch (-want +got):\n%s", diff)
			}
			if report.Blocked != (test.reason != "") || report.Reason != test.reason {
				t.Errorf("blocked %v for %q, want %q", report.Blocked, report.Reason, test.reason)
			}
			if diff := cmp.Diff(test.shown, w.shown.String()); diff != "" {
				t.Errorf("shown mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLargeInputUnread(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hooksAt("Stop", running("true"), running("head -c 10 | wc -c")))
	report := w.emit("Stop", `{"output": "`+strings.Repeat("x", 1<<20)+`"}`)
	if got := summary(report); got != "Stop-1=ok/0 Stop-2=ok/0" {
		t.Errorf("1c.13 hooks %s", got)
	}
}

func TestFeedbackIsAField(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hooksAt("Stop", running(`echo '{"decision": "approve", "feedback": "nice"}'`)))
	report := w.emit("Stop", "")
	if diff := cmp.Diff(map[string]any{"feedback": "nice"}, report.Hooks[0].Judgement.Fields); diff != "" {
		t.Errorf("1c.7 fields mismatch (-want +got):\n%s", diff)
	}
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, hooksAt("Stop", running("true"), running("true", `"timeout": 1500.5`), running("true", `"timeout": 2147483647`)))
	set, err := w.format().Load()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []time.Duration{time.Minute, 1500500 * time.Microsecond, 2147483647 * time.Millisecond} {
		if got := set.Hooks[i].Info().Action.Timeout; got != want {
			t.Errorf("1c.3 time limit %v, want %v", got, want)
		}
	}
}

func TestTemplates(t *testing.T) {
	t.Parallel()
	const data = `{"n": 0, "no": false, "yes": true, "big": 9007199254740993, "f": 1.50, "none": null, "empty": "",
		"files": ["a b", "c"], "mixed": [1, true, null, "x"], "deep": [[1]], "object": {"a": "<"}, "inner": "{{n}}"}`
	tests := []struct{ name, command, want string }{
		{"1c.10 undefined stays", "echo '{{undefined}} {{also-not}} {{}}'", "{{undefined}} {{also-not}} {{}}\n"},
		{"1c.10 null is as good as undefined", "echo '{{none}}'", "{{none}}\n"},
		{"1c.10 zero, false and nothing are values", `echo "{{n}} {{no}} {{yes}} <{{empty}}>"`, "0 false true <>\n"},
		{"1c.10 numbers as they were written", "echo {{big}} {{f}}", "9007199254740993 1.50\n"},
		{"1c.10 lists are joined", `echo "{{files}}"`, "a b c\n"},
		{"1c.10 or a word an element", `printf '<%s>' {{files}}`, "<a b><c>"},
		{"1c.10 lists of plain values", `printf '<%s>' {{mixed}}`, "<1><true><><x>"},
		{"1c.10 anything else is JSON", `printf '%s\n' {{deep}} {{object}}`, "[[1]]\n{\"a\":\"<\"}\n"},
		{"1c.10 the event's own keys", "echo {{eventName}} {{timestamp}} {{sessionId}}", "PostExecutionStart 1704110400250 ws-0123456789ab\n"},
		{"1c.10 values are not templates", "echo '{{inner}}'", "{{n}}\n"},
		{"not a shell command", "echo '{{n}}' | | true", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, hooksAt("PostExecutionStart", running(test.command)))
			report := w.emit("PostExecutionStart", data)
			if got := report.Hooks[0].Judgement.Out; got != test.want {
				t.Errorf("stdout %q, want %q\n%s", got, test.want, report.Hooks[0].Judgement.Err)
			}
		})
	}
	t.Run("what shtemplate warns of is said when it runs", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, hooksAt("PostExecutionStart", running(`sh -c "echo {{n}}"`)))
		if plan, err := w.engine().Plan(t.Context(), w.event("PostExecutionStart", data)); err != nil || len(plan.Hooks) != 1 || w.warned != nil {
			t.Errorf("Plan() = %+v, %v, warned %q", plan, err, w.warned)
		}
		w.emit("PostExecutionStart", data)
		if len(w.warned) != 1 || !strings.HasPrefix(w.warned[0], "hook PostExecutionStart-1: 1:13: {{n}}") {
			t.Errorf("warned %q", w.warned)
		}
	})
}

// Each value makes a canary file where a shell reads it as text of its own.
var hostile = []string{
	"$(touch canary)", "`touch canary`", "'; touch canary; '", `"; touch canary; "`, "\n touch canary\n", "&& touch canary", "| touch canary",
	"${x:=$(touch canary)}", "\\'; touch canary #", "EOF\ntouch canary\n", "{{issueNumber}}$(touch canary)", "-n", "*", "~", "a  b",
}

func TestHostileValues(t *testing.T) {
	t.Parallel()
	commands := []string{
		"printf %s {{v}}", `printf %s "{{v}}"`, "printf %s '{{v}}'", `printf %s "$(printf %s {{v}})"`, "printf %s `printf %s \"{{v}}\"`",
		"cat <<EOF\n{{v}}\nEOF",
	}
	for _, value := range hostile {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			var hooks []string
			for _, command := range commands {
				hooks = append(hooks, running(command))
			}
			w := newWorld(t, hooksAt("PostExecutionStart", hooks...))
			ev := w.event("PostExecutionStart", `{"issueNumber": 7}`)
			ev.Data["v"] = value
			report := w.emitEvent(ev)
			for i, ran := range report.Hooks {
				// A shell takes newlines off the end of $(…), and splits `…` into words.
				if got := strings.TrimRight(ran.Judgement.Out, "\n"); i != 4 && got != strings.TrimRight(value, "\n") {
					t.Errorf("rule B: %s printed %q: %s", commands[i], got, ran.Judgement.Err)
				}
			}
			if list := w.files(); strings.Contains(list, "canary") {
				t.Errorf("rule B: %s", list)
			}
		})
	}
}

func TestValuesThatCannotBePassed(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{"NUL": "a\x00b", "1 MiB": strings.Repeat("x", 1<<20)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, hooksAt("Stop", running("echo {{v}}"), running("wc -c")))
			ev := w.event("Stop", "")
			ev.Data["v"] = value
			report := w.emitEvent(ev)
			if got := summary(report); got != "Stop-1=invalid/0 Stop-2=ok/0" {
				t.Errorf("rule B: hooks %s", got)
			}
		})
	}
}
