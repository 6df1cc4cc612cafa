package frontmatter

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"discobot-hooks/hook"
	"discobot-hooks/internal/pattern"
)

// FuzzHeader has any bytes for a file.
func FuzzHeader(f *testing.F) {
	for _, content := range documented {
		f.Add([]byte(content))
	}
	f.Add([]byte("\ufeff\n#!/bin/sh\r\n//---\r\n//type: file\r\n//pattern: [a, \"b\", {c,d}]\r\n//---"))
	f.Add([]byte("#!/bin/sh\n---\nname: \"\ntype: session\nrun_as: admin\ndescription: >2-\n  x\n---\n"))
	f.Add([]byte("#!/bin/sh\n#---\n# type: session\n# pass_env:\n# - A\n#\t- B\n# timeout: 1.5\n# retries: 2\n# ---\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		in := file{name: "x.sh", mode: 0o755, head: content}
		if most := firstLineLimit + headerLimit; len(content) > most {
			in.head, in.more = content[:most], true
		}
		in.parse()
		count := bytes.Count(content, []byte("\n")) + 1
		for _, p := range in.sorted() {
			if p.Line < 0 || p.Line > count {
				t.Errorf("%q: line %d of %d: %s", content, p.Line, count, p.Message)
			}
			if p.Severity == hook.Error && !in.broken {
				t.Errorf("%q: an error, and not broken: %v", content, p)
			}
		}
		if in.counts && !in.broken {
			checkHook(t, in.hook)
		}
	})
}

// checkHook holds a hook against what others rely on.
func checkHook(t *testing.T, h hook.Hook) {
	t.Helper()
	if !slices.Contains(hook.Events(), h.Event) {
		t.Errorf("event %q", h.Event)
	}
	if as := h.Action.RunAs; as != hook.AsUser && (as != hook.AsRoot || h.Event != hook.Session) {
		t.Errorf("%s hook runs as %q", h.Event, as)
	}
	if h.Event == hook.File && len(h.Match.Patterns) == 0 {
		t.Error("file hook without pattern")
	}
	if _, err := pattern.Compile(h.Match); err != nil {
		t.Error(err)
	}
	if h.Action.Timeout < 0 || h.Action.Timeout > 24*time.Hour || h.Action.Retries < 0 || h.Action.Retries > 100 {
		t.Errorf("timeout %v, retries %d", h.Action.Timeout, h.Action.Retries)
	}
	if h.Name == "" || strings.Contains(h.Name+h.Description+strings.Join(h.Action.PassEnv, ""), "\x00") {
		t.Errorf("name %q, description %q, pass_env %q", h.Name, h.Description, h.Action.PassEnv)
	}
}
