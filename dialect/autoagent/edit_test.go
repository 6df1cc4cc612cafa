package autoagent_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/dialect/autoagent"
)

type edit struct {
	set func(context.Context, string, bool) (bool, error)
	on  bool
}

var (
	commitOn, commitOff = edit{autoagent.SetAutoCommit, true}, edit{autoagent.SetAutoCommit, false}
	pushOn, pushOff     = edit{autoagent.SetAutoPush, true}, edit{autoagent.SetAutoPush, false}
)

const documentedResult = `{
  "hooks": {
    "PostExecutionEnd": [
      {
        "type": "git-commit",
        "message": "Complete issue #{{issueNumber}}: {{issueTitle}}"
      }
    ]
  }
}
`

func TestSetAuto(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, before string
		edits        []edit
		after        string
		changed      bool // by the last edit
	}{
		{"1c.14 the document's result", "", []edit{commitOn}, documentedResult, true},
		{"1c.14 added once", "", []edit{commitOn, commitOn}, documentedResult, false},
		{"1c.14 another one is there already", `{"hooks":{"PostExecutionEnd":[{"type":"git-commit"}]}}`, []edit{commitOn}, `{"hooks":{"PostExecutionEnd":[{"type":"git-commit"}]}}`, false},
		{"1c.14 all are removed, and the empty list", `{"hooks":{"PostExecutionEnd":[{"type":"git-commit"}, {"message":"x", "type":"git-commit"}]}}`, []edit{commitOff}, `{"hooks":{}}`, true},
		{"1c.14 other hooks stay", `{"hooks":{"PostExecutionEnd":[{"type":"git-commit"}, {"type":"git-push"}, 7]}}`, []edit{commitOff}, `{"hooks":{"PostExecutionEnd":[{"type":"git-push"}, 7]}}`, true},
		{"1c.14 nothing to remove", `{ "hooks" : {} }`, []edit{commitOff, pushOff}, `{ "hooks" : {} }`, false},
		{"1c.14 not even a file", "", []edit{pushOff}, "", false},
		{"1c.14 a push", "", []edit{pushOn}, strings.Replace(documentedResult, `"git-commit",
        "message": "Complete issue #{{issueNumber}}: {{issueTitle}}"`, `"git-push",
        "remote": "origin",
        "branch": "current"`, 1), true},
		{"1c.14 the push stays after the commit", `{"hooks":{"PostExecutionEnd":[{"type":"command","command":"npm test"}]}}`, []edit{pushOn, commitOn},
			`{"hooks":{"PostExecutionEnd":[{"type":"command","command":"npm test"},{"type":"git-commit","message":"Complete issue #{{issueNumber}}: {{issueTitle}}"},{"type":"git-push","remote":"origin","branch":"current"}]}}`, true},
		{"1c.14 in the other order too", `{"hooks":{"PostExecutionEnd":[{"type":"command","command":"npm test"}]}}`, []edit{commitOn, pushOn},
			`{"hooks":{"PostExecutionEnd":[{"type":"command","command":"npm test"},{"type":"git-commit","message":"Complete issue #{{issueNumber}}: {{issueTitle}}"},{"type":"git-push","remote":"origin","branch":"current"}]}}`, true},
		{"1c.14 on and off leaves the rest byte for byte", documented + " ", []edit{pushOn, pushOff}, documented + " ", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, test.before)
			var changed bool
			for _, e := range test.edits {
				var err error
				if changed, err = e.set(t.Context(), w.path(), e.on); err != nil {
					t.Fatal(err)
				}
			}
			if changed != test.changed {
				t.Errorf("changed %v, want %v", changed, test.changed)
			}
			after, err := os.ReadFile(w.path())
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.after, string(after)); diff != "" {
				t.Errorf("file mismatch (-want +got):\n%s", diff)
			}
			entries, err := os.ReadDir(filepath.Dir(w.path()))
			if len(entries) > 1 {
				t.Errorf("1c.14 left beside it, for git-commit to add: %v, %v", entries, err)
			}
		})
	}
}

func TestSetAutoKeepsTheMode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "{}")
	if err := os.Chmod(w.path(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := autoagent.SetAutoCommit(t.Context(), w.path(), true); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(w.path()); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestSetAutoRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, content, want string }{
		{"what is not JSON", "{,}", "line 1, column 2: "},
		{"hooks that are no object", `{"hooks": []}`, "line 1, column 11: hooks is a list, not an object"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, test.content)
			changed, err := autoagent.SetAutoCommit(t.Context(), w.path(), true)
			want := "set auto-commit: " + w.path() + ": " + test.want
			if changed || err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("SetAutoCommit() = %v, %v, want %s", changed, err, want)
			}
			if got := w.read(autoagent.ConfigFile); got != test.content {
				t.Errorf("the file is %q", got)
			}
		})
	}
	t.Run("a link, naming where it leads", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, "")
		write(t, filepath.Join(w.workspace, ".autoagent", "real.json"), "{}")
		if err := os.Symlink("real.json", w.path()); err != nil {
			t.Fatal(err)
		}
		_, err := autoagent.SetAutoPush(t.Context(), w.path(), true)
		if err == nil || err.Error() != "set auto-push: "+w.path()+" is a symbolic link: edit real.json instead" {
			t.Errorf("SetAutoPush() = %v", err)
		}
	})
}

// Two at once are one after the other: neither loses what the other did.
func TestSetAutoAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	var group sync.WaitGroup
	for i := range 10 {
		group.Go(func() {
			set := []edit{commitOn, pushOn}[i%2]
			if _, err := set.set(t.Context(), w.path(), true); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	content := w.read(autoagent.ConfigFile)
	commit, push := strings.Index(content, "git-commit"), strings.Index(content, "git-push")
	if commit < 0 || push < commit || strings.Count(content, `"type"`) != 2 {
		t.Errorf("1c.14 the file is\n%s", content)
	}
}
