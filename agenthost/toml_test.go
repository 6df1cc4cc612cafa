package agenthost

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadTOML(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     tomlFlags
	}{
		{"tables", "[a]\nb = true\n[a.c] # d\ne=\"f\"", tomlFlags{"a\nb": "true", "a\nc\ne": "f"}},
		{"dotted keys", "a.b . c = 'd'\n[e]\nf.g = false", tomlFlags{"a\nb\nc": "d", "e\nf\ng": "false"}},
		{"quoted keys", "[projects.\"/w/a.b \\\"c\\\"\"]\ntrust_level = \"trusted\"\n['x.y'.z]\nk = 1", tomlFlags{"projects\n/w/a.b \"c\"\ntrust_level": "trusted", "x.y\nz\nk": "1"}},
		{"texts of many lines", "a = \"\"\"\n[b]\nc = 1\n\"\"\"\nd = '''\ne = 2'''\nf = 3\ng = \"\"\"h\"\"\"\ni = 4", tomlFlags{"f": "3", "i": "4"}},
		{"tables of arrays are nobody's", "[[hooks]]\na = 1\n[b]\nc = 2", tomlFlags{"[\na": "1", "b\nc": "2"}},
		{"what is no pair", "# a = 1\n\n= 2\nb\n[\n[c", tomlFlags{}},
		{"arrays and inline tables are left out", "a = [\"b\", true]\nc = { d = 1 }", tomlFlags{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "config.toml")
			if err := os.WriteFile(path, []byte(test.in), 0o600); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, readTOML(path)); diff != "" {
				t.Errorf("readTOML mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzParseTOML(f *testing.F) {
	for _, seed := range []string{"", "[", "[[", "a.", "a..b=1", "\"\\u00", "'", "a=\"\"\"", "[a.\"b\"]\nc='d'\n", "a=\"\"\"\"", "a\x00=1"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		for name := range parseTOML(content) {
			if name == "" {
				t.Errorf("parseTOML(%q) has a value without a name", content)
			}
		}
	})
}
