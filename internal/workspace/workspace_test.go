package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func env(entries ...string) func(string) string {
	return func(name string) string {
		for _, entry := range entries {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

func TestSession(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	long := strings.Repeat("a", 128)
	tests := []struct {
		name, option string
		env          []string
		want         string // empty: an error
	}{
		{name: "option first", option: "o", env: []string{"DISCOBOT_SESSION_ID=d", "SESSION_ID=s"}, want: "o"},
		{name: "then ours", env: []string{"DISCOBOT_SESSION_ID=d", "SESSION_ID=s"}, want: "d"},
		{name: "then the general one", env: []string{"SESSION_ID=s"}, want: "s"},
		{name: "the longest", option: long, want: long},
		{name: "too long", option: long + "a"},
		{name: "traversal", option: "../../etc"},
		{name: "hidden", option: ".x"},
		{name: "newline", option: "a\n"},
		{name: "slash", env: []string{"SESSION_ID=a/b"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := Resolve(Options{Dir: dir, Session: test.option, Home: "/h", Getenv: env(test.env...)})
			var bad *SessionError
			if test.want == "" && !errors.As(err, &bad) {
				t.Fatalf("Resolve() = %q, %v; want a SessionError", got.Session, err)
			}
			if test.want != "" && (err != nil || got.Session != test.want) {
				t.Fatalf("Resolve() = %q, %v; want %q", got.Session, err, test.want)
			}
		})
	}
}

// Without an id the session is the workspace's, whichever link leads there.
func TestSessionOfRealPath(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	dir, link := filepath.Join(base, "ws"), filepath.Join(base, "link")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Symlink(dir, link)); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, path := range []string{dir, link, dir + "/./"} {
		ws, err := Resolve(Options{Dir: path, Home: "/h", Getenv: env()})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, ws.Session)
	}
	if diff := cmp.Diff([]string{ids[0], ids[0], ids[0]}, ids); diff != "" {
		t.Errorf("sessions differ:\n%s", diff)
	}
	if !strings.HasPrefix(ids[0], "ws-") || len(ids[0]) != len("ws-")+12 {
		t.Errorf("session %q is not ws- and 12 hex digits", ids[0])
	}
}

func TestDirAndState(t *testing.T) {
	// Not parallel: the current directory is the process's.
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	repo, other := filepath.Join(base, "repo"), filepath.Join(base, "other")
	if err := errors.Join(os.MkdirAll(filepath.Join(repo, "a", "b"), 0o700), os.Mkdir(filepath.Join(repo, ".git"), 0o700), os.Mkdir(other, 0o700)); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, cwd, option string
		env               []string
		dir, state        string
	}{
		{name: "the work tree around", cwd: filepath.Join(repo, "a", "b"), dir: repo, state: "/h/.discobot/s/hooks"},
		{name: "no work tree", cwd: other, dir: other, state: "/h/.discobot/s/hooks"},
		{name: "the option as it is", cwd: base, option: "repo/a", dir: filepath.Join(repo, "a"), state: "/h/.discobot/s/hooks"},
		{name: "the variable", cwd: other, env: []string{"DISCOBOT_WORKSPACE=" + repo, "DISCOBOT_STATE_DIR=/state"}, dir: repo, state: "/state/s/hooks"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Chdir(test.cwd)
			got, err := Resolve(Options{Dir: test.option, Session: "s", Home: "/h", Getenv: env(test.env...)})
			if err != nil {
				t.Fatal(err)
			}
			if got.Dir != test.dir || got.State != test.state {
				t.Errorf("Resolve() = %s, %s; want %s, %s", got.Dir, got.State, test.dir, test.state)
			}
		})
	}
	if _, err := Resolve(Options{Dir: filepath.Join(base, "missing"), Session: "s", Getenv: env()}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Resolve(missing) = %v, want not exist", err)
	}
}

func TestTilde(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ home, path, want string }{
		{"/home/u", "/home/u/.discobot/x", "~/.discobot/x"},
		{"/home/u", "/home/user2/x", "/home/user2/x"},
		{"/home/u/", "/home/u/x", "~/x"},
		{"/", "/x", "/x"},
		{"", "/x", "/x"},
	} {
		if got := (Workspace{Home: test.home}).Tilde(test.path); got != test.want {
			t.Errorf("Tilde(%q) at home %q = %q, want %q", test.path, test.home, got, test.want)
		}
	}
}
