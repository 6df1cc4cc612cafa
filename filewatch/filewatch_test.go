package filewatch_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/filewatch"
	"discobot-hooks/internal/gittest"
)

// evaluations looks at a repository again and again, each time with what the
// last look left, as it comes back from disk.
type evaluations struct {
	t     *testing.T
	watch filewatch.Watch
	last  *filewatch.Snapshot
	scan  *filewatch.Scan
}

func evaluate(t *testing.T, repo gittest.Repo) *evaluations {
	return &evaluations{t: t, watch: filewatch.Watch{Workspace: repo.Dir, Env: repo.Env}}
}

// changed is what the next evaluation finds; a deleted file has a minus.
func (e *evaluations) changed() []string {
	e.t.Helper()
	scan, err := e.watch.Scan(e.t.Context(), e.last)
	if err != nil {
		e.t.Fatal(err)
	}
	e.scan = scan
	data, err := json.Marshal(scan.Next)
	if err != nil {
		e.t.Fatal(err)
	}
	e.last = new(filewatch.Snapshot)
	if err := json.Unmarshal(data, e.last); err != nil {
		e.t.Fatal(err)
	}
	names := []string{}
	for _, file := range scan.Changed {
		name := file.Path
		if file.Deleted {
			name = "-" + name
		}
		names = append(names, name)
	}
	return names
}

func (e *evaluations) expect(what string, want ...string) {
	e.t.Helper()
	if want == nil {
		want = []string{}
	}
	if diff := cmp.Diff(want, e.changed()); diff != "" {
		e.t.Errorf("%s: changed mismatch (-want +got):\n%s", what, diff)
	}
}

func TestBeforeTheFirstCommit(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Write("staged", "x")
	repo.Write("untracked", "x")
	repo.Git("add", "staged")
	looks := evaluate(t, repo)
	looks.expect("first", "staged", "untracked")
	repo.Write("late", "x")
	repo.Write("staged", "y")
	repo.Git("add", ".")
	repo.Git("commit", "-qm", "first")
	looks.expect("committed within the turn", "late", "staged")
	looks.expect("nothing since")
}

// What is not read in process is asked of git.
func TestRepositoriesThatOnlyGitReads(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t, "--object-format=sha256")
	looks := evaluate(t, repo)
	looks.expect("empty")
	repo.Write("a", "x")
	repo.Git("add", ".")
	repo.Git("commit", "-qm", "first")
	looks.expect("first commit", "a")
	repo.Write("a", "y")
	repo.Git("commit", "-qam", "second")
	looks.expect("committed", "a")
	repo.Git("rm", "-q", "--cached", "a")
	looks.expect("out of the index")
}

func TestSubmodule(t *testing.T) {
	t.Parallel()
	inner, repo := gittest.New(t), gittest.New(t)
	inner.Write("f", "x")
	inner.Git("add", ".")
	inner.Git("commit", "-qm", "x")
	repo.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.Dir, "sub")
	repo.Git("commit", "-qm", "x")
	looks := evaluate(t, repo)
	looks.expect("clean")
	repo.Write("sub/f", "y")
	looks.expect("edited inside", "sub")
	looks.expect("nothing since")
	repo.Write("sub/f", "z")
	looks.expect("edited again", "sub")
}

// A hook that stays pending is given all candidates since it became so, also
// those that a commit has hidden since, and none that were reverted.
func TestSince(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Write("a", "1")
	repo.Write("reverted", "1")
	repo.Git("add", ".")
	repo.Git("commit", "-qm", "base")
	looks := evaluate(t, repo)
	looks.changed()
	repo.Write("a", "2")
	repo.Write("reverted", "2")
	looks.changed()
	origin := looks.scan.Origin
	repo.Git("checkout", "-q", "--", "reverted")
	repo.Git("commit", "-qam", "hide a")
	looks.changed()
	repo.Write("b", "3")
	looks.changed()
	files, err := looks.scan.Since(t.Context(), origin.Extend(looks.scan))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]filewatch.File{{Path: "a"}, {Path: "b"}}, files); diff != "" {
		t.Errorf("Since() mismatch (-want +got):\n%s", diff)
	}
}

// However history is rewritten, a hook that failed is not got rid of while its
// file is as it was when it failed.
func TestSinceAfterRewrittenHistory(t *testing.T) {
	t.Parallel()
	rewrite := map[string]func(gittest.Repo){
		"amend":        func(r gittest.Repo) { r.Git("commit", "-qa", "--amend", "-m", "x") },
		"reset --soft": func(r gittest.Repo) { r.Git("reset", "-q", "--soft", "HEAD~1"); r.Git("commit", "-qam", "y") },
		"rebase": func(r gittest.Repo) {
			r.Git("commit", "-qam", "bad")
			r.Git("switch", "-q", "-c", "topic")
			r.Git("switch", "-q", "-c", "other", "HEAD~2")
			r.Write("elsewhere", "x")
			r.Git("add", ".")
			r.Git("commit", "-qm", "other")
			r.Git("switch", "-q", "topic")
			r.Git("rebase", "-q", "other")
		},
	}
	for name, rewrite := range rewrite {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := gittest.New(t)
			for _, content := range []string{"1", "2"} {
				repo.Write("a", content)
				repo.Git("add", ".")
				repo.Git("commit", "-qm", content)
			}
			looks := evaluate(t, repo)
			looks.changed()
			repo.Write("a", "bad")
			looks.expect("edit", "a")
			origin := looks.scan.Origin
			rewrite(repo)
			looks.changed()
			files, err := looks.scan.Since(t.Context(), origin.Extend(looks.scan))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(files, filewatch.File{Path: "a"}) {
				t.Errorf("Since() = %v: a is lost", files)
			}
			repo.Git("checkout", "-q", origin.Head, "--", "a")
			repo.Git("commit", "-qm", "as it was")
			looks.changed()
			files, err = looks.scan.Since(t.Context(), origin.Extend(looks.scan))
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(files, filewatch.File{Path: "a"}) {
				t.Errorf("Since() = %v: a is as it was before", files)
			}
		})
	}
}

// What git said about the index is kept with every byte of its names.
func TestKnownIsKept(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Git("commit", "-q", "--allow-empty", "-m", "x")
	repo.Write("\xff", "x")
	repo.Write("base64:x", "x")
	repo.Git("add", ".")
	looks := evaluate(t, repo)
	looks.expect("staged", "base64:x", "\xff")
	known := looks.scan.Next.Known
	if diff := cmp.Diff([]string{"base64:x", "\xff"}, known.Staged); diff != "" {
		t.Errorf("staged mismatch (-want +got):\n%s", diff)
	}
	looks.expect("nothing since")
	if diff := cmp.Diff(known, looks.last.Known); diff != "" {
		t.Errorf("what is known changed though nothing did (-before +after):\n%s", diff)
	}
	last := filewatch.Snapshot{Git: true, Known: known}
	if now := last; !now.Settled(last) {
		t.Error("nothing is new, and it would be written")
	}
	now := last
	now.Known.Staged = []string{"base64:x"}
	if now.Settled(last) {
		t.Error("what git was asked is not kept: it would be asked each time")
	}
}

// Where the state lies in the workspace, by whatever path, it is no change.
func TestOwnStateBehindALink(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	link := repo.Dir + "-link"
	if err := os.Symlink(repo.Dir, link); err != nil {
		t.Fatal(err)
	}
	repo.Write(".discobot/s1/hooks/status.json", "{}")
	repo.Write(".discobot/hooks/h.sh", "")
	for _, dirs := range [][2]string{{repo.Dir, link}, {link, repo.Dir}} {
		looks := evaluate(t, repo)
		looks.watch.Workspace, looks.watch.StateRoot = dirs[0], filepath.Join(dirs[1], ".discobot")
		looks.expect("first", ".discobot/hooks/h.sh")
	}
}

// A workspace that is a link into a repository is in it.
func TestWorkspaceIsALinkIntoARepository(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Write("sub/a", "x")
	repo.Write("b", "x")
	link := repo.Dir + "-link"
	if err := os.Symlink(filepath.Join(repo.Dir, "sub"), link); err != nil {
		t.Fatal(err)
	}
	looks := evaluate(t, repo)
	looks.watch.Workspace = link
	looks.expect("first", "a")
	if !looks.last.Git {
		t.Error("the repository was not found")
	}
}

// A pipe would block the hook that reads it.
func TestPipesAreNoFiles(t *testing.T) {
	t.Parallel()
	for _, git := range []bool{true, false} {
		repo := gittest.New(t)
		if err := syscall.Mkfifo(filepath.Join(repo.Dir, "p"), 0o600); err != nil {
			t.Fatal(err)
		}
		if !git {
			repo.Remove(".git")
		}
		looks := evaluate(t, repo)
		looks.expect("first")
	}
}

// Snapshots of a tree without git carry every name through JSON.
func TestWithoutGit(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Remove(".git")
	repo.Write("\xff", "x")
	repo.Write("base64:x", "x")
	repo.Write("d/f", "x")
	repo.Write("node_modules/f", "x")
	repo.Write(".gitignore", "/ig/\n")
	repo.Write("ig/f", "x")
	looks := evaluate(t, repo)
	looks.expect("first", ".gitignore", "base64:x", "d/f", "\xff")
	looks.expect("nothing since")
	repo.Remove("d")
	repo.Write("\xff", "y")
	looks.expect("changes", "-d/f", "\xff")
	origin := looks.scan.Origin
	repo.Write("e", "x")
	looks.expect("more", "e")
	files, err := looks.scan.Since(t.Context(), origin.Extend(looks.scan))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]filewatch.File{{Path: "d/f", Deleted: true}, {Path: "e"}, {Path: "\xff"}}, files); diff != "" {
		t.Errorf("Since() mismatch (-want +got):\n%s", diff)
	}
}
