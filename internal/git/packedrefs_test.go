package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"discobot-hooks/internal/gittest"
)

// packed are files of which the reader is certain, and others. The ref that is
// looked for is refs/heads/main.
var packed = []struct {
	name, text string
	certain    bool
}{
	{"empty", "", true},
	{"only a header", "# pack-refs with: peeled fully-peeled sorted \n", true},
	{"as git writes it", "# pack-refs with: peeled fully-peeled sorted \n" + hashA + " refs/heads/main\n" + hashB + " refs/tags/v1\n^" + hashA + "\n", true},
	{"absent", "# pack-refs with: peeled fully-peeled sorted \n" + hashA + " refs/heads/a\n" + hashB + " refs/heads/main2\n", true},
	{"no header", hashB + " refs/heads/a\n" + hashA + " refs/heads/main\n", true},
	{"not sorted, and not said to be", "# pack-refs with: peeled \n" + hashB + " refs/tags/v1\n^" + hashB + "\n" + hashA + " refs/heads/main\n", true},
	{"the only one", hashA + " refs/heads/main\n", true},
	{"another ref is named badly", hashA + " refs/heads/main\n" + hashB + " refs/../x\n", true},
	{"outside of ASCII", hashA + " refs/heads/main\n" + hashB + " refs/heads/é\n", true},

	{"sorted only in the header", "# pack-refs with: sorted \n" + hashB + " refs/tags/v1\n" + hashA + " refs/heads/main\n", false},
	{"sorted, without a blank", "# pack-refs with:sorted\n" + hashB + " refs/tags/v1\n" + hashA + " refs/heads/main\n", false},
	{"twice", hashA + " refs/heads/main\n" + hashB + " refs/heads/main\n", false},
	{"twice, sorted", "# pack-refs with: sorted \n" + hashA + " refs/heads/main\n" + hashB + " refs/heads/main\n", false},
	{"no end", hashA + " refs/heads/main", false},
	{"no end of the header", "# pack-refs with: sorted", false},
	{"another comment", "# mine\n" + hashA + " refs/heads/main\n", false},
	{"a comment later", hashA + " refs/heads/main\n# mine\n", false},
	{"CRLF", hashA + " refs/heads/main\r\n", false},
	{"CRLF elsewhere", hashB + " refs/heads/a\r\n" + hashA + " refs/heads/main\n", false},
	{"CRLF in the header", "# pack-refs with: sorted\r\n" + hashA + " refs/heads/main\n", false},
	{"NUL", hashB + " refs/heads/a\x00\n" + hashA + " refs/heads/main\n", false},
	{"empty line", "\n" + hashA + " refs/heads/main\n", false},
	{"peeled at first", "^" + hashA + "\n" + hashA + " refs/heads/main\n", false},
	{"peeled twice", hashA + " refs/heads/main\n^" + hashB + "\n^" + hashB + "\n", false},
	{"peeled badly", hashA + " refs/heads/main\n^x\n", false},
	{"zero", strings.Repeat("0", 40) + " refs/heads/main\n", false},
	{"too short", hashA[1:] + " refs/heads/main\n", false},
	{"SHA-256", hashA + hashA[:24] + " refs/heads/main\n", false},
	{"capitals", strings.ToUpper(hashA) + " refs/heads/main\n", false},
	{"two blanks", hashA + "  refs/heads/main\n", false},
	{"a tab", hashA + "\trefs/heads/main\n", false},
	{"a name outside of refs", hashA + " refs/heads/main\n" + hashB + " ../refs/x\n", false},
}

func TestFindPacked(t *testing.T) {
	t.Parallel()
	for _, test := range packed {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := findPacked(test.text, "refs/heads/main")
			if certain := err == nil; certain != test.certain {
				t.Fatalf("findPacked() = %q, %v; want it to be certain: %v", got, err, test.certain)
			}
			if test.certain {
				checkPacked(t, gittest.New(t), test.text, got)
			}
		})
	}
}

// Whatever the reader is certain of, git says too.
func FuzzFindPacked(f *testing.F) {
	for _, test := range packed {
		f.Add(test.text)
	}
	repo := gittest.New(f)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := findPacked(text, "refs/heads/main")
		if err != nil || strings.Contains(text, "/HEAD\n") { // rev-parse would find these, too
			return
		}
		checkPacked(t, repo, text, got)
	})
}

// checkPacked compares with what the git executable finds in the same file.
func checkPacked(t *testing.T, repo gittest.Repo, text, got string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(repo.Dir, ".git/packed-refs"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := Repo{Dir: repo.Dir, env: repo.Env}
	if err := want.readByGit(t.Context()); err != nil {
		t.Fatalf("the reader is certain of %q, git is not: %v", text, err)
	}
	if got != want.Head {
		t.Errorf("refs/heads/main of %q: %q, git says %q", text, got, want.Head)
	}
}
