package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"discobot-hooks/internal/gittest"
)

// What is read in process is what git says, and what go-git does not know is
// left to git.
func TestReadInProcess(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		make   func(gittest.Repo) (dir string)
		askGit bool
	}{
		{"no commit yet", func(r gittest.Repo) string { return r.Dir }, false},
		{"a commit", committed, false},
		{"a branch with slashes", func(r gittest.Repo) string {
			r.Git("switch", "-q", "-c", "a/b/c")
			return committed(r)
		}, false},
		{"packed refs", func(r gittest.Repo) string {
			committed(r)
			r.Git("tag", "-a", "-m", "x", "v1") // has a ^ line
			r.Git("pack-refs", "--all")
			return r.Dir
		}, false},
		{"detached", func(r gittest.Repo) string {
			committed(r)
			r.Git("switch", "-q", "--detach")
			return r.Dir
		}, false},
		{"core.fileMode no", func(r gittest.Repo) string {
			r.Git("config", "core.fileMode", "No")
			return committed(r)
		}, false},
		{"linked work tree", func(r gittest.Repo) string {
			committed(r)
			r.Git("config", "core.fileMode", "false") // it is the main one's file
			r.Git("worktree", "add", "-q", "-b", "linked", "linked")
			r.Git("-C", "linked", "commit", "-q", "--allow-empty", "-m", "ahead")
			return filepath.Join(r.Dir, "linked")
		}, false},
		{"linked work tree, relative paths", func(r gittest.Repo) string {
			committed(r)
			r.Git("worktree", "add", "-q", "-b", "linked", "linked")
			r.Write("linked/.git", "gitdir: ../.git/worktrees/linked\n")
			return filepath.Join(r.Dir, "linked")
		}, false},
		{"submodule", func(r gittest.Repo) string {
			committed(r)
			r.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", r.Dir, "sub")
			return filepath.Join(r.Dir, "sub")
		}, false},
		{"separate git directory", func(r gittest.Repo) string {
			committed(r)
			r.Git("init", "-q", "--separate-git-dir", "../elsewhere")
			return r.Dir
		}, false},
		{"format 1 without extensions", func(r gittest.Repo) string {
			r.Git("config", "core.repositoryFormatVersion", "1")
			return committed(r)
		}, false},
		{"an extension", func(r gittest.Repo) string {
			r.Git("config", "extensions.worktreeConfig", "true")
			return committed(r)
		}, true},
		{"an extension whose name has capitals", func(r gittest.Repo) string {
			r.Git("config", "core.repositoryFormatVersion", "1")
			r.Git("config", "Extensions.preciousObjects", "true")
			return committed(r)
		}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			made := gittest.New(t)
			dir := test.make(made)
			got := Repo{Dir: dir, env: made.Env}
			if err := got.readInProcess(dir); test.askGit != (err != nil) {
				t.Fatalf("readInProcess: %v; want it to be left to git: %v", err, test.askGit)
			}
			want := Repo{Dir: dir, env: made.Env}
			if err := want.readByGit(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !test.askGit && (got.Head != want.Head || got.PlainModes != want.PlainModes) {
				t.Errorf("in process %q, plain modes %v; git says %q, %v", got.Head, got.PlainModes, want.Head, want.PlainModes)
			}
		})
	}
}

func TestReadInProcessRefusesOtherHashes(t *testing.T) {
	t.Parallel()
	made := gittest.New(t, "--object-format=sha256")
	if err := new(Repo).readInProcess(made.Dir); err == nil {
		t.Error("a SHA-256 repository was read")
	}
}

// None of these is a repository, and none may be taken for one.
func TestReadInProcessRefusesWhatIsNoRepository(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"no prefix": "/elsewhere\n", "no path": "gitdir: \n", "nothing there": "gitdir: gone\n", "empty": "", "binary": "\x00\xff",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ".git"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := new(Repo).readInProcess(dir); err == nil {
			t.Errorf("%s: a .git file with %q was taken for a repository", name, content)
		}
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := new(Repo).readInProcess(dir); err == nil {
		t.Error("an empty .git was taken for a repository")
	}
	if err := new(Repo).readInProcess(filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("a directory that is not there: %v", err)
	}
}

func committed(r gittest.Repo) string {
	r.Git("commit", "-q", "--allow-empty", "-m", "first")
	return r.Dir
}
