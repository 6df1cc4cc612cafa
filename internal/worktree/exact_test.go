package worktree

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/internal/gitignore"
	"discobot-hooks/internal/gitindex"
	"discobot-hooks/internal/gittest"
)

// looked is a repository that is looked at again and again.
type looked struct {
	gittest.Repo
	t     *testing.T
	exact Seals
}

func newLooked(t *testing.T) *looked {
	l := &looked{Repo: gittest.New(t), t: t}
	for _, path := range []string{"a", "d/b", "d/e/c", "d/e/f/g", "x/y"} {
		l.Write(path, "1")
	}
	l.Git("add", ".")
	return l
}

// find looks once all directories are older than the tick of the clock.
func (l *looked) find() Found {
	l.t.Helper()
	l.settle()
	data, err := os.ReadFile(filepath.Join(l.Dir, ".git/index"))
	if err != nil {
		l.t.Fatal(err)
	}
	index, err := gitindex.Parse(data)
	if err != nil {
		l.t.Fatal(err)
	}
	found, err := Look{
		Top: l.Dir, Index: index, IndexTime: time.Now(), Exact: l.exact,
		Rules:      func() ([]gitignore.List, error) { return nil, nil },
		Repository: func(string) (bool, error) { return false, nil },
	}.Find(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	l.exact, found.Exact, found.Suspects = found.Exact, nil, nil
	slices.Sort(found.Changed)
	slices.Sort(found.Untracked)
	return found
}

// settle waits for the clock, as long as a tick takes.
func (l *looked) settle() {
	l.t.Helper()
	probe := filepath.Join(l.t.TempDir(), "probe")
	must(l.t, os.WriteFile(probe, nil, 0o600))
	info, err := os.Stat(probe)
	must(l.t, err)
	for deadline := time.Now().Add(5 * time.Second); time.Since(info.ModTime()) < fineTick+time.Millisecond; {
		if time.Now().After(deadline) {
			l.t.Skip("the file system's clock is far ahead")
		}
		time.Sleep(time.Millisecond)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (l *looked) expect(what string, want Found) {
	l.t.Helper()
	if diff := cmp.Diff(want, l.find()); diff != "" {
		l.t.Errorf("%s: Find() mismatch (-want +got):\n%s", what, diff)
	}
}

// Whatever comes, goes or changes its kind in a directory is seen, though its
// names are not read while its stamps are as they were.
func TestKnownDirectories(t *testing.T) {
	t.Parallel()
	rename := func(l *looked, from, to string) {
		must(l.t, os.Rename(filepath.Join(l.Dir, from), filepath.Join(l.Dir, to)))
	}
	for _, test := range []struct {
		name string
		do   func(*looked)
		want Found
	}{
		{"nothing", func(*looked) {}, Found{}},
		{"a new file", func(l *looked) { l.Write("d/e/new", "1") }, Found{Untracked: []string{"d/e/new"}}},
		{"a new file that is gone again", func(l *looked) { l.Write("d/e/new", "1"); l.Remove("d/e/new") }, Found{}},
		{"an edit", func(l *looked) { l.Write("d/e/c", "22") }, Found{Changed: []string{"d/e/c"}}},
		{"a deletion", func(l *looked) { l.Remove("d/e/c") }, Found{Changed: []string{"d/e/c"}}},
		{"a directory's deletion", func(l *looked) { l.Remove("d/e") }, Found{Changed: []string{"d/e/c", "d/e/f/g"}}},
		{"renames", func(l *looked) { rename(l, "d/e", "x/e") }, Found{Changed: []string{"d/e/c", "d/e/f/g"}, Untracked: []string{"x/e/c", "x/e/f/g"}}},
		{"two directories swapped", func(l *looked) {
			rename(l, "d/e", "t")
			rename(l, "x", "d/e")
			rename(l, "t", "x")
		}, Found{Changed: []string{"d/e/c", "d/e/f/g", "x/y"}, Untracked: []string{"d/e/y", "x/c", "x/f/g"}}},
		{"a link in a directory's place", func(l *looked) {
			rename(l, "d/e", "t")
			must(l.t, os.Symlink("../t", filepath.Join(l.Dir, "d/e")))
		}, Found{Changed: []string{"d/e/c", "d/e/f/g"}, Untracked: []string{"d/e", "t/c", "t/f/g"}}},
		{"a file in a directory's place", func(l *looked) { l.Remove("d/e"); l.Write("d/e", "1") },
			Found{Changed: []string{"d/e/c", "d/e/f/g"}, Untracked: []string{"d/e"}}},
		{"a directory in a file's place", func(l *looked) { l.Remove("d/e/c"); l.Write("d/e/c/x", "1") },
			Found{Changed: []string{"d/e/c"}, Untracked: []string{"d/e/c/x"}}},
		{"a name that the index has no longer", func(l *looked) { l.Git("rm", "-q", "--cached", "d/e/c") },
			Found{Untracked: []string{"d/e/c"}}},
		{"a new name, in the index too", func(l *looked) { l.Write("d/new", "1"); l.Git("add", "d/new") }, Found{}},
		{"a time in the future, set by hand", func(l *looked) {
			future := time.Now().Add(time.Hour)
			must(l.t, os.Chtimes(filepath.Join(l.Dir, "d/e"), future, future))
			l.Write("d/e/new", "1")
			must(l.t, os.Chtimes(filepath.Join(l.Dir, "d/e"), future, future))
		}, Found{Untracked: []string{"d/e/new"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := newLooked(t)
			l.expect("first", Found{})
			if len(l.exact) != 5*sealBytes {
				t.Skipf("this file system's directories are not known by their stamps: %d", len(l.exact))
			}
			test.do(l)
			l.expect(test.name, test.want)
			l.expect("again", test.want)
		})
	}
}

// A directory that changed just now may do so again without another stamp.
func TestFreshDirectoriesAreNotKnown(t *testing.T) {
	t.Parallel()
	l := newLooked(t)
	future := time.Now().Add(time.Hour)
	must(t, os.Chtimes(filepath.Join(l.Dir, "d/e"), future, future))
	l.expect("first", Found{})
	if len(l.exact) > 4*sealBytes {
		t.Errorf("%d directories are known: the fresh one, too", len(l.exact)/sealBytes)
	}
}
