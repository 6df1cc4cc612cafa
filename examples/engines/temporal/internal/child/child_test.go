package child_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/examples/engines/temporal/internal/child"
)

func good() child.Child {
	return child.Child{SessionDir: "/s", Pipeline: "review", Inputs: []byte(`{}`), Workspace: "/w", Heartbeat: time.Second, Timeout: time.Minute}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*child.Child)
		want   string
	}{
		"good":               {func(*child.Child) {}, ""},
		"relative directory": {func(c *child.Child) { c.SessionDir = "s" }, `session directory "s": not absolute`},
		"no workspace":       {func(c *child.Child) { c.Workspace = "" }, `workspace "": not absolute`},
		"an option":          {func(c *child.Child) { c.Pipeline = "--dir" }, `pipeline "--dir": not a name`},
		"no pipeline":        {func(c *child.Child) { c.Pipeline = "" }, `pipeline "": not a name`},
		"no inputs":          {func(c *child.Child) { c.Inputs = nil }, "inputs: not a JSON document"},
		"no heartbeat":       {func(c *child.Child) { c.Heartbeat = 0 }, "time limits: less than a second"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := good()
			test.change(&c)
			got := ""
			if err := c.Check(); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Check mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// A started workflow is found by its id: a release that computes another would
// run children twice. This one is from: printf '1:q2:/s' | sha256sum
func TestWorkflowIDStays(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff("discobot-child-8fece886c010399570c01ee077a001b3", good().WorkflowID("q")); diff != "" {
		t.Errorf("WorkflowID mismatch (-want +got):\n%s", diff)
	}
	if good().WorkflowID("q/") == (child.Child{SessionDir: "s"}).WorkflowID("q//") {
		t.Error("parts that run into each other have the same id")
	}
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*child.Child)
		same   bool
	}{
		"time limits": {func(c *child.Child) { c.Timeout, c.Heartbeat = time.Hour, time.Hour }, true},
		"pipeline":    {func(c *child.Child) { c.Pipeline = "other" }, false},
		"inputs":      {func(c *child.Child) { c.Inputs = []byte(`[]`) }, false},
		"workspace":   {func(c *child.Child) { c.Workspace = "/v" }, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := good()
			test.change(&c)
			if got := c.Fingerprint() == good().Fingerprint(); got != test.same {
				t.Errorf("same fingerprint: %v, want %v", got, test.same)
			}
		})
	}
}

func TestFailure(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		ending child.Ending
		want   string
	}{
		"success":         {child.Ending{Said: "done"}, ""},
		"silent":          {child.Ending{Exit: 2}, "engine: exit 2"},
		"last line":       {child.Ending{Exit: 1, Said: "first\nlast\n\n"}, "engine: exit 1: last"},
		"overwritten":     {child.Ending{Exit: 1, Said: "10%\r20%\r"}, "engine: exit 1: 20%"},
		"only colour":     {child.Ending{Exit: 1, Said: "\x1b\n"}, "engine: exit 1: it said nothing that can be shown"},
		"signal":          {child.Ending{Exit: -1, Signal: "killed", Said: "x"}, "engine ended by signal: killed"},
		"output":          {child.Ending{Problem: "output.json: not a JSON document"}, "output.json: not a JSON document"},
		"exit and output": {child.Ending{Exit: 1, Problem: "output.json: not a JSON document"}, "engine: exit 1"},
		"a long line":     {child.Ending{Exit: 1, Said: strings.Repeat("ä", 200)}, "engine: exit 1: " + strings.Repeat("ä", 150)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, test.ending.Failure()); diff != "" {
				t.Errorf("Failure mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever an engine says, the message is one line that does nothing to a
// terminal.
func FuzzFailure(f *testing.F) {
	for _, seed := range []string{"", "a\nb", "\x1b[2J", "\xff\xfe", "\u202eabc\u2028d", strings.Repeat("ä", 200), "\r\r\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, said string) {
		got := child.Ending{Exit: 1, Said: said}.Failure()
		if len(got) > 400 || !utf8.ValidString(got) {
			t.Errorf("%d bytes: %q", len(got), got)
		}
		for _, r := range got {
			if !unicode.IsPrint(r) && r != '\t' {
				t.Errorf("%q has %U", got, r)
			}
		}
	})
}

func TestWriteOutput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, content := range [][]byte{[]byte("1"), []byte("{\"a\":\n 2}\n"), nil, nil} {
		if err := child.WriteOutput(dir, content); err != nil {
			t.Fatal(err)
		}
		got, err := child.ReadOutput(dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(content, got); diff != "" {
			t.Errorf("ReadOutput mismatch (-want +got):\n%s", diff)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("the directory has %v, %v; want nothing", entries, err)
	}
}

func TestReadDocument(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ content, want string }{
		"object":    {`{"a":1}`, ""},
		"string":    {`"a"`, ""},
		"longest":   {`"` + strings.Repeat("a", child.MaxDocument-2) + `"`, ""},
		"too long":  {`"` + strings.Repeat("a", child.MaxDocument-1) + `"`, "FILE: more than 1048576 bytes"},
		"empty":     {"", "FILE: not a JSON document"},
		"two":       {"1 2", "FILE: not a JSON document"},
		"not UTF-8": {"\"\xff\"", "FILE: not a JSON document"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			content, err := child.ReadDocument(path)
			said := ""
			if err != nil {
				said = strings.ReplaceAll(err.Error(), path, "FILE")
			} else if string(content) != test.content {
				t.Errorf("%d bytes, want %d", len(content), len(test.content))
			}
			if diff := cmp.Diff(test.want, said); diff != "" {
				t.Errorf("error mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
