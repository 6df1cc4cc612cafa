package registry_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"discobot-hooks/dialect/registry"
	"discobot-hooks/hook"
)

// What the document's hooks answer is what the orchestrator gets, with the
// fields of 1d.7 added.
func TestAnswersOfTheDocument(t *testing.T) {
	t.Parallel()
	tests := []struct{ section, event, merged string }{
		{"2.3", "PostAbilityCall", `{"logs": [{"level": "info", "message": "Recorded billing_regression run to tool_call.md", "hook_id": "a"}], "usage_recorded": true}`},
		{"3.1", "UserPromptSubmit", ""},
		{"3.2", "PostAbilityCall", `{"logs": [{"level": "info", "message": "Logged code_review_agent usage to tool_call.md", "hook_id": "a"}], "usage_recorded": true,
			"update_matcher_suggestions": [{"ability_id": "code_review_agent", "signal": "frequent_usage", "weight": 0.7}]}`},
		{"3.3", "SessionStop", `{"messages_to_user": ["I ran ` + "`npm run build:billing`" + ` for the modified billing service.", "The build failed: TypeScript error in services/billing/src/invoice.ts:123.", "Recommend fixing the error before merging."],
			"follow_up_actions": [{"kind": "open_file", "payload": {"path": "services/billing/src/invoice.ts"}}]}`},
		{"4.3.2", "UserPromptSubmit", ""},
		{"4.3.3", "UserPromptSubmit", ""},
		{"4.3.4", "PreAbilityCall", `{"messages_to_user": ["This ability would write to production. In this environment, it is blocked."], "errors": [{"hook_id": "a", "error": "blocked_by_policy"}]}`},
		{"5.1", "UserPromptSubmit", ""},
		{"5.2", "UserPromptSubmit", ""},
		{"5.3", "SessionStop", ""},
	}
	for _, test := range tests {
		t.Run("section "+test.section, func(t *testing.T) {
			t.Parallel()
			given, data := document(t, test.section+"-answer.json"), ""
			if strings.HasPrefix(test.section, "3.") {
				data = document(t, test.section+"-context.json")
			}
			if test.merged == "" {
				test.merged = given
			}
			f := registry.New(workspace(t, hookFiles(answer("a", test.event, given))), "")
			equal(t, "result", object(t, test.merged), emit(t, f, test.event, data).Result)
		})
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		answers []string
		want    string
	}{
		{"1d.7 logs and messages, one after the other", []string{`{"logs": [{"level": "warn", "message": "x", "hook_id": "forged", "more": 1}], "messages_to_user": ["a"]}`, `{"logs": [{"level": "loud", "message": "y"}, {"message": "z"}], "messages_to_user": ["a", "b"]}`},
			`{"logs": [{"level": "warn", "message": "x", "hook_id": "a", "more": 1}, {"level": "info", "message": "y", "hook_id": "b"}, {"level": "info", "message": "z", "hook_id": "b"}], "messages_to_user": ["a", "a", "b"]}`},
		{"1d.7 abilities by id, best confidence first", []string{`{"suggested_abilities": [{"id": "none"}, {"id": "x", "reason": "first", "confidence": 0.5}, {"id": "tie", "confidence": 0.9, "n": 1}]}`,
			`{"suggested_abilities": [{"id": "late", "confidence": 0.9}, {"id": "x", "reason": "better", "confidence": 0.9}, {"id": "x", "confidence": 0.1}, {"id": "tie", "confidence": 0.90, "n": 2}, {"id": "zero", "confidence": 0}]}`},
			`{"suggested_abilities": [{"id": "x", "reason": "better", "confidence": 0.9}, {"id": "tie", "confidence": 0.9, "n": 1}, {"id": "late", "confidence": 0.9}, {"id": "zero", "confidence": 0}, {"id": "none"}]}`},
		{"1d.7 documents by path", []string{`{"suggested_documents": [{"path": "a.md", "reason": "1"}]}`, `{"suggested_documents": [{"path": "b.md"}, {"path": "a.md", "reason": "2"}]}`},
			`{"suggested_documents": [{"path": "a.md", "reason": "1"}, {"path": "b.md"}]}`},
		{"1d.7 usage_recorded of any", []string{`{"usage_recorded": true}`, `{"usage_recorded": false}`}, `{"usage_recorded": true}`},
		{"1d.7 usage_recorded of none", []string{`{"usage_recorded": false}`, `{}`}, `{"usage_recorded": false}`},
		{"1d.7 last new_intent", []string{`{"new_intent": {"intent": "a", "scope": "s"}}`, `{"new_intent": {"intent": "b"}}`, `{"new_intent": null}`}, `{"new_intent": {"intent": "b"}}`},
		{"1d.7 errors", []string{`{"error": "one"}`, `{"error": "two"}`}, `{"errors": [{"hook_id": "a", "error": "one"}, {"hook_id": "b", "error": "two"}]}`},
		{"1d.7 unknown keys", []string{`{"list": [1], "text": "a", "mixed": [1], "null": 1}`, `{"list": [2, 12345678901234567890], "text": "b", "mixed": 2, "null": null}`},
			`{"list": [1, 2, 12345678901234567890], "text": "b", "mixed": 2, "null": 1}`},
		{"1d.7 empty lists are absent", []string{`{"logs": [], "messages_to_user": [1], "suggested_abilities": [], "x": []}`}, `{}`},
		{"1d.8 follow_up_actions in one form", []string{`{"follow_up_actions": [{"kind": "open_file", "path": "a"}, {"kind": "open_file", "payload": {"path": "b"}, "path": "c", "line": 3}]}`, `{"follow_up_actions": [{"kind": "create_task"}]}`},
			`{"follow_up_actions": [{"kind": "open_file", "payload": {"path": "a"}}, {"kind": "open_file", "payload": {"path": "b", "line": 3}}, {"kind": "create_task", "payload": {}}]}`},
		{"1d.6 block_execution is the verdict's", []string{`{"block_execution": true}`}, `{"errors": [{"hook_id": "a", "error": "block_execution"}]}`},
		{"nothing said", []string{``}, `{}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var files []string
			for i, result := range test.answers {
				files = append(files, answer(string(rune('a'+i)), "SessionStop", result))
			}
			f := registry.New(workspace(t, hookFiles(files...)), "")
			equal(t, "result", object(t, test.want), emit(t, f, "SessionStop", "").Result)
		})
	}
}

func TestFollowUpActionsAreNotExecuted(t *testing.T) {
	t.Parallel()
	t.Run("1d.8 run_command is queued", func(t *testing.T) {
		t.Parallel()
		f := registry.New(workspace(t, hookFiles(answer("a", "SessionStop", `{"follow_up_actions": [{"kind": "run_command", "command": "touch canary"}]}`))), "")
		equal(t, "result", object(t, `{"follow_up_actions": [{"kind": "run_command", "payload": {"command": "touch canary"}}]}`), emit(t, f, "SessionStop", "").Result)
		if _, err := os.Stat(filepath.Join(f.Workspace, "canary")); err == nil {
			t.Error("the command was run")
		}
	})
}

func TestNothingRan(t *testing.T) {
	t.Parallel()
	f := registry.New(workspace(t, hookFiles(answer("a", "SessionStop", `{"usage_recorded": true}`))), "")
	if result := emit(t, f, "SessionEnd", "").Result; result != nil {
		t.Errorf("result %v, want nil", result)
	}
}

func readLog(t *testing.T, dir string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, registry.LogFile))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestLog(t *testing.T) {
	t.Parallel()
	logging := answer("a", "SessionStop", `{"logs": [{"level": "error", "message": "<one>\ntwo"}, {"level": "x", "message": "three"}]}`)
	const want = `{"ts":"2025-01-15T10:23:45Z","hook_id":"a","event_type":"SessionStop","level":"error","message":"<one>\ntwo"}
{"ts":"2025-01-15T10:23:45Z","hook_id":"a","event_type":"SessionStop","level":"info","message":"three"}
`
	t.Run("1d.9 JSON lines, appended", func(t *testing.T) {
		t.Parallel()
		f := registry.New(workspace(t, hookFiles(logging)), "")
		emit(t, f, "SessionStop", "")
		emit(t, registry.New(f.Workspace, ""), "SessionStop", "")
		equal(t, "log", want+want, readLog(t, f.Workspace))
	})
	t.Run("1d.9 no logs, no file", func(t *testing.T) {
		t.Parallel()
		f := registry.New(workspace(t, hookFiles(answer("a", "SessionStop", `{"logs": []}`))), "")
		emit(t, f, "SessionStop", "")
		if _, err := os.Stat(filepath.Join(f.Workspace, ".system/logs")); err == nil {
			t.Error(".system/logs is there")
		}
	})
	t.Run("a log that cannot be written loses nothing else", func(t *testing.T) {
		t.Parallel()
		for _, block := range []func(dir string) error{
			func(dir string) error { return os.WriteFile(filepath.Join(dir, ".system/logs"), nil, 0o644) },
			func(dir string) error { return os.MkdirAll(filepath.Join(dir, registry.LogFile), 0o755) },
			func(dir string) error { return link(dir, "victim", registry.LogFile) },
			func(dir string) error { return link(dir, ".", ".system/logs") },
			func(dir string) error { return os.Symlink("../../victim", filepath.Join(logs(dir), "hooks.log")) },
			func(dir string) error { return os.Symlink("other.log", filepath.Join(logs(dir), "hooks.log")) },
		} {
			f := registry.New(workspace(t, hookFiles(logging)), "")
			write(t, filepath.Join(f.Workspace, ".system/victim"), "")
			write(t, filepath.Join(f.Workspace, "victim"), "")
			if err := block(f.Workspace); err != nil {
				t.Fatal(err)
			}
			report := emitWarned(t, f, "SessionStop", "", []string{"append hooks.log"})
			equal(t, "statuses", []string{"a ok"}, statuses(report))
			if victim, err := os.ReadFile(filepath.Join(f.Workspace, "victim")); err != nil || len(victim) > 0 {
				t.Errorf("written through a link: %s", victim)
			}
		}
	})
	t.Run("a FIFO does not hold us up", func(t *testing.T) {
		t.Parallel()
		f := registry.New(workspace(t, hookFiles(logging)), "")
		path := filepath.Join(f.Workspace, registry.LogFile)
		write(t, filepath.Join(filepath.Dir(path), "x"), "")
		if err := syscall.Mkfifo(path, 0o644); err != nil {
			t.Fatal(err)
		}
		emitWarned(t, f, "SessionStop", "", []string{"append hooks.log"})
	})
}

// logs makes the directory of the log.
func logs(dir string) string {
	path := filepath.Join(dir, filepath.Dir(registry.LogFile))
	_ = os.MkdirAll(path, 0o755) // whoever uses it sees
	return path
}

// link makes name, below dir, a link to target, likewise.
func link(dir, target, name string) error {
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.Symlink(filepath.Join(dir, target), path)
}

// Section 4.3.1's hook runs as written.
func TestLoggingHookOfTheDocument(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 here")
	}
	files := hookFiles(define("log", "PostAbilityCall", "./scripts/hooks/log.py"))
	files["scripts/hooks/log.py"] = document(t, "4.3.1-hook.py")
	f := registry.New(workspace(t, files), "")
	report := emit(t, f, "PostAbilityCall", document(t, "3.2-context.json"))
	if got := report.Hooks[0].Judgement; got.Status != hook.OK {
		t.Fatalf("%s: %s", got.Status, got.Err)
	}
	equal(t, "result", object(t, `{"usage_recorded": true}`), report.Result)
	want := object(t, document(t, "3.2-context.json"))
	want["repository_root"] = f.Workspace
	equal(t, "log", want, object(t, readLog(t, f.Workspace)))
}
