package engine

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever is in a file, reading it ends in a plan that can run or in an error.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		"", "command: x", "stages: [{command: x}]", "stages:\n  - &a {loop: l}\n  - *a", "stages: &a [*a]", "stages: [{<<: {command: x}}]",
		"max_iterations: 1e3\ncommand: x", "a: &a {command: *a}", "? [a]\n: b\ncommand: x", "command: !!binary eA==", "stages: [{name: \"\\xff\", command: x}]",
	} {
		f.Add(seed)
	}
	workspace := f.TempDir()
	path := filepath.Join(workspace, "p.yaml")
	f.Fuzz(func(t *testing.T, content string) {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := load(workspace, "p.yaml")
		if err != nil {
			var wrong *FileError
			var missing *NotFoundError
			if !errors.As(err, &wrong) && !errors.As(err, &missing) {
				t.Errorf("load = %v, want one of ours", err)
			}
			return
		}
		for _, s := range p.stages {
			if s.command == "" || s.most < 1 || s.log == "" || strings.ContainsAny(s.log, "/\x00") || strings.Contains(s.command, "\x00") {
				t.Errorf("stage %+v cannot run", s)
			}
		}
		if len(p.stages) == 0 {
			t.Error("a plan without stages")
		}
	})
}

// Whatever a command prints, its output is JSON of bounded length.
func FuzzOutput(f *testing.F) {
	for _, seed := range []string{"", "x\n", `{"a": 1}`, "\xff", "1\n2", "\x00", strings.Repeat("[", 20_000), `"\ud800"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, printed []byte) {
		var k kept
		_, _ = k.Write(printed) // it has no error
		if got := k.json(); !json.Valid(got) || len(got) > maxOutputBytes {
			t.Errorf("output of %d bytes is no JSON: %.100q", len(got), got)
		}
	})
}

// Whatever is in status.json, a decision is a word or none.
func FuzzDecision(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"decision": "stop"}`, `{"decision": 1}`, "null", `[{"decision": "stop"}]`, `{"decision": "a", "decision": "b"}`, "{"} {
		f.Add([]byte(seed))
	}
	dir := folder(f.TempDir())
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(dir.path(statusFile), content, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := dir.decision()
		if err != nil && got != (decision{}) || err == nil && !json.Valid(content) {
			t.Errorf("decision of %q = %+v, %v", content, got, err)
		}
	})
}
