package gitinstall_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/gitinstall"
)

// Wherever git looks for hooks, the hook is there and runs.
func TestPlaces(t *testing.T) {
	tests := []struct {
		name  string
		setup func(r *repo) *repo
	}{
		{"plain", func(r *repo) *repo { return r }},
		{"subdirectory", func(r *repo) *repo {
			must(r.t, os.MkdirAll(r.dir+"/a/b", 0o755))
			return r.at(r.dir + "/a/b")
		}},
		{"no hooks directory", func(r *repo) *repo {
			must(r.t, os.RemoveAll(r.dir+"/.git/hooks"))
			return r
		}},
		{"linked worktree", func(r *repo) *repo {
			r.commit()
			r.git("worktree", "add", "-q", "../linked")
			return r.at(filepath.Dir(r.dir) + "/linked")
		}},
		{"submodule", func(r *repo) *repo {
			r.commit()
			r.git("init", "-q", "../super")
			super := r.at(filepath.Dir(r.dir) + "/super")
			super.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", r.dir, "sub")
			return super.at(super.dir + "/sub")
		}},
		{"separate git dir", func(r *repo) *repo {
			r.git("init", "-q", "--separate-git-dir", "../elsewhere.git", "../sep")
			return r.at(filepath.Dir(r.dir) + "/sep")
		}},
		{"GIT_DIR", func(r *repo) *repo {
			r.git("init", "-q", "--separate-git-dir", "../elsewhere.git", "../sep")
			must(r.t, os.Remove(filepath.Dir(r.dir)+"/sep/.git"))
			return r.at(filepath.Dir(r.dir)+"/sep").with("GIT_DIR="+filepath.Dir(r.dir)+"/elsewhere.git", "GIT_WORK_TREE=.")
		}},
		{"hooksPath local", func(r *repo) *repo {
			r.git("config", "core.hooksPath", ".hooks/_")
			return r
		}},
		{"hooksPath local, subdirectory", func(r *repo) *repo {
			r.git("config", "core.hooksPath", ".hooks")
			must(r.t, os.MkdirAll(r.dir+"/a/b", 0o755))
			return r.at(r.dir + "/a/b")
		}},
		{"hooksPath is the default", func(r *repo) *repo {
			r.git("config", "core.hooksPath", r.dir+"/.git/hooks")
			return r
		}},
		{"hooksPath of the worktree", func(r *repo) *repo {
			r.commit()
			r.git("config", "extensions.worktreeConfig", "true")
			r.git("worktree", "add", "-q", "../linked")
			r = r.at(filepath.Dir(r.dir) + "/linked")
			r.git("config", "--worktree", "core.hooksPath", "hooks of this one")
			return r
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := test.setup(newRepo(t, "repo"))
			r.t = t
			checkPlace(t, r)
		})
	}
}

func TestPathsWithOddNames(t *testing.T) {
	for _, name := range []string{"with space", `it's "$HOME"`, "$(exit 1)`id`", "new\nline", "umläut", "-dash", "a\\b*"} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, name)
			checkPlace(t, r)
			// The note and the originals' path are as odd as the repository's.
			r.git("worktree", "add", "-q", "-b", "linked", r.dir+" linked")
			checkPlace(t, r.at(r.dir+" linked"))
		})
	}
}

func checkPlace(t *testing.T, r *repo) {
	t.Helper()
	must(t, os.RemoveAll(r.binary+".log"))
	hook := r.git("rev-parse", "--path-format=absolute", "--git-path", "hooks") + "/pre-commit"
	config := r.git("rev-parse", "--path-format=absolute", "--git-path", "config")
	before := read(t, config)
	if !r.setAdvice("mayor/a") {
		t.Error("SetAdvice: not changed")
	}
	r.wantAdvice("mayor/a")
	write(t, hook, 0o755, "#!/bin/sh\necho foreign\n")
	if got := r.install("pre-commit")[0]; got.Path != hook || got.Action != gitinstall.Installed {
		t.Errorf("Install: %+v, want it at %s", got, hook)
	}
	if out, ok := r.commit(); !ok || out != "foreign\n" {
		t.Errorf("commit %v: %q", ok, out)
	}
	if got := r.log(); got != "argv <git-hook> <pre-commit>\noriginal=0\n" {
		t.Errorf("binary: %q", got)
	}
	if got := r.uninstall()[0].Action; got != gitinstall.Restored {
		t.Errorf("Uninstall: %s", got)
	}
	r.wantAdvice("")
	if diff := cmp.Diff(before, read(t, config)); diff != "" {
		t.Errorf("configuration mismatch (-want +got):\n%s", diff)
	}
}

// A refusal writes nothing, names its cause and gives the way out.
func TestRefusals(t *testing.T) {
	tests := []struct {
		name  string
		setup func(r *repo) *repo
		err   string
		hint  string // %s is the repository
	}{
		{"no repository", func(r *repo) *repo { return r.at(filepath.Dir(r.dir)) },
			"not a git repository", "--dir DIR"},
		{"GIT_DIR wrong", func(r *repo) *repo { return r.with("GIT_DIR=" + r.dir + "/nonexistent") },
			"GIT_DIR: not a git repository", "env -u GIT_DIR"},
		{"bare", func(r *repo) *repo {
			r.git("init", "-q", "--bare", "../bare.git")
			return r.at(filepath.Dir(r.dir) + "/bare.git")
		}, "no work tree here", "--dir DIR"},
		{"no git", func(r *repo) *repo { return r.with("PATH=/nonexistent") },
			"git not found in PATH", "install git"},
		{"global", func(r *repo) *repo {
			r.git("config", "--global", "core.hooksPath", ".git/hooks")
			return r
		}, "core.hooksPath is set", "git -C %s config --local core.hooksPath %s/.git/hooks"},
		{"empty", func(r *repo) *repo {
			r.git("config", "core.hooksPath", "")
			return r
		}, `core.hooksPath is set to "" in the local`, "git -C %s config --local --unset-all core.hooksPath"},
		{"of the command", func(r *repo) *repo {
			return r.with("GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0=x")
		}, "core.hooksPath", "without git -c"},
		{"outside", func(r *repo) *repo {
			r.git("config", "core.hooksPath", "../shared hooks")
			return r
		}, "core.hooksPath", "git -C %s config --local core.hooksPath %s/.git/hooks"},
		{"outside by a link", func(r *repo) *repo {
			must(r.t, os.Symlink(filepath.Dir(r.dir), r.dir+"/link"))
			r.git("config", "core.hooksPath", "link/hooks")
			return r
		}, "outside of the repository", "config --local core.hooksPath"},
		{"nowhere", func(r *repo) *repo {
			r.git("config", "core.hooksPath", "/dev/null")
			return r
		}, "core.hooksPath", "config --local core.hooksPath"},
		{"tracked", func(r *repo) *repo {
			write(r.t, r.dir+"/.githooks/commit-msg", 0o755, "#!/bin/sh\n")
			r.git("add", ".githooks")
			r.git("config", "core.hooksPath", ".githooks")
			return r
		}, "core.hooksPath", `add this command, and commit it, to %s/.githooks/pre-commit: discobot-hooks git-hook pre-commit "$@"`},
		{"hooks is a link to a tracked directory", func(r *repo) *repo {
			write(r.t, r.dir+"/team/commit-msg", 0o755, "#!/bin/sh\n")
			r.git("add", "team")
			must(r.t, os.RemoveAll(r.dir+"/.git/hooks"))
			must(r.t, os.Symlink("../team", r.dir+"/.git/hooks"))
			return r
		}, "symbolic link", "and commit it"},
		{"hooks is a file", func(r *repo) *repo {
			must(r.t, os.RemoveAll(r.dir+"/.git/hooks"))
			write(r.t, r.dir+"/.git/hooks", 0o644, "")
			return r
		}, "is not a directory", "mv %s/.git/hooks %s/.git/hooks.bak"},
		{"hooksPath is a file", func(r *repo) *repo {
			write(r.t, r.dir+"/file", 0o644, "")
			r.git("config", "core.hooksPath", "file")
			return r
		}, "core.hooksPath", "mv %s/file %s/file.bak"},
		{"pre-commit is a directory", func(r *repo) *repo {
			must(r.t, os.MkdirAll(r.hook("pre-commit"), 0o755))
			return r
		}, "pre-commit is a directory", "mv %s/.git/hooks/pre-commit"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			plain := newRepo(t, "repo")
			r := test.setup(plain)
			changes, err := r.installer().Install(context.Background(), []string{"pre-commit"})
			refusal, ok := errors.AsType[*gitinstall.Error](err)
			if !ok || len(changes) > 0 {
				t.Fatalf("Install: %v, %v", changes, err)
			}
			wantContains(t, err.Error(), test.err)
			wantContains(t, refusal.Hint(), strings.ReplaceAll(test.hint, "%s", plain.dir))
			if strings.Contains(test.hint, "config --local") {
				obey(t, r, refusal.Hint())
			}
		})
	}
}

// Root in the repository of another: git itself refuses, and we say who may.
func TestRefusesAnotherOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	r := newRepo(t, "repo")
	must(t, os.Chown(r.dir+"/.git", 65534, 65534))
	must(t, os.Chown(r.dir, 65534, 65534))
	_, err := r.installer().Install(context.Background(), []string{"pre-commit"})
	refusal, ok := errors.AsType[*gitinstall.Error](err)
	if !ok {
		t.Fatalf("Install: %v", err)
	}
	wantContains(t, err.Error(), "dubious ownership")
	wantContains(t, refusal.Hint(), "user who owns")
}

func TestReadOnlyHooksDirectory(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("needs a user other than root: root may write anywhere")
	}
	r := newRepo(t, "repo")
	must(t, os.MkdirAll(r.dir+"/.git/hooks", 0o755))
	must(t, os.Chmod(r.dir+"/.git/hooks", 0o555))
	t.Cleanup(func() { must(t, os.Chmod(r.dir+"/.git/hooks", 0o755)) })
	_, err := r.installer().Install(context.Background(), []string{"pre-commit"})
	if refusal, ok := errors.AsType[*gitinstall.Error](err); !ok || !errors.Is(err, os.ErrPermission) {
		t.Errorf("Install: %v, %v", err, refusal)
	}
}

// A git that hangs is ended with the caller's context.
func TestGitThatHangs(t *testing.T) {
	r := newRepo(t, "repo")
	write(t, r.dir+"/bin/git", 0o755, "#!/bin/sh\nkill -STOP $$\n")
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, err := r.with("PATH="+r.dir+"/bin").installer().Install(ctx, []string{"pre-commit"})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Install: %v", err)
	}
}

// obey runs the command of a hint; the install then works.
func obey(t *testing.T, r *repo, hint string) {
	t.Helper()
	if out, code := r.try("sh", "-c", hint[strings.Index(hint, "git -C"):]); code != 0 {
		t.Fatalf("%s: %s", hint, out)
	}
	if got := r.install("pre-commit")[0].Path; got != r.hook("pre-commit") {
		t.Errorf("installed at %s", got)
	}
}

// Ours in the repository's own directory goes, whatever core.hooksPath says by now.
func TestUninstallUnderForeignHooksPath(t *testing.T) {
	r := newRepo(t, "repo")
	r.install("pre-commit")
	r.git("config", "--global", "core.hooksPath", filepath.Dir(r.dir))
	if got := r.uninstall()[0].Action; got != gitinstall.Removed {
		t.Errorf("Uninstall: %s", got)
	}
	if got := r.uninstall()[0].Action; got != gitinstall.Nothing {
		t.Errorf("second Uninstall: %s", got)
	}
	if exists(filepath.Dir(r.dir) + "/.discobot-hooks.lock") {
		t.Error("written outside")
	}
}
