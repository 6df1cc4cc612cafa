package filelist

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/run"
)

// Every file is in exactly one batch, in order, and no batch's string passes
// the limit of the environment.
func TestCommands(t *testing.T) {
	t.Parallel()
	many := make([]string, 20000)
	for i := range many {
		many[i] = fmt.Sprintf("directory/a file with spaces %d", i)
	}
	for name, files := range map[string][]string{"none": nil, "one": {"a\nb"}, "many": many, "a name of 4 KiB": {strings.Repeat("x", 4096)}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			commands, cleanup, err := Commands(run.Command{Path: "/h", Env: []string{"A=1"}}, files, dir)
			if err != nil {
				t.Fatal(err)
			}
			var listed []string
			for _, c := range commands {
				joined, isJoined := strings.CutPrefix(c.Env[1], "DISCOBOT_CHANGED_FILES=")
				list, isList := strings.CutPrefix(c.Env[2], "DISCOBOT_CHANGED_FILES_FILE=")
				if c.Path != "/h" || c.Env[0] != "A=1" || !isJoined || !isList || len(c.Env[1]) >= 128<<10 {
					t.Fatalf("command %q with %d bytes of list", c.Path, len(c.Env[1]))
				}
				content, err := os.ReadFile(list)
				if err != nil {
					t.Fatal(err)
				}
				batch := strings.Split(string(content), "\x00")
				batch = batch[:len(batch)-1]
				if joined != strings.Join(batch, " ") {
					t.Errorf("variable and file of a batch differ")
				}
				listed = append(listed, batch...)
			}
			if diff := cmp.Diff(files, listed); diff != "" {
				t.Errorf("files mismatch (-want +got):\n%s", diff)
			}
			if len(commands) == 0 || name == "many" && len(commands) < 2 {
				t.Errorf("%d batches", len(commands))
			}
			cleanup()
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("cleanup left %v, %v", left, err)
			}
		})
	}
}

// A hook that is about no files runs once, however long the list: past the
// limit it is in the file alone, and what an outer run left is not taken for it.
func TestStagedWhole(t *testing.T) {
	t.Parallel()
	base := run.Command{Path: "/h", Env: []string{"DISCOBOT_STAGED_FILES=outer", "A=1"}}
	for _, test := range []struct {
		name  string
		files []string
		want  string // the environment without the list's file
	}{
		{"none", nil, "DISCOBOT_STAGED_FILES=outer A=1 DISCOBOT_STAGED_FILES="},
		{"a few", []string{"a", "b"}, "DISCOBOT_STAGED_FILES=outer A=1 DISCOBOT_STAGED_FILES=a b"},
		{"too many", []string{strings.Repeat("a", maxBytes), "b"}, "A=1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			command, cleanup, err := StagedWhole(base, test.files, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer cleanup()
			last := len(command.Env) - 1
			if diff := cmp.Diff(test.want, strings.Join(command.Env[:last], " ")); diff != "" {
				t.Errorf("StagedWhole() mismatch (-want +got):\n%s", diff)
			}
			list, _ := strings.CutPrefix(command.Env[last], "DISCOBOT_STAGED_FILES_FILE=")
			content, err := os.ReadFile(list)
			if want := strings.Join(append(test.files, ""), "\x00"); err != nil || string(content) != want {
				t.Errorf("list has %d bytes, %v; want %d", len(content), err, len(want))
			}
		})
	}
}

func TestSweepRemovesOnlyLists(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{prefix + "1", "status.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	Sweep(dir)
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != "status.json" {
		t.Errorf("Sweep left %v, %v; want status.json alone", left, err)
	}
}
