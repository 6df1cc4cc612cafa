package registry

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
	"discobot-hooks/internal/safename"
	"discobot-hooks/internal/yamlfile"
)

func seeds(f *testing.F, pattern string, add func([]byte)) {
	f.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(names) == 0 {
		f.Fatalf("no seeds %s: %v", pattern, err)
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		add(content)
	}
}

// FuzzDefinition has any bytes for a file.
func FuzzDefinition(f *testing.F) {
	seeds(f, "hooks/*.yaml", func(content []byte) { f.Add(content) })
	for _, content := range []string{
		"\ufeffid: a\r\nevent_type: [SessionStart, SessionEnd]\r\nhandler: {command: \"true\"}\r\n",
		"id: a\nevent_type: SessionStop\nmatch: {ability_scope: ['*', '!x'], operation_key: 'a{b,c}', min_duration_ms: 0x10}\nenvironments: dev\ntimeout: 1.5\nblocking: true\nhandler:\n  command: |\n    ./x\n",
		"a: &a [x]\nb: *a\n", "? [a]\n: b\n", "<<: {id: a}\n", "id: !!binary x\n", "---\n---\n", "[[[[", "{a: {b: {c: ", "id: \"\\0\"\n", "match:\n  ability_scope: *\n", "- - - -", "---", "\r\r0", "\u2028\u0085id: [",
	} {
		f.Add([]byte(content))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte) {
		if len(content) > maxFileBytes {
			return
		}
		in := yamlfile.New("x.yaml")
		var d definition
		root, ok := in.Parse(content)
		if ok {
			d, ok = parse(in, root, dir)
		}
		for _, p := range in.Problems() {
			if p.Line < 0 || p.Line > len(content)+1 || strings.ContainsAny(p.Message, "\n\x1b\x00") || !utf8.ValidString(p.Message) {
				t.Errorf("%q: %d of %d: %q", content, p.Line, len(content), p.Message)
			}
		}
		if !ok {
			if !in.Broken() || len(in.Problems()) == 0 {
				t.Errorf("%q: not loaded, and no problem", content)
			}
			return
		}
		if !safename.Is(d.id, maxIDBytes) || len(d.events) == 0 || d.timeout <= 0 || d.timeout > 24*time.Hour || strings.TrimSpace(d.command) == "" || strings.Contains(d.command, "\x00") {
			t.Errorf("%q: loaded as %+v", content, d)
		}
		d.match.unmet(map[string]any{"ability_id": string(content), "changed_files": []any{string(content)}}, "/")
	})
}

// FuzzResult has two hooks print any bytes.
func FuzzResult(f *testing.F) {
	seeds(f, "*-answer.json", func(content []byte) { f.Add(content, content, 0) })
	f.Add([]byte(`{"logs": [{"message": "\ud800"}], "suggested_abilities": [{"id": "a", "confidence": 1e999}]}`), []byte(`{"logs": 1, "x": [[], {}], "error": {}}`), 1)
	f.Add([]byte(`{"errors": [1], "follow_up_actions": [{"kind": "a", "payload": null, "b": 1}]}`), []byte("\xff{"), 0)
	f.Fuzz(func(t *testing.T, first, second []byte, exit int) {
		format := New(t.TempDir(), "")
		ev := &dialect.Event{Name: "SessionStop", Time: time.Unix(0, 0), Warn: func(string) {}}
		for _, stdout := range [][]byte{first, second} {
			h := &scriptHook{definition: definition{id: "a", blocking: exit == 1}, info: dialect.Info{Hook: hook.Hook{ID: "a"}}}
			o := dialect.Outcome{Result: hook.Result{Status: hook.OK, ExitCode: exit}, Stdout: stdout, Stderr: second}
			if exit != 0 {
				o.Status = hook.Failed
			}
			j := h.Judge(ev, o)
			if failed := j.Status != hook.OK; failed != (j.Reason != "") || exit != 0 && !failed || j.Block && !failed {
				t.Errorf("%q, exit %d: %+v", stdout, exit, j)
			}
			if !json.Valid(stdout) && len(bytes.TrimSpace(stdout)) > 0 && j.Status == hook.OK {
				t.Errorf("%q is taken for JSON", stdout)
			}
			format.Fold(ev, h, j)
		}
		result := format.Close(t.Context(), ev, false)
		if result == nil {
			t.Fatal("no result")
		}
		if _, err := json.Marshal(result); err != nil {
			t.Errorf("%q, %q: %v", first, second, err)
		}
		checkLog(t, format)
	})
}

// checkLog holds hooks.log against what its readers rely on.
func checkLog(t *testing.T, format *Format) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(format.Workspace, LogFile))
	if err != nil {
		return // no logs
	}
	for line := range bytes.Lines(content) {
		var entry logLine
		if err := json.Unmarshal(line, &entry); err != nil || entry.HookID != "a" {
			t.Errorf("%q: %v", line, err)
		}
	}
}
