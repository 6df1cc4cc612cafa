package gitinstall_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"discobot-hooks/gitinstall"
)

// The tests of this package do not run in parallel: each writes hooks that git
// executes at once, and a fork of another test would hold such a file open for
// writing (ETXTBSY).

// TestMain lets the test binary be a program that installs in a loop, to be
// killed at any moment, instead of running tests.
func TestMain(m *testing.M) {
	if dir := os.Getenv("GITINSTALL_TEST_LOOP"); dir != "" {
		loop(dir)
	}
	os.Exit(m.Run())
}

// repo is a scratch git repository with a home and a configuration of its own.
type repo struct {
	t      *testing.T
	dir    string
	env    []string
	binary string // a stand-in for discobot-hooks, which appends to binary+".log"
}

// newRepo makes a repository named dir below a temporary directory.
func newRepo(t *testing.T, dir string) *repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git in PATH")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	home := filepath.Join(root, "home")
	must(t, os.Mkdir(home, 0o755))
	r := &repo{t: t, dir: filepath.Join(root, dir), binary: filepath.Join(root, "discobot-hooks")}
	r.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + root,
		"GIT_CONFIG_GLOBAL=" + filepath.Join(home, "gitconfig"), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org",
	}
	must(t, os.MkdirAll(r.dir, 0o755))
	r.git("init", "-q", "-b", "main")
	r.writeBinary("exit 0")
	return r
}

// writeBinary makes the stand-in: it notes what it was given, then runs body.
func (r *repo) writeBinary(body string) {
	r.t.Helper()
	write(r.t, r.binary, 0o755, `#!/bin/sh
{ printf 'argv'; printf ' <%s>' "$@"; echo; echo "original=${DISCOBOT_ORIGINAL_EXIT-unset}"; } >>"$0.log"
`+body+"\n")
}

// at is the same repository seen from another directory.
func (r *repo) at(dir string) *repo {
	other := *r
	other.dir = dir
	return &other
}

func (r *repo) with(env ...string) *repo {
	other := *r
	other.env = append(append([]string{}, r.env...), env...)
	return &other
}

func (r *repo) installer() gitinstall.Installer {
	return gitinstall.Installer{Workspace: r.dir, Binary: r.binary, Env: r.env}
}

// try runs a program in the repository and returns its output and exit code.
func (r *repo) try(argv ...string) (string, int) {
	r.t.Helper()
	return r.feed("", argv...)
}

func (r *repo) feed(stdin string, argv ...string) (string, int) {
	r.t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = r.dir, r.env, strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		r.t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	out, code := r.try(append([]string{"git"}, args...)...)
	if code != 0 {
		r.t.Fatalf("git %q: exit %d: %s", args, code, out)
	}
	return strings.TrimSuffix(out, "\n")
}

// commit tries a commit and reports whether it was made.
func (r *repo) commit(args ...string) (string, bool) {
	r.t.Helper()
	out, code := r.try(append([]string{"git", "commit", "-q", "--allow-empty", "-m", "m"}, args...)...)
	return out, code == 0
}

func (r *repo) install(names ...string) []gitinstall.Change {
	r.t.Helper()
	changes, err := r.installer().Install(context.Background(), names)
	must(r.t, err)
	return changes
}

func (r *repo) uninstall() []gitinstall.Change {
	r.t.Helper()
	changes, err := r.installer().Uninstall(context.Background())
	must(r.t, err)
	return changes
}

func (r *repo) setAdvice(agent string) (changed bool) {
	r.t.Helper()
	changed, err := r.installer().SetAdvice(context.Background(), agent)
	must(r.t, err)
	return changed
}

func (r *repo) wantAdvice(want string) {
	r.t.Helper()
	got, err := r.installer().Advice(context.Background())
	if err != nil || got != want {
		r.t.Errorf("Advice: %q, %v, want %q", got, err, want)
	}
}

// hook is the path of a file in the default hooks directory.
func (r *repo) hook(name string) string { return filepath.Join(r.dir, ".git/hooks", name) }

// log is what the stand-in noted.
func (r *repo) log() string {
	r.t.Helper()
	content, err := os.ReadFile(r.binary + ".log")
	if !errors.Is(err, os.ErrNotExist) {
		must(r.t, err)
	}
	return string(content)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func listing(t testing.TB, dir string) []os.DirEntry {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	return entries
}

func write(t testing.TB, path string, mode os.FileMode, content string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(content), 0o600))
	must(t, os.Chmod(path, mode))
}

func read(t testing.TB, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	must(t, err)
	return string(content)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func wantContains(t testing.TB, got string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			t.Errorf("%q does not contain %q", got, part)
		}
	}
}
