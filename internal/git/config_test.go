package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"discobot-hooks/internal/gittest"
)

// configs are texts of which the reader is certain, and others.
var configs = []struct {
	name, text string
	certain    bool
}{
	{"as git init writes it", "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n", true},
	{"false", "[core]\nfilemode = false\n", true},
	{"capitals", "[CORE]\n\tFileMode = FALSE\n", true},
	{"off", "[core]\nfilemode=off", true},
	{"zero", "[core]\nfilemode=0", true},
	{"yes", "[core]\nfilemode=yes", true},
	{"no equals sign means true", "[core]\nfilemode\n", true},
	{"no equals sign, blanks", "[core]\nfilemode \t \n", true},
	{"nothing behind it means false", "[core]\nfilemode =\n", true},
	{"a comment behind it means false", "[core]\nfilemode = ; true\n", true},
	{"comments", "# a\n;b\n[core] # c\n  # filemode = true\n filemode = no# d\n", true},
	{"on the header's line", "[core] filemode = false\n", true},
	{"two headers on a line", "[a][core]filemode = false\n", true},
	{"the last one counts", "[core]\nfilemode = true\n[x]\nfilemode = true\n[core]\nfilemode = false\n", true},
	{"a subsection is another section", "[core]\nfilemode = false\n[core \"x\"]\nfilemode = true\n", true},
	{"an empty subsection, too", "[core]\nfilemode = false\n[core \"\"]\nfilemode = true\n", true},
	{"a dotted subsection, too", "[core]\nfilemode = false\n[core.x]\nfilemode = true\n", true},
	{"a subsection with odd characters", "[core]\nfilemode = false\n[a  \"] \\\" \\\\ \\x # [core]\"] y = 1\nfilemode = true\n", true},
	{"quotes and escapes of others", "[core]\nfilemode = false\n[a]\nb = \"x # y ; \\\" \" z \\n\\t\\b\\\\ # \"\n", true},
	{"a value that is not UTF-8", "[core]\nfilemode = false\n[a]\nb = \xff\xfe\n", true},
	{"no end of line at the end", "[core]\nfilemode = false", true},

	{"empty", "", false},
	{"no core.fileMode", "[core]\nbare = false\n", false},
	{"quoted", "[core]\nfilemode = \"false\"\n", false},
	{"number", "[core]\nfilemode = 2\n", false},
	{"not a boolean", "[core]\nfilemode = maybe\n", false},
	{"not a boolean at first", "[core]\nfilemode = maybe\nfilemode = true\n", false},
	{"next line", "[core]\nfilemode = fal\\\nse\n", false},
	{"a setting in a value that goes on", "[core]\nfilemode = false\n[a]\nb = x \\\n[core]\\\nfilemode = true\n", false},
	{"byte order mark", "\ufeff[core]\nfilemode = false\n", false},
	{"CRLF", "[core]\r\nfilemode = false\r\n", false},
	{"NUL", "[core]\nfilemode = false\x00\n", false},
	{"form feed", "[core]\nfilemode = false\f\n", false},
	{"no section", "filemode = false\n", false},
	{"section without a name", "[]\nfilemode = false\n", false},
	{"blank in the header", "[core ]\nfilemode = false\n", false},
	{"blank before the header's end", "[core \"x\" ]\n[core]\nfilemode = false\n", false},
	{"no blank before the subsection", "[core\"x\"]\n[core]\nfilemode = false\n", false},
	{"unfinished header", "[core\nfilemode = false\n", false},
	{"unfinished subsection", "[core \"x\n[core]\nfilemode = false\n", false},
	{"unfinished escape in a subsection", "[core \"x\\\n\"]\n[core]\nfilemode = false\n", false},
	{"underscore in a name", "[core]\nfilemode = false\nfile_mode = true\n", false},
	{"digit at the start of a name", "[core]\nfilemode = false\n1 = true\n", false},
	{"word behind a name", "[core]\nfilemode false\n", false},
	{"comment behind a name", "[core]\nfilemode # c\n", false},
	{"open quote", "[core]\nfilemode = false\n[a]\nb = \"\n", false},
	{"unknown escape", "[core]\nfilemode = false\n[a]\nb = \\y\n", false},
	{"include", "[core]\nfilemode = false\n[include]\npath = x\n", false},
	{"includeIf", "[core]\nfilemode = false\n[includeIf \"onbranch:x\"]\npath = x\n", false},
	{"include, dotted", "[core]\nfilemode = false\n[Include.x]\n", false},
	{"extensions", "[core]\nfilemode = false\n[extensions]\n", false},
	{"format 2", "[core]\nrepositoryformatversion = 2\nfilemode = false\n", false},
	{"format without a value", "[core]\nrepositoryformatversion\nfilemode = false\n", false},
	{"format that is empty", "[core]\nrepositoryformatversion =\nfilemode = false\n", false},
	{"format with a unit", "[core]\nrepositoryformatversion = 0k\nfilemode = false\n", false},
}

func TestReadConfig(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	for _, test := range configs {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := readConfig(test.text)
			if certain := err == nil; certain != test.certain {
				t.Fatalf("readConfig() = %+v, %v; want it to be certain: %v", got, err, test.certain)
			}
			if test.certain {
				checkConfig(t, repo, test.text, got)
			}
		})
	}
}

// Whatever the reader is certain of, git says too.
func FuzzReadConfig(f *testing.F) {
	for _, test := range configs {
		f.Add(test.text)
	}
	repo := gittest.New(f)
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := readConfig(text); err == nil {
			checkConfig(t, repo, text, got)
		}
	})
}

// checkConfig compares with what the git executable reads from the same text.
func checkConfig(t *testing.T, repo gittest.Repo, text string, got localConfig) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := Run(t.Context(), repo.Dir, repo.Env, "config", "--file", file, "--type=bool", "core.filemode")
	if err != nil {
		t.Fatalf("the reader is certain of %q, git is not: %v", text, err)
	}
	if plain := strings.TrimSpace(string(out)) == "false"; plain != got.plainModes {
		t.Errorf("plain modes of %q: %v, git says %v", text, got.plainModes, plain)
	}
}
