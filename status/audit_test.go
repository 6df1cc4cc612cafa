package status

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/hook"
)

func auditLines(t *testing.T, store *Store) []map[string]any {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(store.Dir(), auditName))
	if err != nil {
		t.Fatal(err)
	}
	var lines []map[string]any
	for line := range bytes.Lines(content) {
		var document map[string]any
		if err := json.Unmarshal(line, &document); err == nil {
			lines = append(lines, document)
		}
	}
	return lines
}

// Every execution has a line, whatever its dialect and its end.
func TestAudit(t *testing.T) {
	t.Parallel()
	store, _ := testStore(t)
	started := time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)
	ours := hook.Hook{ID: "lint", Event: hook.File, File: ".discobot/hooks/lint.sh"}
	others := hook.Hook{ID: "build", Dialect: "registry", Event: "SessionStop", File: ".system/hooks/build.yaml"}
	for _, run := range []struct {
		hook   hook.Hook
		result hook.Result
	}{
		{ours, hook.Result{Status: hook.OK, Started: started, Duration: 1500 * time.Millisecond, Output: hook.Output{Path: "/o"}}},
		{others, hook.Result{Status: hook.Blocked, ExitCode: 2, Started: started, Reason: "no \"tests\"\nat all"}},
		{ours, hook.Result{Status: hook.Failed, ExitCode: 143, Started: started, Aborted: true}},
	} {
		if err := store.Record(t.Context(), run.hook, run.result); err != nil {
			t.Fatal(err)
		}
	}
	want := []map[string]any{
		{"time": "2026-01-02T03:04:05.678Z", "dialect": "discobot", "event": "file", "hookId": "lint", "file": ".discobot/hooks/lint.sh",
			"status": "ok", "exitCode": 0.0, "durationMs": 1500.0, "outputPath": "/o"},
		{"time": "2026-01-02T03:04:05.678Z", "dialect": "registry", "event": "SessionStop", "hookId": "build", "file": ".system/hooks/build.yaml",
			"status": "blocked", "exitCode": 2.0, "durationMs": 0.0, "outputPath": "", "reason": "no \"tests\"\nat all"},
		{"time": "2026-01-02T03:04:05.678Z", "dialect": "discobot", "event": "file", "hookId": "lint", "file": ".discobot/hooks/lint.sh",
			"status": "failed", "exitCode": 143.0, "durationMs": 0.0, "outputPath": "", "aborted": true},
	}
	if diff := cmp.Diff(want, auditLines(t, store)); diff != "" {
		t.Errorf("audit mismatch (-want +got):\n%s", diff)
	}
	file, err := store.Read()
	if err != nil || file.Hooks["lint"].RunCount != 1 || file.Hooks["build"].Type != "registry" {
		t.Errorf("status %+v, %v: want one run of lint, since an aborted one says nothing", file, err)
	}
}

// A full disk may leave half a line, which must not spoil the next.
func TestAuditAfterHalfALine(t *testing.T) {
	t.Parallel()
	store, _ := testStore(t)
	if err := os.MkdirAll(store.Dir(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(store.Dir(), auditName), []byte(`{"time":"20`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := store.Record(t.Context(), hook.Hook{ID: "a"}, hook.Result{Status: hook.OK}); err != nil {
		t.Fatal(err)
	}
	if lines := auditLines(t, store); len(lines) != 1 || lines[0]["hookId"] != "a" {
		t.Errorf("audit %v: want the new line whole", lines)
	}
}

// The audit does not grow for ever, and what lies in its place is not followed.
func TestAuditBeginsAnew(t *testing.T) {
	t.Parallel()
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	tests := []struct {
		name string
		put  func(path string) error
	}{
		{"when it is large", func(path string) error {
			return os.WriteFile(path, bytes.Repeat([]byte("x\n"), maxAuditBytes/2), 0o600)
		}},
		{"instead of a link", func(path string) error { return os.Symlink(elsewhere, path) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			store, _ := testStore(t)
			if err := os.MkdirAll(store.Dir(), 0o700); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(store.Dir(), auditName)
			if err := test.put(path); err != nil {
				t.Fatal(err)
			}
			if err := store.Record(t.Context(), hook.Hook{ID: "a"}, hook.Result{Status: hook.OK}); err != nil {
				t.Fatal(err)
			}
			if lines := auditLines(t, store); len(lines) != 1 {
				t.Errorf("%d lines, want the new one alone", len(lines))
			}
			if _, err := os.Lstat(path + ".1"); err != nil {
				t.Errorf("the former file is lost: %v", err)
			}
			if _, err := os.Lstat(elsewhere); err == nil {
				t.Error("the link was followed")
			}
		})
	}
}
