package discobothooks_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"discobot-hooks/internal/gittest"
)

// Each page's examples run from top to bottom in a scratch workspace.
var pages = map[string]func(*testing.T, gittest.Repo){
	"README.md": func(t *testing.T, r gittest.Repo) {
		if err := os.CopyFS(r.Dir, os.DirFS("examples/tour/workspace")); err != nil {
			t.Fatal(err)
		}
	},
	"docs/agents.md": func(t *testing.T, r gittest.Repo) {
		r.Write(".discobot/hooks/check.sh", "#!/bin/sh\n#---\n# type: file\n# pattern: \"*.go\"\n#---\n")
		if err := os.Chmod(filepath.Join(r.Dir, ".discobot/hooks/check.sh"), 0o755); err != nil {
			t.Fatal(err)
		}
	},
	"docs/hook-format.md": func(t *testing.T, r gittest.Repo) {
		if err := os.MkdirAll(filepath.Join(r.Dir, ".discobot/hooks"), 0o755); err != nil {
			t.Fatal(err)
		}
	},
	"docs/formats.md": func(t *testing.T, r gittest.Repo) {
		if err := os.CopyFS(r.Dir, os.DirFS("examples/formats/workspace")); err != nil {
			t.Fatal(err)
		}
	},
	"docs/pipeline.md": func(t *testing.T, r gittest.Repo) {
		if err := os.CopyFS(r.Dir, os.DirFS("examples/pipeline/workspace")); err != nil {
			t.Fatal(err)
		}
	},
	"docs/git-hooks.md": func(t *testing.T, r gittest.Repo) {
		r.Write("notes.txt", "TODO: write them\n")
		r.Write(".discobot/hooks/no-todo.sh", "#!/bin/sh\n#---\n# name: No to-dos\n# type: pre-commit\n#---\n! grep -n TODO notes.txt\n")
		if err := os.Chmod(filepath.Join(r.Dir, ".discobot/hooks/no-todo.sh"), 0o755); err != nil {
			t.Fatal(err)
		}
	},
	"docs/state.md": func(t *testing.T, r gittest.Repo) {
		r.Write(".discobot/hooks/no-empty.sh", "#!/bin/sh\n#---\n# name: No empty objects\n# type: file\n# pattern: \"*.txt\"\n#---\n! grep -n '^{}$' $DISCOBOT_CHANGED_FILES\n")
		if err := os.Chmod(filepath.Join(r.Dir, ".discobot/hooks/no-empty.sh"), 0o755); err != nil {
			t.Fatal(err)
		}
	},
}

func TestDocs(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(found, "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md") {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			examples := readExamples(t, page)
			if len(examples) == 0 {
				return
			}
			prepare, ok := pages[page]
			if !ok {
				t.Fatalf("%s has examples: say in this test what their workspace holds", page)
			}
			repo := gittest.New(t)
			prepare(t, repo)
			repo.Git("add", "-A")
			repo.Git("commit", "-q", "--allow-empty", "-m", "a workspace")
			home := t.TempDir()
			env := append(repo.Env, "HOME="+home, "DISCOBOT_USER_HOME="+home, "DISCOBOT_SESSION_ID=s1",
				"PATH="+binaryDir+string(os.PathListSeparator)+os.Getenv("PATH"))
			for _, example := range examples {
				got := example.run(repo.Dir, env)
				if !example.matches(got) {
					t.Errorf("%s:%d: %s\nprints:\n%s\nthe page says:\n%s", page, example.line, example.command, got, example.want)
				}
			}
		})
	}
}

// An example is a command of a `console` block and what it prints: `...`
// stands for any text.
type example struct {
	line          int
	command, want string
}

func readExamples(t *testing.T, page string) []example {
	t.Helper()
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var examples []example
	inside := false
	for i, line := range strings.Split(string(content), "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case !inside:
		case strings.HasPrefix(line, "$ "):
			examples = append(examples, example{line: i + 1, command: line[2:]})
		case len(examples) == 0:
			t.Fatalf("%s:%d: output before the first command", page, i+1)
		default:
			last := &examples[len(examples)-1]
			if more, ok := strings.CutPrefix(line, "> "); ok && last.want == "" {
				last.command += "\n" + more
			} else {
				last.want += line + "\n"
			}
		}
	}
	return examples
}

func (e example) run(dir string, env []string) string {
	cmd := exec.Command("sh", "-c", e.command)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	text := string(out)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		text += fmt.Sprintf("(exit code %d)\n", exit.ExitCode())
	} else if err != nil {
		text += err.Error() + "\n"
	}
	return text
}

func (e example) matches(got string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(e.want), `\.\.\.`, `(?s:.*)`)
	return regexp.MustCompile("^" + pattern + "$").MatchString(got)
}
