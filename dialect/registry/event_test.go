package registry_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"discobot-hooks/dialect"
	"discobot-hooks/dialect/registry"
	"discobot-hooks/hook"
)

func TestContext(t *testing.T) {
	t.Parallel()
	// The hook returns what it read.
	run := func(t *testing.T, ev *dialect.Event, defaultSession string) (string, string) {
		t.Helper()
		f := registry.New(workspace(t, hookFiles(define("a", "UserPromptSubmit", "cat >seen; pwd >dir"))), "")
		f.DefaultSession = defaultSession
		ev.Name, ev.Time = "UserPromptSubmit", emitted
		if _, err := engine(f).Emit(t.Context(), ev); err != nil {
			t.Fatal(err)
		}
		seen, err := os.ReadFile(filepath.Join(f.Workspace, "seen"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(seen), f.Workspace, "WORKSPACE"), f.Workspace
	}
	t.Run("1d.4 event_type, session_id, timestamp and repository_root are filled in", func(t *testing.T) {
		t.Parallel()
		ev := &dialect.Event{}
		got, _ := run(t, ev, "ws-1")
		equal(t, "context", `{"event_type":"UserPromptSubmit","repository_root":"WORKSPACE","session_id":"ws-1","timestamp":"2025-01-15T10:23:45Z"}`+"\n", got)
		equal(t, "session", "", ev.Session) // the engine's own
	})
	t.Run("1d.4 what the event has stays, digit for digit", func(t *testing.T) {
		t.Parallel()
		ev := &dialect.Event{Session: "cli", Data: object(t, `{"event_type": "Other", "session_id": "own", "timestamp": 17, "repository_root": "/r", "stage": "plan", "n": 12345678901234567890.10, "user_message": "<a> & $(touch canary)"}`)}
		got, _ := run(t, ev, "ws-1")
		equal(t, "context", `{"event_type":"UserPromptSubmit","n":12345678901234567890.10,"repository_root":"/r","session_id":"own","stage":"plan","timestamp":17,"user_message":"<a> & $(touch canary)"}`+"\n", got)
		equal(t, "session", "cli", ev.Session)
	})
	t.Run("the event's session is the session", func(t *testing.T) {
		t.Parallel()
		ev := &dialect.Event{Data: object(t, `{"session_id": "own"}`)}
		run(t, ev, "ws-1")
		equal(t, "session", "own", ev.Session)
	})
	t.Run("a session that is no text is none", func(t *testing.T) {
		t.Parallel()
		ev := &dialect.Event{Session: "cli", Data: object(t, `{"session_id": 5, "timestamp": ""}`)}
		got, _ := run(t, ev, "ws-1")
		if !strings.Contains(got, `"session_id":"cli","timestamp":"2025-01-15T10:23:45Z"`) {
			t.Errorf("context %s", got)
		}
	})
	t.Run("the caller's map is not changed", func(t *testing.T) {
		t.Parallel()
		data := map[string]any{}
		run(t, &dialect.Event{Data: data}, "ws-1")
		equal(t, "data", map[string]any{}, data)
	})
	t.Run("1d.4 in the repository root", func(t *testing.T) {
		t.Parallel()
		_, dir := run(t, &dialect.Event{}, "")
		got, err := os.ReadFile(filepath.Join(dir, "dir"))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "directory", dir+"\n", string(got))
	})
}

// Section 6, rule E.
func TestRuleEHostileValuesAreData(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		"$(touch canary)", "`touch canary`", `'; touch canary; '`, `"; touch canary; "`, "\ntouch canary\n", "{{user_message}}", "${user_message}", "\x00", strings.Repeat("x", 1<<20),
	} {
		const command = "touch ran # {{user_message}} ${user_message}"
		f := registry.New(workspace(t, hookFiles(define("a", "UserPromptSubmit", command))), "")
		ev := &dialect.Event{Name: "UserPromptSubmit", Time: emitted, Data: map[string]any{"user_message": value, "PATH": value, "LD_PRELOAD": value, value: value}}
		set := load(t, f)
		if err := f.Open(t.Context(), ev); err != nil {
			t.Fatal(err)
		}
		action, err := set.Hooks[0].Prepare(ev)
		if err != nil {
			t.Fatal(err)
		}
		process := action.(dialect.Process)
		equal(t, "argv", []string{"/bin/sh", "-c", command}, process.Argv)
		equal(t, "environment", nil, process.Env)

		if _, err := engine(f).Emit(t.Context(), ev); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(f.Workspace, "ran")); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(f.Workspace, "canary")); err == nil {
			t.Errorf("%.40q was run", value)
		}
	}
}

func TestContextThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	f := registry.New(workspace(t, hookFiles(define("a", "SessionStop", "true"))), "")
	ev := &dialect.Event{Name: "SessionStop", Data: map[string]any{"x": func() {}}}
	report, err := engine(f).Emit(t.Context(), ev)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "status", hook.Invalid, report.Hooks[0].Judgement.Status)
	equal(t, "result", nil, report.Result)
}

func TestMatch(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, match, data, want string }{
		{"1d.3 no conditions", "", `{}`, ""},
		{"1d.3 ability_scope", "ability_scope: billing*", `{"ability_id": "billing_regression"}`, ""},
		{"1d.3 ability_scope, another", "ability_scope: billing*", `{"ability_id": "login\u001b[0m"}`, "ability_id `login` is not in ability_scope"},
		{"1d.3 ability_scope, a list", "ability_scope: [a, 'b*']", `{"ability_id": "bc"}`, ""},
		{"1d.3 ability_scope without ability", "ability_scope: [a, b]", `{"ability_id": 5}`, "no ability_id"},
		{"1d.3 * is everything", "ability_scope: '*'", `{}`, ""},
		{"1d.3 * is everything, dots too", "operation_key: ['x', '**']", `{"operation_key": ".x/.y"}`, ""},
		{"1d.3 * but one", "ability_scope: ['*', '!x']", `{"ability_id": "x"}`, "ability_id `x` is not in ability_scope"},
		{"operation_key", "operation_key: 'workflow.*.regression'", `{"operation_key": "workflow.billing.regression"}`, ""},
		{"operation_key, another", "operation_key: 'agent.*'", `{"operation_key": "workflow.billing"}`, "operation_key `workflow.billing` is not in operation_key"},
		{"1d.3 min_duration_ms", "min_duration_ms: 5000", `{"duration_ms": 5000}`, ""},
		{"1d.3 min_duration_ms, shorter", "min_duration_ms: 5_000", `{"duration_ms": 4999.5}`, "4999.5 ms, less than min_duration_ms: 5000"},
		{"1d.3 absent duration fails", "min_duration_ms: 1", `{}`, "no duration_ms"},
		{"1d.3 absent duration fails unless 0", "min_duration_ms: 0", `{}`, ""},
		{"a duration that is too large for a number", "min_duration_ms: 1", `{"duration_ms": 1e999}`, "no duration_ms"},
		{"1d.3 only_if_changed_paths, ** crosses /", "only_if_changed_paths: ['services/**', 'apps/**']", `{"changed_files": ["README.md", "services/billing/src/invoice.ts"]}`, ""},
		{"1d.3 only_if_changed_paths, others", "only_if_changed_paths: ['services/**']", `{"changed_files": ["README.md", 5, "", "other/services/x"]}`, "no changed file is in only_if_changed_paths"},
		{"1d.3 no changed_files", "only_if_changed_paths: '**'", `{"changed_files": 5}`, "no changed_files"},
		{"1d.3 one changed file", "only_if_changed_paths: '**'", `{"changed_files": "x"}`, ""},
		{"changed files written otherwise", "only_if_changed_paths: 'a/*.go'", `{"changed_files": ["./a/x.go"]}`, ""},
		{"changed files written absolutely", "only_if_changed_paths: 'a/*.go'", `{"changed_files": ["WORKSPACE/a/x.go"]}`, ""},
		{"1d.3 all conditions", "{ability_scope: a, min_duration_ms: 1}", `{"ability_id": "a", "duration_ms": 0}`, "0 ms, less than min_duration_ms: 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			match := "match: " + test.match
			if !strings.HasPrefix(test.match, "{") {
				match = "match:\n  " + test.match
			}
			dir := workspace(t, hookFiles(define("a", "PostAbilityCall", "true", match)))
			set := load(t, registry.New(dir, ""))
			if len(set.Hooks) == 0 {
				t.Fatal(set.Problems)
			}
			ev := &dialect.Event{Name: "PostAbilityCall", Data: object(t, strings.ReplaceAll(test.data, "WORKSPACE", dir))}
			equal(t, "reason", test.want, set.Hooks[0].Match(ev))
		})
	}
}

func TestEnvironments(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, environments, environment, want string }{
		{"1d.3 all", "", "prod", ""},
		{"1d.3 one", "environments: dev", "dev", ""},
		{"1d.3 another", "environments: [dev, ci]", "prod", "only for environments dev, ci; this is prod"},
		{"1d.3 none is named", "environments: [dev, ci]", "", "only for environments dev, ci; none is named"},
		{"disabled comes first", "enabled: false\nenvironments: dev", "", "disabled (enabled: false)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := registry.New(workspace(t, hookFiles(define("a", "SessionStop", "touch ran", test.environments))), test.environment)
			equal(t, "off", test.want, infos(load(t, f))[0].Off)
			if ran := len(emit(t, f, "SessionStop", "").Hooks) > 0; ran != (test.want == "") {
				t.Errorf("it ran: %v", ran)
			}
		})
	}
}
