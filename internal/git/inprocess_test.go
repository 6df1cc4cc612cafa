package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"discobot-hooks/internal/gittest"
)

// What is read in process is what git says, and what is not certain is left to
// git.
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
		{"the user's core.fileMode, which the local one overrides", func(r gittest.Repo) string {
			r.Git("config", "--global", "core.fileMode", "false")
			return committed(r)
		}, false},
		{"only the user's configuration has core.fileMode", func(r gittest.Repo) string {
			r.Git("config", "--global", "core.fileMode", "false")
			r.Git("config", "--unset", "core.fileMode")
			return committed(r)
		}, true},
		{"an included file has core.fileMode", func(r gittest.Repo) string {
			r.Write(".git/more", "[core]\nfilemode = false\n")
			r.Git("config", "include.path", "more")
			return committed(r)
		}, true},
		{"a file included for this branch has core.fileMode", func(r gittest.Repo) string {
			r.Write(".git/more", "[core]\nfilemode = false\n")
			r.Git("config", "includeIf.onbranch:main.path", "more")
			return committed(r)
		}, true},
		{"settings of branches, remotes and aliases", func(r gittest.Repo) string {
			committed(r)
			r.Git("config", "alias.x", `!f() { echo "a b; # c" \\; }; f`)
			r.Git("config", `remote.a"\] b.url`, "https://example.org/#x")
			r.Git("config", "branch.a/b.merge", "refs/heads/a")
			return r.Dir
		}, false},
		{"the configuration is a link", func(r gittest.Repo) string {
			committed(r)
			rename(r, ".git/config", "settings")
			link(r, "../settings", ".git/config")
			return r.Dir
		}, true},
		{".git is a link to the directory", func(r gittest.Repo) string {
			committed(r)
			rename(r, ".git", "elsewhere")
			link(r, "elsewhere", ".git")
			return r.Dir
		}, false},
		{"a relative path in .git, seen through a link", func(r gittest.Repo) string {
			committed(r)
			r.Write("deep/er/x", "")
			r.Git("worktree", "add", "-q", "-b", "linked", "deep/er/linked")
			r.Write("deep/er/linked/.git", "gitdir: ../../../.git/worktrees/linked\n")
			link(r, "deep/er/linked", "link")
			return filepath.Join(r.Dir, "link")
		}, false},
		{"linked work tree with a configuration of its own", func(r gittest.Repo) string {
			committed(r)
			r.Git("worktree", "add", "-q", "linked")
			r.Git("config", "extensions.worktreeConfig", "true")
			r.Git("-C", "linked", "config", "--worktree", "core.fileMode", "false")
			return filepath.Join(r.Dir, "linked")
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

// A directory named .git that is no repository is passed over by git, which
// then finds the one around it.
func TestReadInProcessRefusesHalfRepositories(t *testing.T) {
	t.Parallel()
	for _, missing := range []string{"HEAD", "objects", "refs", "config"} {
		made := gittest.New(t)
		committed(made)
		made.Remove(".git/" + missing)
		if err := new(Repo).readInProcess(made.Dir); err == nil {
			t.Errorf("without %s it was taken for a repository", missing)
		}
	}
	made := gittest.New(t)
	committed(made)
	made.Write(".git/commondir", "gone\n")
	if err := new(Repo).readInProcess(made.Dir); err == nil {
		t.Error("a common directory that is not there was passed over")
	}
}

func TestReadInProcessRefusesAnotherRefBackend(t *testing.T) {
	t.Parallel()
	made := gittest.New(t)
	repo := Repo{env: append(made.Env, "GIT_REFERENCE_BACKEND=files:///elsewhere")}
	if err := repo.readInProcess(committed(made)); err == nil {
		t.Error("refs were read that are elsewhere")
	}
}

func committed(r gittest.Repo) string {
	r.Git("commit", "-q", "--allow-empty", "-m", "first")
	return r.Dir
}

// rename and link take paths of the repository; a link's target is as given.
func rename(r gittest.Repo, from, to string) {
	if err := os.Rename(filepath.Join(r.Dir, from), filepath.Join(r.Dir, to)); err != nil {
		panic(err)
	}
}

func link(r gittest.Repo, target, path string) {
	if err := os.Symlink(target, filepath.Join(r.Dir, path)); err != nil {
		panic(err)
	}
}
