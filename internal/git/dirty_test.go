package git

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/internal/gittest"
)

// sorted is a set of dirty paths in an order of its own: git has another one.
func sorted(dirty []Dirty) []Dirty {
	if len(dirty) == 0 {
		return nil
	}
	slices.SortFunc(dirty, func(a, b Dirty) int {
		if a.Untracked != b.Untracked {
			return map[bool]int{true: 1, false: -1}[a.Untracked]
		}
		return strings.Compare(a.Path, b.Path)
	})
	return dirty
}

// checkDirty compares our own look with git's. It tells why ours was none.
func checkDirty(t testing.TB, made gittest.Repo, dir string, known *Known) (refused error) {
	t.Helper()
	repo, err := Open(t.Context(), dir, made.Env)
	if err != nil {
		t.Fatal(err)
	}
	if known != nil {
		repo.Known = *known
	}
	got, err := repo.dirtyInProcess(t.Context())
	if err != nil {
		return err
	}
	if known != nil {
		*known = repo.Known
	}
	want, err := repo.dirtyByGit(t.Context())
	if err != nil {
		t.Fatalf("we took what git refuses: %v", err)
	}
	if diff := cmp.Diff(sorted(want), sorted(got)); diff != "" {
		t.Errorf("dirty paths mismatch (-git +ours):\n%s", diff)
	}
	return nil
}

func TestDirtyInProcess(t *testing.T) {
	t.Parallel()
	at := func(dir string, do func(gittest.Repo)) func(gittest.Repo) string {
		return func(r gittest.Repo) string { do(r); return filepath.Join(r.Dir, dir) }
	}
	for _, test := range []struct {
		name   string
		make   func(gittest.Repo) (dir string)
		askGit bool
	}{
		{"empty", at("", func(r gittest.Repo) {}), false},
		{"before the first commit", at("", func(r gittest.Repo) { r.Write("a", "1"); r.Write("b", "1"); r.Git("add", "a") }), false},
		{"clean", at("", base), false},
		{"edits", at("", func(r gittest.Repo) { base(r); r.Write("a", "2"); r.Write("d/b", "longer"); r.Remove("d/e/c") }), false},
		{"touched, of old", at("", func(r gittest.Repo) { base(r); touch(r, "a") }), false},
		{"identical rewrite", at("", func(r gittest.Repo) { base(r); r.Write("a", "1"); r.Write("d/b", "1") }), false},
		{"staged", at("", func(r gittest.Repo) {
			base(r)
			r.Write("a", "2")
			r.Write("new", "2")
			r.Git("add", ".")
			r.Git("rm", "-q", "d/b")
			r.Git("rm", "-q", "--cached", "d/e/c")
			r.Write("new", "3")
		}), false},
		{"staged and back again in the work tree", at("", func(r gittest.Repo) { base(r); r.Write("a", "2"); r.Git("add", "a"); r.Write("a", "1") }), false},
		{"reset --soft", at("", func(r gittest.Repo) {
			base(r)
			r.Write("a", "2")
			r.Git("commit", "-qam", "2")
			r.Git("reset", "-q", "--soft", "HEAD~1")
		}), false},
		{"renamed, a directory too", at("", func(r gittest.Repo) { base(r); rename(r, "a", "z"); rename(r, "d", "dd") }), false},
		{"executable", at("", func(r gittest.Repo) { base(r); chmod(r, "a", 0o755); chmod(r, "d/b", 0o600) }), false},
		{"executable, but modes mean nothing", at("", func(r gittest.Repo) { r.Git("config", "core.fileMode", "false"); base(r); chmod(r, "a", 0o755) }), false},
		{"symlinks", at("", func(r gittest.Repo) {
			link(r, "a", "same")
			link(r, "a", "retargeted")
			link(r, "a", "file")
			link(r, "nowhere", "gone")
			base(r)
			for _, name := range []string{"retargeted", "file", "a"} {
				r.Remove(name)
			}
			link(r, "b", "retargeted")
			link(r, "d", "a")
			link(r, "d", "untracked")
			r.Write("file", "a")
		}), false},
		{"file becomes a directory", at("", func(r gittest.Repo) { base(r); r.Remove("a"); r.Write("a/in", "x") }), false},
		{"directory becomes a file", at("", func(r gittest.Repo) { base(r); r.Remove("d"); r.Write("d", "x") }), false},
		{"directory becomes a symlink", at("", func(r gittest.Repo) {
			base(r)
			rename(r, "d", "moved")
			link(r, "moved", "d")
		}), false},
		{"directory becomes an ignored symlink", at("", func(r gittest.Repo) {
			r.Write(".gitignore", "d\n")
			r.Write("d/b", "x")
			r.Git("add", "-f", "d/b")
			base(r)
			rename(r, "d", "moved")
			link(r, "moved", "d")
		}), false},
		{"a pipe and a socket's place", at("", func(r gittest.Repo) { base(r); fifo(r, "p") }), false},
		{"a pipe in a file's place", at("", func(r gittest.Repo) { base(r); r.Remove("a"); fifo(r, "a") }), true},
		{"names with a newline, quotes, not UTF-8", at("", func(r gittest.Repo) {
			for _, name := range []string{"new\nline", "\"q\"", "\xff", "a b", "\t", "-x", ":(top)"} {
				r.Write("t"+name, "1")
			}
			base(r)
			for _, name := range []string{"new\nline", "\"q\"", "\xff", "a b", "\t", "-x", ":(top)"} {
				r.Write("t"+name, "2")
				r.Write(name, "2")
			}
		}), false},
		{"names around a slash in byte order", at("", func(r gittest.Repo) {
			for _, name := range []string{"s/x", "s-x", "s.x", "s0", "s/y/z", "s!"} {
				r.Write(name, "1")
			}
			base(r)
			r.Write("s/x", "22")
			r.Remove("s.x")
			r.Remove("s/y")
		}), false},
		{"assume-unchanged", at("", func(r gittest.Repo) {
			base(r)
			r.Git("update-index", "--assume-unchanged", "a", "d/b")
			r.Write("a", "22")
			r.Remove("d/b")
		}), false},
		{"skip-worktree", at("", func(r gittest.Repo) { base(r); r.Git("update-index", "--skip-worktree", "a"); r.Write("a", "22") }), true},
		{"skip-worktree and gone", at("", func(r gittest.Repo) { base(r); r.Git("update-index", "--skip-worktree", "a"); r.Remove("a") }), true},
		{"sparse checkout", at("", func(r gittest.Repo) { base(r); r.Git("sparse-checkout", "set", "d") }), true},
		{"intent to add", at("", func(r gittest.Repo) {
			base(r)
			r.Write("n", "x")
			r.Write("gone", "x")
			r.Git("add", "-N", "n", "gone")
			r.Remove("gone")
		}), false},
		{"an empty file, added as another", at("", func(r gittest.Repo) {
			r.Write("empty", "")
			base(r)
			r.Git("update-index", "--cacheinfo", "100644,"+strings.TrimSpace(r.Git("hash-object", "-w", "a"))+",empty")
			r.Git("update-index", "--add", "--cacheinfo", "100644,"+strings.TrimSpace(r.Git("hash-object", "-w", "a"))+",d/b")
		}), false},
		{"ignored", at("", func(r gittest.Repo) {
			r.Write(".gitignore", "*.log\n/build/\nlogs/\n!logs/keep.txt\nodd/*\n!odd/keep\n")
			r.Write("logs/tracked", "x")
			r.Write("tracked.log", "x")
			r.Git("add", "-f", "logs/tracked", "tracked.log")
			base(r)
			for _, name := range []string{"x.log", "d/x.log", "build/out", "d/build/out", "logs/keep.txt", "logs/x", "odd/x", "odd/keep", "odd/d/x"} {
				r.Write(name, "x")
			}
			r.Write("d/.gitignore", "!x.log\n")
			r.Write("logs/tracked", "22")
			r.Write("tracked.log", "22")
		}), false},
		{"ignore file in an ignored directory that holds a tracked file", at("", func(r gittest.Repo) {
			r.Write(".gitignore", "logs/\n")
			r.Write("logs/d/tracked", "x")
			r.Git("add", "-f", "logs/d/tracked")
			base(r)
			r.Write("logs/.gitignore", "!*\n")
			r.Write("logs/d/.gitignore", "!*\n")
			r.Write("logs/d/x", "x")
		}), false},
		{"un-ignored", at("", func(r gittest.Repo) {
			r.Write(".gitignore", "*.log\n")
			base(r)
			r.Write("x.log", "x")
			r.Write(".gitignore", "")
		}), false},
		{"info/exclude and the user's file", at("", func(r gittest.Repo) {
			r.Write(".git/info/exclude", "*.info\n!*.user\n")
			r.Write("../.config/git/ignore", "*.user\n*.mine\n")
			base(r)
			for _, name := range []string{"a.info", "a.user", "a.mine", "a.other"} {
				r.Write(name, "x")
			}
		}), false},
		{"core.excludesFile in the home", at("", func(r gittest.Repo) {
			r.Write("../.config/git/ignore", "*.user\n")
			r.Write("../mine", "*.mine\n")
			r.Git("config", "--global", "core.excludesFile", "~/mine")
			base(r)
			r.Write("a.user", "x")
			r.Write("a.mine", "x")
		}), false},
		{"core.excludesFile is set to nothing", at("", func(r gittest.Repo) {
			r.Write("../.config/git/ignore", "*.user\n")
			r.Git("config", "core.excludesFile", "")
			base(r)
			r.Write("a.user", "x")
		}), false},
		{"core.excludesFile is no file", at("", func(r gittest.Repo) {
			r.Write("../.config/git/ignore", "*.user\n")
			r.Git("config", "core.excludesFile", os.DevNull)
			base(r)
			r.Write("a.user", "x")
		}), false},
		{"core.excludesFile, relative", at("", func(r gittest.Repo) { r.Git("config", "core.excludesFile", "mine"); base(r) }), true},
		{"an ignore file that is a link", at("", func(r gittest.Repo) {
			base(r)
			r.Write("rules", "x\n")
			r.Write("x", "x")
			link(r, "rules", ".gitignore")
		}), true},
		{"an ignore rule that takes for ever", at("", func(r gittest.Repo) {
			base(r)
			r.Write(".gitignore", strings.Repeat("*a", 30)+"b\n")
			r.Write(strings.Repeat("a", 200), "x")
		}), true},
		{"empty directories", at("", func(r gittest.Repo) {
			base(r)
			mkdir(r, "empty/er")
			r.Write("half/x/y", "1")
			mkdir(r, "half/empty")
		}), false},
		{"repository inside", at("", func(r gittest.Repo) {
			base(r)
			r.Git("init", "-q", "inner")
			r.Write("inner/f", "x")
			r.Git("init", "-q", "d/inner")
		}), false},
		{"repository inside, with a commit, ignored or below an untracked directory", at("", func(r gittest.Repo) {
			r.Write(".gitignore", "/ignored\n")
			base(r)
			for _, inner := range []string{"ignored", "some/where/inner"} {
				r.Git("init", "-q", inner)
				r.Write(inner+"/f", "x")
				r.Git("-C", inner, "add", ".")
				r.Git("-C", inner, "commit", "-qm", "x")
			}
		}), false},
		{"repository around tracked files", at("", func(r gittest.Repo) { base(r); r.Git("init", "-q", "d"); r.Write("d/new", "x") }), false},
		{"repository in a file's place", at("", func(r gittest.Repo) { base(r); r.Remove("a"); r.Git("init", "-q", "a"); r.Write("a/x", "x") }), true},
		{"half a repository inside", at("", func(r gittest.Repo) { base(r); r.Write("inner/.git/x", "x"); r.Write("inner/y", "x") }), true},
		{"linked work tree inside", at("", func(r gittest.Repo) { base(r); r.Git("worktree", "add", "-q", "linked") }), false},
		{"seen from a linked work tree", at("linked", func(r gittest.Repo) {
			r.Write(".git/info/exclude", "*.info\n")
			base(r)
			r.Git("worktree", "add", "-q", "linked")
			r.Write("linked/a", "22")
			r.Write("linked/x.info", "x")
			r.Write("linked/new", "x")
		}), false},
		{"submodule", at("", func(r gittest.Repo) {
			base(r)
			r.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", r.Dir, "sub")
		}), true},
		{"from a directory", at("d", func(r gittest.Repo) {
			base(r)
			for _, name := range []string{"a", "d/b", "d/new", "dd/new", "d-", "new"} {
				r.Write(name, "22")
			}
			r.Write(".gitignore", "*.log\n")
			r.Write("d/e/x.log", "")
			r.Git("add", "dd", "d/new")
		}), false},
		{"from an untracked directory", at("u/v", func(r gittest.Repo) { base(r); r.Write("u/v/w/x", "1"); r.Write("u/x", "1") }), false},
		{"from an ignored directory", at("u/v", func(r gittest.Repo) { base(r); r.Write("u/v/w/x", "1"); r.Write(".gitignore", "u\n") }), false},
		{"from a directory with tracked files in an ignored one", at("u/v", func(r gittest.Repo) {
			r.Write("u/v/tracked", "1")
			base(r)
			r.Write("u/v/w/x", "1")
			r.Write("u/v/tracked", "22")
			r.Write(".gitignore", "u\n")
		}), false},
		{"version 4", at("", func(r gittest.Repo) { base(r); r.Git("update-index", "--index-version=4"); r.Write("d/b", "22") }), false},
		{"split index", at("", func(r gittest.Repo) { base(r); r.Git("update-index", "--split-index"); r.Write("a", "22") }), true},
		{"broken index", at("", func(r gittest.Repo) { base(r); r.Write(".git/index", "DIRC") }), true},
		{"no index", at("", func(r gittest.Repo) { base(r); r.Remove(".git/index") }), false},
		{"conflict", at("", func(r gittest.Repo) {
			base(r)
			r.Git("checkout", "-q", "-b", "side")
			r.Write("a", "2")
			r.Git("commit", "-qam", "2")
			r.Git("checkout", "-q", "main")
			r.Write("a", "3")
			r.Git("commit", "-qam", "3")
			r.Git("-c", "alias.m=!git merge -q side || :", "m")
		}), true},
		{"stash", at("", func(r gittest.Repo) { base(r); r.Write("a", "22"); r.Write("u", "1"); r.Git("stash", "-q", "-u") }), false},
		{"line endings by configuration", at("", func(r gittest.Repo) {
			r.Write("a", "1\n")
			base(r)
			r.Git("config", "core.autocrlf", "input")
			r.Write("a", "1\r\n")
			touch(r, "d/b")
		}), false},
		{"line endings by the user's configuration", at("", func(r gittest.Repo) {
			r.Git("config", "--global", "core.autocrlf", "true")
			base(r)
			touch(r, "a")
		}), false},
		{"line endings by attribute", at("", func(r gittest.Repo) {
			r.Write(".gitattributes", "*.txt eol=crlf\n")
			r.Write("x.txt", "1\r\n")
			base(r)
			r.Write("x.txt", "1\r\n")
			touch(r, "x.txt")
		}), false},
		{"a filter in a directory's attributes", at("", func(r gittest.Repo) {
			r.Git("config", "filter.up.clean", "tr a-z A-Z")
			r.Write("d/.gitattributes", "b filter=up\n")
			r.Write("d/b", "abc")
			base(r)
			touch(r, "d/b")
			touch(r, "a")
		}), false},
		{"attributes that are in the index alone", at("", func(r gittest.Repo) {
			r.Git("config", "filter.up.clean", "tr a-z A-Z")
			r.Write("d/.gitattributes", "b filter=up\n")
			r.Write("d/b", "abc")
			base(r)
			r.Remove("d/.gitattributes")
			touch(r, "d/b")
		}), false},
		{"attributes of the repository", at("", func(r gittest.Repo) {
			r.Git("config", "filter.up.clean", "tr a-z A-Z")
			r.Write(".git/info/attributes", "a filter=up\n")
			r.Write("a", "abc")
			base(r)
			touch(r, "a")
		}), false},
		{"attributes of the user", at("", func(r gittest.Repo) {
			r.Git("config", "filter.up.clean", "tr a-z A-Z")
			r.Write("../.config/git/attributes", "a filter=up\n")
			r.Write("a", "abc")
			base(r)
			touch(r, "a")
		}), false},
		{"ignorecase", at("", func(r gittest.Repo) { r.Git("config", "core.ignoreCase", "true"); base(r) }), true},
		{"no symlinks", at("", func(r gittest.Repo) { r.Git("config", "core.symlinks", "false"); base(r) }), true},
		{"checkStat", at("", func(r gittest.Repo) { r.Git("config", "--global", "core.checkStat", "minimal"); base(r) }), true},
		{"the user's configuration includes another", at("", func(r gittest.Repo) { r.Git("config", "--global", "include.path", "x"); base(r) }), true},
		{"core.worktree", at("", func(r gittest.Repo) { base(r); r.Git("config", "core.worktree", "../d"); r.Write("d/new", "") }), true},
		{"a replaced commit", at("", func(r gittest.Repo) {
			base(r)
			r.Write("a", "2")
			r.Git("commit", "-qam", "2")
			r.Git("replace", "HEAD", "HEAD~1")
		}), false},
		{"extensions", at("", func(r gittest.Repo) { r.Git("config", "extensions.worktreeConfig", "true"); base(r) }), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			made := gittest.New(t)
			dir := test.make(made)
			if err := checkDirty(t, made, dir, nil); test.askGit != (err != nil) {
				t.Errorf("dirtyInProcess: %v; want it to be left to git: %v", err, test.askGit)
			}
		})
	}
}

// base commits some files, and whatever else is there.
func base(r gittest.Repo) {
	for _, name := range []string{"a", "d/b", "d/e/c"} {
		if _, err := os.Lstat(filepath.Join(r.Dir, name)); err != nil {
			r.Write(name, "1")
		}
	}
	r.Git("add", ".")
	r.Git("commit", "-q", "-m", "base")
}

// touch sets a file's times to a moment long ago, always the same.
func touch(r gittest.Repo, path string) {
	old := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	must(os.Chtimes(filepath.Join(r.Dir, path), old, old))
}

func chmod(r gittest.Repo, path string, mode os.FileMode) {
	must(os.Chmod(filepath.Join(r.Dir, path), mode))
}
func mkdir(r gittest.Repo, path string) { must(os.MkdirAll(filepath.Join(r.Dir, path), 0o755)) }
func fifo(r gittest.Repo, path string)  { must(syscall.Mkfifo(filepath.Join(r.Dir, path), 0o600)) }

func must(err error) {
	if err != nil {
		panic(err)
	}
}
