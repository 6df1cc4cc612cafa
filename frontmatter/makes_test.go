package frontmatter_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"discobot-hooks/frontmatter"
)

func TestMakes(t *testing.T) {
	t.Parallel()
	const content = "#!/bin/sh\n#---\n# name: Set up\n# type: session\n# pass_env: TOKEN\n# timeout: 10s\n#---\necho\n"
	ws := t.TempDir()
	dir := filepath.Join(ws, ".discobot", "hooks")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	long := content + strings.Repeat("# far more than a header\n", 10_000)
	for name, text := range map[string]string{"setup.sh": content, "long.sh": long} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	set, err := frontmatter.Load(ws)
	if err != nil || len(set.Hooks) != 2 {
		t.Fatalf("Load() = %+v, %v", set, err)
	}
	if !frontmatter.Makes(set.Hooks[0], []byte(long)) {
		t.Error("a long file does not make its own hook")
	}
	for text, want := range map[string]bool{
		content:                true,
		content + "# a change": true, // which a checksum tells
		strings.Replace(content, "TOKEN", "SECRET", 1):                        false,
		strings.Replace(content, "10s", "20s", 1):                             false,
		strings.Replace(content, "session", "file", 1):                        false,
		strings.Replace(content, "# timeout", "# run_as: root\n# timeout", 1): false,
		"#!/bin/sh\n": false,
		"":            false,
	} {
		if got := frontmatter.Makes(set.Hooks[1], []byte(text)); got != want {
			t.Errorf("Makes(%q) = %v, want %v", text, got, want)
		}
	}
}
