package gitindex

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/internal/gittest"
)

// indexes are made by the real git, one of each kind.
var indexes = []struct {
	name    string
	make    func(gittest.Repo)
	refused bool
}{
	{"empty", func(r gittest.Repo) { r.Git("read-tree", "--empty") }, false},
	{"version 2", func(r gittest.Repo) { files(r) }, false},
	{"version 3", func(r gittest.Repo) {
		files(r)
		r.Write("intended", "x")
		r.Git("add", "-N", "intended")
	}, false},
	{"version 4", func(r gittest.Repo) {
		files(r)
		r.Git("update-index", "--index-version=4")
	}, false},
	{"version 4, extended", func(r gittest.Repo) {
		files(r)
		r.Git("update-index", "--index-version=4")
		r.Git("update-index", "--skip-worktree", "a")
		r.Git("update-index", "--assume-unchanged", "b.c")
	}, false},
	{"committed: a valid cache tree", func(r gittest.Repo) {
		files(r)
		r.Git("commit", "-qm", "x")
	}, false},
	{"removed since: an invalid cache tree", func(r gittest.Repo) {
		files(r)
		r.Git("commit", "-qm", "x")
		r.Git("rm", "-q", "--cached", "a")
	}, false},
	{"untracked cache", func(r gittest.Repo) {
		files(r)
		r.Git("update-index", "--force-untracked-cache")
		r.Git("status")
	}, false},
	{"names of 4094 to 4097 bytes", func(r gittest.Repo) {
		for _, size := range []int{4094, 4095, 4096, 4097} {
			name := strings.Repeat("n/", 3000)[:size-1] + "x"
			r.Git("update-index", "--add", "--cacheinfo", "100644,e69de29bb2d1d6434b8b29ae775ad8c2e48c5391,"+name)
		}
	}, false},
	{"split", func(r gittest.Repo) {
		files(r)
		r.Git("update-index", "--split-index")
	}, true},
	{"sparse", func(r gittest.Repo) {
		r.Write("in/a", "x")
		r.Write("out/a", "x")
		r.Git("add", ".")
		r.Git("commit", "-qm", "x")
		r.Git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
	}, true},
	{"submodule", func(r gittest.Repo) {
		r.Git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",sub")
	}, true},
	{"conflict", func(r gittest.Repo) {
		files(r)
		r.Git("commit", "-qm", "x")
		r.Git("checkout", "-q", "-b", "side")
		r.Write("a", "2")
		r.Git("commit", "-qam", "2")
		r.Git("checkout", "-q", "main")
		r.Write("a", "3")
		r.Git("commit", "-qam", "3")
		r.Git("-c", "alias.m=!git merge -q side || :", "m")
	}, true},
}

func files(r gittest.Repo) {
	for _, name := range []string{"a", "b", "b.c", "b/x", "b/y/z", "new\nline", "\xff", "executable"} {
		if name != "b" {
			r.Write(name, name)
		}
	}
	if err := os.Symlink("a", filepath.Join(r.Dir, "link")); err != nil {
		panic(err)
	}
	r.Git("add", ".")
	r.Git("update-index", "--chmod=+x", "executable")
}

func read(t testing.TB, r gittest.Repo) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(r.Dir, ".git/index"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, test := range indexes {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			repo := gittest.New(t)
			test.make(repo)
			ix, err := Parse(read(t, repo))
			if (err != nil) != test.refused {
				t.Fatalf("Parse() = %v; want it refused: %v", err, test.refused)
			}
			if err == nil {
				if diff := cmp.Diff(repo.Git("ls-files", "--stage", "--debug", "-z"), asGitPrints(ix)); diff != "" {
					t.Errorf("Parse() mismatch (-git +ours):\n%s", diff)
				}
			}
		})
	}
}

// The tree that the cache names is the one that git would write.
func TestCacheTree(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	files(repo)
	if ix, err := Parse(read(t, repo)); err != nil || ix.Tree != nil {
		t.Errorf("before the commit: tree %x, %v", ix.Tree, err)
	}
	repo.Git("commit", "-qm", "x")
	ix, err := Parse(read(t, repo))
	if want := strings.TrimSpace(repo.Git("rev-parse", "HEAD^{tree}")); err != nil || fmt.Sprintf("%x", ix.Tree) != want {
		t.Errorf("tree %x, %v; git says %s", ix.Tree, err, want)
	}
	repo.Git("rm", "-q", "--cached", "b/x")
	if ix, err := Parse(read(t, repo)); err != nil || ix.Tree != nil {
		t.Errorf("after a removal: tree %x, %v", ix.Tree, err)
	}
}

// An index without a sum cannot be told from another by it.
func TestIndexWithoutASum(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	files(repo)
	data := read(t, repo)
	if ix, err := Parse(data); err != nil || ix.Sum == nil {
		t.Errorf("with a sum: %x, %v", ix.Sum, err)
	}
	clear(data[len(data)-idBytes:])
	if ix, err := Parse(data); err != nil || ix.Sum != nil {
		t.Errorf("without a sum: %x, %v", ix.Sum, err)
	}
}

// asGitPrints is what `git ls-files --stage --debug -z` prints of the same.
func asGitPrints(ix *Index) string {
	var b strings.Builder
	for _, e := range ix.Entries {
		s := e.Stamp()
		fmt.Fprintf(&b, "%o %x 0\t%s\x00", e.Mode(), e.ID(), e.Name)
		fmt.Fprintf(&b, "  ctime: %d:%d\n  mtime: %d:%d\n", s.CtimeSec, s.CtimeNsec, s.MtimeSec, s.MtimeNsec)
		fmt.Fprintf(&b, "  dev: %d\tino: %d\n  uid: %d\tgid: %d\n  size: %d\tflags: ", s.Dev, s.Ino, s.UID, s.GID, s.Size)
		flags := uint32(0)
		for bit, set := range map[uint32]bool{flagAssumeValid: e.AssumeUnchanged(), moreSkipWorktree << 16: e.SkipWorktree(), moreIntentToAdd << 16: e.IntentToAdd()} {
			if set {
				flags |= bit
			}
		}
		if e.more != 0 {
			flags |= flagExtended
		}
		fmt.Fprintf(&b, "%x\n", flags)
	}
	return b.String()
}

// Whatever the reader is certain of, git reads in the same way.
func FuzzParse(f *testing.F) {
	for _, test := range indexes {
		repo := gittest.New(f)
		test.make(repo)
		f.Add(read(f, repo))
	}
	repo := gittest.New(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		ix, err := Parse(data)
		if err != nil {
			return
		}
		file := filepath.Join(t.TempDir(), "index")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("git", "ls-files", "--stage", "--debug", "-z")
		cmd.Dir, cmd.Env = repo.Dir, append(repo.Env, "GIT_INDEX_FILE="+file)
		out, err := cmd.Output()
		if err != nil {
			return // git refuses more: names it would not check out
		}
		if diff := cmp.Diff(string(out), asGitPrints(ix)); diff != "" {
			t.Errorf("Parse() mismatch (-git +ours):\n%s", diff)
		}
	})
}
