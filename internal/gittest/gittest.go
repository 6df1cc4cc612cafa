// Package gittest makes real repositories for tests.
package gittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// A Repo is a scratch repository. Its Env has no configuration of the
// machine's.
type Repo struct {
	Dir string
	Env []string
	t   testing.TB
}

// New makes an empty repository, or skips the test where there is no git.
func New(t testing.TB, initArgs ...string) Repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := Repo{Dir: filepath.Join(dir, "repo"), t: t, Env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + filepath.Join(dir, "gitconfig"),
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.org",
	}}
	if err := os.Mkdir(r.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.Git(append([]string{"init", "-q", "-b", "main"}, initArgs...)...)
	return r
}

// Git runs git in the repository and returns what it printed.
func (r Repo) Git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = r.Dir, r.Env
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// Write writes a file, and its directories.
func (r Repo) Write(path, content string) {
	r.t.Helper()
	full := filepath.Join(r.Dir, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		r.t.Fatal(err)
	}
	// A fork of another test at this moment would hold the file open for
	// writing until its exec, and running the file would fail with ETXTBSY.
	syscall.ForkLock.RLock()
	err := os.WriteFile(full, []byte(content), 0o644)
	syscall.ForkLock.RUnlock()
	if err != nil {
		r.t.Fatal(err)
	}
}

// Remove removes a file or directory.
func (r Repo) Remove(path string) {
	r.t.Helper()
	if err := os.RemoveAll(filepath.Join(r.Dir, path)); err != nil {
		r.t.Fatal(err)
	}
}
