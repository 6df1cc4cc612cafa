package git

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"discobot-hooks/internal/gittest"
)

const (
	hashA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	hashB = "0123456789abcdef0123456789abcdef01234567"
)

// What HEAD is told to be is what git says, without the objects behind it.
func TestHead(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		files   map[string]string // below .git
		certain bool
	}{
		{"detached", map[string]string{"HEAD": hashA + "\n"}, true},
		{"no end of line", map[string]string{"HEAD": "ref: refs/heads/x", "refs/heads/x": hashA}, true},
		{"a branch outside of ASCII", map[string]string{"HEAD": "ref: refs/heads/é\n", "refs/heads/é": hashA + "\n"}, true},
		{"unborn", map[string]string{"HEAD": "ref: refs/heads/x\n"}, true},
		{"unborn below a directory that is not there", map[string]string{"HEAD": "ref: refs/heads/a/b/c\n"}, true},
		{"unborn beside packed refs", map[string]string{"HEAD": "ref: refs/heads/x\n", "packed-refs": hashA + " refs/heads/y\n"}, true},
		{"loose wins over packed", map[string]string{
			"HEAD": "ref: refs/heads/x\n", "refs/heads/x": hashB + "\n", "packed-refs": hashA + " refs/heads/x\n",
		}, true},
		{"a symbolic ref behind another", map[string]string{
			"HEAD": "ref: refs/heads/1\n", "refs/heads/1": "ref: refs/x\n", "packed-refs": hashA + " refs/x\n",
		}, true},
		{"as many symbolic refs as git follows", map[string]string{
			"HEAD": "ref: refs/heads/1\n", "refs/heads/1": "ref: refs/heads/2\n", "refs/heads/2": "ref: refs/heads/3\n",
			"refs/heads/3": "ref: refs/heads/4\n", "refs/heads/4": hashA + "\n",
		}, true},
		{"one more", map[string]string{
			"HEAD": "ref: refs/heads/1\n", "refs/heads/1": "ref: refs/heads/2\n", "refs/heads/2": "ref: refs/heads/3\n",
			"refs/heads/3": "ref: refs/heads/4\n", "refs/heads/4": "ref: refs/heads/5\n", "refs/heads/5": hashA + "\n",
		}, false},
		{"a symbolic ref to itself", map[string]string{"HEAD": "ref: refs/heads/x\n", "refs/heads/x": "ref: refs/heads/x\n"}, false},
		{"bisect", map[string]string{"HEAD": "ref: refs/bisect/bad\n", "refs/bisect/bad": hashA + "\n"}, true},
		{"bisect, packed", map[string]string{"HEAD": "ref: refs/bisect/bad\n", "packed-refs": hashA + " refs/bisect/bad\n"}, false},
		{"capitals", map[string]string{"HEAD": strings.ToUpper(hashA) + "\n"}, false},
		{"too short", map[string]string{"HEAD": hashA[1:] + "\n"}, false},
		{"of SHA-256", map[string]string{"HEAD": hashA + hashA[:24] + "\n"}, false},
		{"zero", map[string]string{"HEAD": strings.Repeat("0", 40) + "\n"}, false},
		{"two lines", map[string]string{"HEAD": hashA + "\n" + hashB + "\n"}, false},
		{"CRLF", map[string]string{"HEAD": hashA + "\r\n"}, false},
		{"an empty line more", map[string]string{"HEAD": hashA + "\n\n"}, false},
		{"a branch with CRLF", map[string]string{"HEAD": "ref: refs/heads/x\r\n", "refs/heads/x": hashA + "\n"}, false},
		{"no blank", map[string]string{"HEAD": "ref:refs/heads/x\n", "refs/heads/x": hashA + "\n"}, false},
		{"two blanks", map[string]string{"HEAD": "ref:  refs/heads/x\n", "refs/heads/x": hashA + "\n"}, false},
		{"a blank at the end", map[string]string{"HEAD": "ref: refs/heads/x \n", "refs/heads/x": hashA + "\n"}, false},
		{"empty", map[string]string{"HEAD": ""}, false},
		{"an empty ref, as a crash leaves it", map[string]string{"HEAD": "ref: refs/heads/x\n", "refs/heads/x": ""}, false},
		{"very long", map[string]string{"HEAD": "ref: refs/heads/" + strings.Repeat("x", maxRefFile)}, false},
		{"a directory where the ref would be", map[string]string{
			"HEAD": "ref: refs/heads/x\n", "refs/heads/x/y": hashA + "\n", "packed-refs": hashB + " refs/heads/x\n",
		}, false},
		{"a ref where the directory would be", map[string]string{"HEAD": "ref: refs/heads/x/y\n", "refs/heads/x": hashA + "\n"}, false},
		{"out of the directory", map[string]string{"HEAD": "ref: refs/heads/../../outside\n", "outside": hashA + "\n"}, false},
		{"out of refs", map[string]string{"HEAD": "ref: ORIG_HEAD\n", "ORIG_HEAD": hashA + "\n"}, false},
		{"absolute", map[string]string{"HEAD": "ref: /refs/heads/x\n", "refs/heads/x": hashA + "\n"}, false},
		{"of another work tree", map[string]string{"HEAD": "ref: worktrees/x/refs/bisect/bad\n"}, false},
		{"packed refs with CRLF", map[string]string{"HEAD": "ref: refs/heads/x\n", "packed-refs": hashA + " refs/heads/x\r\n"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			repo := gittest.New(t)
			for name, content := range test.files {
				repo.Write(".git/"+name, content)
			}
			got := Repo{Dir: repo.Dir, env: repo.Env}
			if err := got.readInProcess(repo.Dir); test.certain != (err == nil) {
				t.Fatalf("readInProcess: %q, %v; want it to be certain: %v", got.Head, err, test.certain)
			}
			if want := headByGit(t, repo); test.certain && got.Head != want {
				t.Errorf("HEAD %q, git says %q", got.Head, want)
			}
		})
	}
}

// Whatever is certain about HEAD, git says too.
func FuzzHead(f *testing.F) {
	for _, seed := range []string{
		"", hashA, hashA + "\n", hashB + " x\n", "ref: refs/heads/x\n", "ref: refs/heads/gone\n", "ref: refs/bisect/x\n",
		"ref: refs/heads/symbolic\n", "ref: refs/heads/../x\n", "ref: refs/heads\n", "ref: refs/\n", "gitdir: x", "ref: refs/é\n\n",
	} {
		f.Add(seed)
	}
	repo := gittest.New(f)
	repo.Write(".git/refs/heads/x", hashA+"\n")
	repo.Write(".git/refs/bisect/x", hashB+"\n")
	repo.Write(".git/refs/heads/symbolic", "ref: refs/heads/x\n")
	f.Fuzz(func(t *testing.T, head string) {
		if err := os.WriteFile(filepath.Join(repo.Dir, ".git/HEAD"), []byte(head), 0o600); err != nil {
			t.Fatal(err)
		}
		got := Repo{Dir: repo.Dir, env: repo.Env}
		if err := got.readInProcess(repo.Dir); err != nil {
			return
		}
		if want := headByGit(t, repo); got.Head != want {
			t.Errorf("HEAD of %q: %q, git says %q", head, got.Head, want)
		}
	})
}

// A name is never certain where git would not have it.
func TestCertainRef(t *testing.T) {
	t.Parallel()
	for name, certain := range map[string]bool{
		"refs/heads/x": true, "refs/heads/a/b.c": true, "refs/heads/é": true, "refs/x": true, "refs/heads/@": true, "refs/heads/-x{": true,
		"HEAD": false, "refs": false, "refs/": false, "refs//x": false, "/refs/x": false, "refs/x/": false, "reflogs/x": false,
		"refs/.x": false, "refs/../x": false, "refs/a..b": false, "refs/x.": false, "refs/x.lock": false, "refs/x.lock/y": false,
		"refs/x@{1": false, "refs/a b": false, "refs/a~": false, "refs/a^": false, "refs/a:b": false, "refs/a?": false,
		"refs/a*": false, "refs/a[": false, `refs/a\b`: false, "refs/a\tb": false, "refs/a\x7f": false,
	} {
		if got := certainRef(name); got != certain {
			t.Errorf("certainRef(%q) = %v", name, got)
		}
		_, err := Run(t.Context(), t.TempDir(), os.Environ(), "check-ref-format", name)
		if certain && err != nil {
			t.Errorf("git does not have %q: %v", name, err)
		}
	}
}

// headByGit is empty where git has none, or none that it understands.
func headByGit(t *testing.T, repo gittest.Repo) string {
	t.Helper()
	want := Repo{Dir: repo.Dir, env: repo.Env}
	if err := want.readByGit(t.Context()); err != nil {
		return ""
	}
	return want.Head
}

// Links were git's symbolic refs once: what they mean is left to it.
func TestHeadRefusesLinks(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"HEAD", "refs/heads/main"} {
		repo := gittest.New(t)
		committed(repo)
		repo.Git("branch", "other")
		repo.Remove(".git/" + path)
		link(repo, strings.Repeat("../", strings.Count(path, "/"))+"refs/heads/other", ".git/"+path)
		if err := new(Repo).readInProcess(repo.Dir); err == nil {
			t.Errorf("a link at %s was followed", path)
		}
		if headByGit(t, repo) == "" {
			t.Errorf("git does not follow a link at %s: why refuse it", path)
		}
	}
}

// Each linked work tree has its own refs/bisect, and no other's.
func TestHeadOfLinkedWorkTreeReadsItsOwnRefs(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	first := strings.TrimSpace(repo.Git("commit-tree", "-m", "1", strings.TrimSpace(repo.Git("write-tree"))))
	second := strings.TrimSpace(repo.Git("commit-tree", "-m", "2", strings.TrimSpace(repo.Git("write-tree"))))
	repo.Git("update-ref", "HEAD", first)
	repo.Git("worktree", "add", "-q", "linked")
	for _, name := range []string{"refs/bisect/x", "refs/worktree/x", "refs/rewritten/x"} {
		repo.Git("update-ref", name, first)
		repo.Git("-C", "linked", "update-ref", name, second)
		repo.Git("-C", "linked", "symbolic-ref", "HEAD", name)
		var got Repo
		if err := got.readInProcess(filepath.Join(repo.Dir, "linked")); err != nil || got.Head != second {
			t.Errorf("%s: HEAD %q, %v; want %q", name, got.Head, err, second)
		}
	}
}

// A commit that HEAD has all the time is found all the time, or left to git,
// while refs are packed, branches switched and removed.
func TestHeadWhileRefsMove(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	committed(repo)
	want := headByGit(t, repo)
	stop, found := make(chan struct{}), make(chan int)
	go func() {
		defer close(found)
		for n := 0; ; {
			select {
			case <-stop:
				found <- n
				return
			default:
			}
			var got Repo
			if err := got.readInProcess(repo.Dir); err == nil && got.Head != want {
				t.Errorf("HEAD is said to be %q", got.Head)
				return
			} else if err == nil {
				n++
			}
		}
	}()
	branch := "main"
	for i := range 30 {
		repo.Git("pack-refs", "--all") // removes the loose one
		next := "b" + strconv.Itoa(i)
		repo.Git("branch", next)
		repo.Git("symbolic-ref", "HEAD", "refs/heads/"+next)
		repo.Git("branch", "-q", "-D", branch) // writes packed-refs anew
		branch = next
	}
	close(stop)
	if n := <-found; n < 30 {
		t.Errorf("%d times found", n)
	}
}
