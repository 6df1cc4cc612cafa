package git

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/internal/gittest"
)

// A file whose size and time are as they were, written in the second in which
// git looked at it, is clean to a git that compares whole seconds.
func TestSameSizeAndTimeSetBack(t *testing.T) {
	t.Parallel()
	made := gittest.New(t)
	made.Write("a", "1")
	touch(made, "a")
	base(made)
	made.Write("a", "2")
	touch(made, "a")
	repo, err := Open(t.Context(), made.Dir, made.Env)
	if err != nil {
		t.Fatal(err)
	}
	got, err := repo.dirtyInProcess(t.Context())
	if diff := cmp.Diff([]Dirty{{Path: "a"}}, got); diff != "" || err != nil {
		t.Errorf("dirty paths mismatch (-want +got), %v:\n%s", err, diff)
	}
}

// A touched file is read once, and again when it may have changed.
func TestTouchedFilesAreKnown(t *testing.T) {
	t.Parallel()
	made := gittest.New(t)
	base(made)
	touch(made, "d/b")
	time.Sleep(25 * time.Millisecond) // until stamps prove something
	repo, err := Open(t.Context(), made.Dir, made.Env)
	if err != nil {
		t.Fatal(err)
	}
	look := func(what string, want []Dirty) {
		t.Helper()
		got, err := repo.dirtyInProcess(t.Context())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: dirty paths mismatch (-want +got), %v:\n%s", what, err, diff)
		}
	}
	look("touched", nil)
	if len(repo.Known.Clean) == 0 {
		t.Skip("this file system's stamps prove nothing")
	}
	before := slices.Clone(repo.Known.Clean)
	look("again", nil)
	if diff := cmp.Diff(before, repo.Known.Clean); diff != "" {
		t.Errorf("what is known changed though nothing did (-before +after):\n%s", diff)
	}
	made.Write("d/b", "2")
	touch(made, "d/b") // only the time of the inode's change tells
	look("edited, time set back", []Dirty{{Path: "d/b"}})
	made.Write("d/b", "1")
	made.Write("d/.gitattributes", "b filter=up\n")
	made.Git("config", "filter.up.clean", "tr 1 x")
	touch(made, "d/b")
	look("an attribute", []Dirty{{Path: "d/b"}, {Path: "d/.gitattributes", Untracked: true}})
}

// Where git refuses to work for another user than the owner, we do not either.
func TestDirtyOfAnotherUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	for _, path := range []string{"", ".git"} {
		made := gittest.New(t)
		base(made)
		must(os.Lchown(filepath.Join(made.Dir, path), 12345, 12345))
		repo, err := Open(t.Context(), made.Dir, made.Env)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := repo.dirtyInProcess(t.Context()); err == nil {
			t.Errorf("%q is another user's, and was looked at", path)
		}
		if _, err := repo.Dirty(t.Context()); err == nil {
			t.Errorf("%q is another user's, and git was not asked", path)
		}
	}
}

// The environment can say where git looks: then git does.
func TestDirtyEnvironment(t *testing.T) {
	t.Parallel()
	for _, entry := range []string{"GIT_CEILING_DIRECTORIES=/", "GIT_ATTR_NOSYSTEM=1", "GIT_TEST_X=1", "GIT_CONFIG_NOSYSTEM=maybe"} {
		made := gittest.New(t)
		base(made)
		made.Env = append(made.Env, entry)
		repo, err := Open(t.Context(), made.Dir, made.Env)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := repo.dirtyInProcess(t.Context()); err == nil {
			t.Errorf("with %s it was looked at", entry)
		}
	}
}

// A user without a configuration often says so with /dev/null.
func TestDirtyWithoutConfiguration(t *testing.T) {
	t.Parallel()
	made := gittest.New(t)
	base(made)
	made.Env = append(made.Env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=0", "GIT_CONFIG_SYSTEM="+os.DevNull)
	if err := checkDirty(t, made, made.Dir, nil); err != nil {
		t.Errorf("left to git: %v", err)
	}
}
