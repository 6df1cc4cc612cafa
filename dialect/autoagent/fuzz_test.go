package autoagent_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"discobot-hooks/dialect"
	"discobot-hooks/dialect/autoagent"
	"discobot-hooks/hook"
)

// Whatever a workspace brings is hooks and problems, or a FileError: never a
// panic, and never a hook that the engine cannot hold.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		documented, "", "{", "[]", `{"hooks": null}`, `{"hooks": {"Stop": [{"type": "command", "command": "echo {{a}}"}]}}`,
		hooksAt("PostExecutionEnd", `{"type": "git-push"}`, `{"type": "git-commit"}`), hooksAt("Stop", `{"timeout": 1e-99}`, `5`), "{\"\x00\": {}}",
	} {
		f.Add([]byte(seed))
	}
	workspace := f.TempDir()
	path := filepath.Join(workspace, autoagent.ConfigFile)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		set, err := autoagent.New(autoagent.Options{Workspace: workspace}).Load()
		if err != nil {
			if _, ok := errors.AsType[*dialect.FileError](err); !ok {
				t.Errorf("Load() = %v", err)
			}
			return
		}
		ev := &dialect.Event{Time: time.Unix(0, 0), Data: map[string]any{"a": []any{"b", nil}}, Warn: func(string) {}}
		for _, h := range set.Hooks {
			info := h.Info()
			if info.ID == "" || info.Name == "" || info.Line == 0 || info.Action.Timeout <= 0 {
				t.Errorf("hook %+v", info)
			}
			if action, err := h.Prepare(ev); (action == nil) == (err == nil) {
				t.Errorf("Prepare() = %v, %v", action, err)
			}
		}
	})
}

// Whatever a hook prints, only exit code 2 and a decision block.
func FuzzJudge(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"decision": "block"}`, `{"decision": "block", "reason": 5}`, "{\"decision\": \"block\"}\x00", `{"decision":"block"}{`} {
		f.Add([]byte(seed), 0)
		f.Add([]byte(seed), 2)
	}
	workspace := f.TempDir()
	write := os.WriteFile
	if err := os.MkdirAll(filepath.Join(workspace, ".autoagent"), 0o755); err != nil {
		f.Fatal(err)
	}
	if err := write(filepath.Join(workspace, autoagent.ConfigFile), []byte(hooksAt("Stop", running("true"))), 0o644); err != nil {
		f.Fatal(err)
	}
	set, err := autoagent.New(autoagent.Options{Workspace: workspace}).Load()
	if err != nil || len(set.Hooks) != 1 {
		f.Fatal(set, err)
	}
	f.Fuzz(func(t *testing.T, stdout []byte, code int) {
		o := dialect.Outcome{Stdout: stdout, Result: hook.Result{Status: hook.OK}}
		if code != 0 {
			o.Result = hook.Result{Status: hook.Failed, ExitCode: code}
		}
		j := set.Hooks[0].Judge(&dialect.Event{Name: "Stop"}, o)
		if j.Block != (j.Status == hook.Blocked) || j.Block && j.Reason == "" || code == 2 && !j.Block {
			t.Errorf("Judge(%q, %d) = %+v", stdout, code, j)
		}
	})
}
