package pipeline_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProblems(t *testing.T) {
	t.Parallel()
	const url = "url: \"${HOOK}\"\n"
	for _, tt := range []struct {
		name, point, action string // action: what follows `- `
		want                []string
		hooks               int
	}{
		{"in order", "on_error", "type: shell\ncommand: ./x.sh\n", nil, 1},
		{"no such point", "on_stage_completed", "type: shell\ncommand: ./x.sh\n", []string{"error 2: there is no hook point `on_stage_completed`: write on_stage_complete"}, 0},
		{"a point of another format", "PreToolUse", "type: shell\ncommand: ./x.sh\n", []string{"error 2: there is no hook point `PreToolUse`: write on_session_start, on_iteration_start, on_iteration_complete, on_stage_complete, on_session_complete, on_error"}, 0},
		{"no type", "on_error", "command: ./x.sh\n", []string{"error 3: type is missing: write type: shell, webhook or spawn"}, 0},
		{"another type", "on_error", "type: exec\ncommand: ./x.sh\n", []string{"error 3: type is `exec`: write type: shell, webhook or spawn"}, 0},
		{"no command", "on_error", "type: shell\n", []string{"error 3: command is missing: write such as command: ./scripts/check.sh"}, 0},
		{"an empty command", "on_error", "type: shell\ncommand: ' '\n", []string{"error 4: command is empty: write such as command: ./scripts/check.sh"}, 0},
		{"await as text", "on_error", "type: shell\ncommand: x\nawait: \"yes\"\n", []string{"error 5: await is `yes`: write true or false, without quotes"}, 0},
		{"timeout", "on_error", "type: shell\ncommand: x\nawait: true\ntimeout: -1\n", []string{"error 6: timeout: `-1` is no time limit: write a duration such as 90s or 2m, or a number of seconds"}, 0},
		{"a long timeout", "on_error", "type: shell\ncommand: x\nawait: true\ntimeout: 99999999\n", []string{"error 6: timeout: `99999999` is too long: write 720h at most"}, 0},
		{"on_failure", "on_error", "type: shell\ncommand: x\nawait: true\non_failure: ignore\n", []string{"error 6: on_failure is `ignore`: write continue or abort or retry"}, 0},
		{"retries", "on_error", "type: shell\ncommand: x\non_failure: retry\nretries: many\n", []string{"error 6: retries is `many`: write a number from 0 to 100"}, 0},
		{"retries without retry", "on_error", "type: shell\ncommand: x\nretries: 2\n", []string{"warning 5: retries does nothing without on_failure: retry"}, 1},
		{"abort that nobody awaits", "on_error", "type: shell\ncommand: x\non_failure: abort\n", []string{"warning 5: on_failure is abort, but nobody awaits the action, so it cannot stop anything: write await: true"}, 1},
		{"retry of spawn", "on_error", "type: spawn\npipeline: x\non_failure: retry\n", []string{"warning 5: on_failure is retry, but retries is 0 by default for spawn: write retries: 1 or more"}, 1},
		{"an unknown key", "on_error", "type: shell\ncmd: x\ncommand: x\n", []string{"warning 4: unknown key `cmd`: did you mean command?"}, 1},
		{"a key of another type", "on_error", "type: shell\ncommand: x\nurl: https://example.com\n", []string{"warning 5: unknown key `url`, which does nothing: take it out"}, 1},
		{"a condition", "on_error", "type: shell\ncommand: x\nwhen: \"${ITERATION} = 10\"\n", []string{"error 5: when: column 14: "}, 1},
		{"an unknown name in a condition", "on_error", "type: shell\ncommand: x\nwhen: \"${STAGE} == 'a' || ${STAGES} == 'b'\"\n", []string{"error 5: when: column 20: "}, 1},
		{"a split variable", "on_error", "type: shell\ncommand: cp ${PROGRESS} \"${CTX}\" x${PROGRESS}\n", []string{"warning 4: ${PROGRESS} is split at spaces where it stands without quotes: write \"${PROGRESS}\""}, 1},
		{"a quoted template", "on_error", "type: shell\ncommand: \"echo '${STAGE}'\"\n", []string{"warning 4: '${STAGE}' stays as it is written, since bash replaces nothing in single quotes: write \"${STAGE}\""}, 1},
		{"no bash", "on_error", "type: shell\ncommand: \"if true; then\"\n", []string{"warning 4: command is not bash as far as we can tell: "}, 1},
		{"no url", "on_error", "type: webhook\n", []string{"error 3: url is missing: write such as url: https://example.com/hook"}, 0},
		{"an event chooses the host", "on_error", "type: webhook\nurl: https://${STAGE}.example.com/x\n", []string{"error 4: url: ${STAGE} stands before its path, so an event could choose where the message goes: write that out, or take it from the environment"}, 0},
		{"an event chooses all of it", "on_error", "type: webhook\nurl: \"${HOOK_RESPONSE}\"\n", []string{"error 4: url: ${HOOK_RESPONSE} stands before its path, so an event could choose where the message goes: write that out, or take it from the environment"}, 0},
		{"an event in the path", "on_error", "type: webhook\nurl: https://example.com/${STAGE}?x=${ITERATION}\n", nil, 1},
		{"method", "on_error", "type: webhook\nmethod: SEND\n" + url, []string{"error 4: method is `SEND`: write one of GET, HEAD, POST, PUT, PATCH, DELETE"}, 0},
		{"a token in the file", "on_error", "type: webhook\nurl: https://hooks.slack.com/services/T0AB12CD3/B0AB12CD3/a1b2c3d4e5f6\n", []string{"warning 4: url holds what looks like a token: keep it out of the file, in the environment or in secrets.env, and write ${NAME}"}, 1},
		{"a token in the query", "on_error", "type: webhook\nurl: https://example.com/x?token=abc\n", []string{"warning 4: url holds what looks like a token: keep it out of the file, in the environment or in secrets.env, and write ${NAME}"}, 1},
		{"a token from the environment", "on_error", "type: webhook\nurl: https://example.com/x?token=${TOKEN}&v=2024-01-02\n", nil, 1},
		{"nobody can answer", "on_error", "type: webhook\nawait: true\nbody: {text: x}\n" + url, []string{"warning 4: await waits for an answer, but the message has no ${CALLBACK_URL} by which to give one: put it into the body"}, 1},
		{"nobody is asked", "on_error", "type: webhook\nawait: true\nbody: {text: \"${CALLBACK_URL}\"}\n" + url, []string{"warning 4: await: where the message cannot be sent nobody is asked, and the pipeline goes on: write on_failure: abort if it must not"}, 1},
		{"a callback that nobody serves", "on_error", "type: webhook\nbody: {text: \"${CALLBACK_URL}\"}\n" + url, []string{"warning 5: url: the message has a ${CALLBACK_URL}, which is empty without await: true"}, 1},
		{"keys of await", "on_error", "type: webhook\ncallback_port: 1\non_timeout: abort\n" + url, []string{"warning 4: callback_port does nothing without await: true", "warning 5: on_timeout does nothing without await: true"}, 1},
		{"a port", "on_error", "type: webhook\nawait: true\non_failure: abort\ncallback_port: 65536\nbody: {text: \"${CALLBACK_URL}\"}\n" + url, []string{"error 6: callback_port is `65536`: write a number from 0 to 65535"}, 0},
		{"no variable of ours", "on_error", "type: webhook\nbody: {text: \"$STAGE ${STAGE:-x}\"}\n" + url, []string{"warning 4: `$STAGE` stays as it is written: only ${NAME} is replaced", "warning 4: `${STAGE:-x}` stays as it is written: only ${NAME} is replaced"}, 1},
		{"no number of JSON's", "on_error", "type: webhook\nbody: {n: .inf}\n" + url, []string{"error 4: JSON has no number `.inf`: write it in quotes"}, 0},
		{"a key twice in a body", "on_error", "type: webhook\nbody: {a: 1, a: 2}\n" + url, []string{"error 4: `a` is no key, or is here a second time: write each key once, as text"}, 0},
		{"no pipeline", "on_error", "type: spawn\n", []string{"error 3: pipeline is missing: write such as pipeline: code-review"}, 0},
		{"a pipeline that leaves its directory", "on_error", "type: spawn\npipeline: ../../etc\n", []string{"error 4: pipeline is `../../etc`: write letters, digits and _ . / -, without .."}, 0},
		{"a pipeline like an option", "on_error", "type: spawn\npipeline: --help\n", []string{"error 4: pipeline is `--help`: write letters, digits and _ . / -, without .."}, 0},
		{"inputs", "on_error", "type: spawn\npipeline: x\ninputs: [a]\n", []string{"error 5: inputs is a list: write a line NAME: VALUE for each"}, 0},
		{"a text as an action", "on_error", "./x.sh\n", []string{"error 3: on_error has one value as an action: write - type: shell, webhook or spawn"}, 0},
		{"plain http", "on_error", "type: webhook\nurl: http://example.com/x\n", []string{"error 4: URL: "}, 1},
		{"a header of ours", "on_error", "type: webhook\nurl: https://example.com/x\nheaders: {Host: a}\n", []string{"error 4: header Host: "}, 1},
		{"a credential in a header", "on_error", "type: webhook\nheaders: {Authorization: Bearer abc, X-Api-Key: \"${KEY}\"}\n" + url, []string{"warning 4: headers: Authorization holds a credential: keep it out of the file, in the environment or in secrets.env, and write ${NAME}"}, 1},
		{"a user in the url", "on_error", "type: webhook\nurl: https://sk_live@example.com/x\n", []string{"warning 4: url holds what looks like a token: keep it out of the file, in the environment or in secrets.env, and write ${NAME}"}, 1},
		{"a long action", "on_error", "type: webhook\nawait: true\non_failure: abort\nbody: {text: \"${CALLBACK_URL}?action=" + strings.Repeat("x", 65) + " ${CALLBACK_URL}?action=reject.\"}\n" + url, []string{"error 6: body: "}, 1},
		{"nobody can say no", "on_error", "type: webhook\nawait: true\non_failure: abort\nbody: {text: \"${CALLBACK_URL}?action=approve\"}\n" + url, []string{"warning 6: body has no link by which to say no: add ${CALLBACK_URL}?action=reject, or the page has no button for it"}, 1},
		{"no delay", "on_error", "type: shell\ncommand: x\non_failure: retry\nretry_delay: 0s\n", nil, 1},
		{"headers", "on_error", "type: webhook\nheaders: {X: [a, b]}\n" + url, []string{"error 4: headers: `X` has more than one value: write one"}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			indented := strings.ReplaceAll(strings.TrimSuffix(tt.action, "\n"), "\n", "\n      ")
			p := newPlace(t, map[string]string{"loop.yaml": "hooks:\n  " + tt.point + ":\n    - " + indented + "\n"})
			set, problems := p.load()
			for i, text := range problems {
				severity, rest, _ := strings.Cut(text, " loop.yaml:")
				problems[i] = severity + " " + rest
				if i < len(tt.want) && strings.HasSuffix(tt.want[i], ": ") { // the rest is another package's wording
					problems[i] = problems[i][:min(len(problems[i]), len(tt.want[i]))]
				}
			}
			if diff := cmp.Diff(tt.want, problems); diff != "" || len(set.Hooks) != tt.hooks {
				t.Errorf("problems mismatch (-want +got), %d hooks of %d:\n%s", len(set.Hooks), tt.hooks, diff)
			}
		})
	}
}
