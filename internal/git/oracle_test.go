package git

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/internal/gittest"
)

// Random histories, of everything that can happen to a work tree: after each
// step our own look says what `git status` does. DIRTY_HISTORIES sets how
// many, DIRTY_SEED repeats one that failed.
func TestDirtyInRandomHistories(t *testing.T) {
	t.Parallel()
	histories, seed := numberFrom("DIRTY_HISTORIES", 8), uint64(numberFrom("DIRTY_SEED", 0))
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	looks, refused := 0, 0
	for range histories {
		h := newHistory(t, seed)
		for range 30 {
			h.step()
			looks++
			if err := h.check(); err != nil {
				refused++
			}
			if t.Failed() {
				t.Fatalf("DIRTY_SEED=%d, after:\n%s", seed, strings.Join(h.done, "\n"))
			}
		}
		seed++
	}
	t.Logf("%d looks, %d left to git", looks, refused)
	if refused > looks/2 {
		t.Errorf("%d of %d looks were left to git", refused, looks)
	}
}

func numberFrom(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// history is a repository to which things happen.
type history struct {
	t     *testing.T
	repo  gittest.Repo
	rand  *rand.Rand
	known Known
	done  []string
}

func newHistory(t *testing.T, seed uint64) *history {
	h := &history{t: t, repo: gittest.New(t), rand: rand.New(rand.NewPCG(seed, 2))}
	for range 12 {
		h.write()
	}
	h.git("add", ".")
	h.git("commit", "-qm", "first")
	return h
}

func (h *history) note(words ...string) {
	h.done = append(h.done, strconv.Quote(strings.Join(words, " ")))
}

// git runs a command that may fail: not everything is possible at any time.
func (h *history) git(args ...string) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = h.repo.Dir, h.repo.Env
	err := cmd.Run()
	h.note(append(args, "#", strconv.FormatBool(err == nil))...)
}

func (h *history) pick(from ...string) string { return from[h.rand.IntN(len(from))] }

func (h *history) name() string {
	return h.pick("a", "b", "c", "a-b", "a.b", "x.log", "keep.log", "logs", "build", "new\nline", "\"q\"", "\xff", "sp ace", "ü", "[x]", "-n", "!n")
}

// path is one that may be there or not.
func (h *history) path() string {
	path := ""
	for range h.rand.IntN(3) {
		path += h.pick("d", "e", "logs", "build", "d-e", "\xfe") + "/"
	}
	return path + h.name()
}

// there is a path that is there, unless there is none.
func (h *history) there() string {
	var all []string
	_ = filepath.WalkDir(h.repo.Dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.Name() == ".git" {
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if rel, _ := filepath.Rel(h.repo.Dir, path); err == nil && rel != "." {
			all = append(all, rel)
		}
		return nil
	})
	if len(all) == 0 {
		return "none"
	}
	return all[h.rand.IntN(len(all))]
}

func (h *history) full(path string) string { return filepath.Join(h.repo.Dir, path) }

func (h *history) write() {
	path := h.path()
	_ = os.MkdirAll(filepath.Dir(h.full(path)), 0o755)
	h.content(path)
}

// content writes to a path, through a link too, never to the repository.
func (h *history) content(path string) {
	if strings.Contains("/"+path+"/", "/.git/") {
		return
	}
	text := strings.Repeat(h.pick("1", "2", "3"), 1+h.rand.IntN(3))
	h.note("write", path, text)
	_ = os.WriteFile(h.full(path), []byte(text), 0o644)
}

func (h *history) step() {
	from, to := h.there(), h.path()
	switch h.rand.IntN(24) {
	case 0, 1, 2:
		h.write()
	case 3, 4:
		h.content(from)
	case 5:
		h.note("remove", from)
		_ = os.RemoveAll(h.full(from))
	case 6:
		h.note("rename", from, to)
		_ = os.MkdirAll(filepath.Dir(h.full(to)), 0o755)
		_ = os.Rename(h.full(from), h.full(to))
	case 7:
		h.note("chmod", from)
		if info, err := os.Lstat(h.full(from)); err == nil && info.Mode().IsRegular() {
			_ = os.Chmod(h.full(from), info.Mode().Perm()^0o111)
		}
	case 8:
		h.note("symlink", from)
		_ = os.RemoveAll(h.full(from))
		_ = os.Symlink(h.pick("a", "d", "..", "nowhere"), h.full(from))
	case 9:
		h.note("becomes a directory", from)
		_ = os.RemoveAll(h.full(from))
		_ = os.MkdirAll(h.full(from), 0o755)
		h.content(from + "/" + h.name())
	case 10:
		rules := ""
		for range 1 + h.rand.IntN(3) {
			rules += h.pick("*.log", "!keep.log", "logs/", "/build", "d/", "!d/", "*", "!*/", "d/*", "!d/a", "a?b", "**/e", "\\[x]", "[ab]") + "\n"
		}
		dir := h.pick("", "", "d", "logs")
		h.note("ignore in", dir, rules)
		_ = os.WriteFile(h.full(filepath.Join(dir, ".gitignore")), []byte(rules), 0o644)
	case 11:
		inner := h.pick("inner", "d/inner", "logs/inner", "new/inner")
		h.git("init", "-q", inner)
		_ = os.WriteFile(h.full(inner+"/f"), nil, 0o644)
	case 12:
		h.note("touch", from)
		if info, err := os.Lstat(h.full(from)); err == nil && info.Mode().IsRegular() {
			now := time.Now()
			_ = os.Chtimes(h.full(from), now, now)
		}
	case 13:
		h.git("add", "--", from)
	case 14:
		h.git("add", "-f", "--", from)
	case 15:
		h.git("add", "-A")
	default:
		h.gitStep(from)
	}
}

func (h *history) gitStep(from string) {
	switch h.rand.IntN(14) {
	case 0, 1:
		h.git("commit", "-qam", "x")
	case 2:
		h.git("stash", "-q", "-u")
	case 3:
		h.git("stash", "pop", "-q")
	case 4:
		h.git("reset", "-q", h.pick("--soft", "--mixed", "--hard"), h.pick("HEAD", "HEAD~1"))
	case 5:
		h.git("checkout", "-q", "--", ".")
	case 6:
		h.git("checkout", "-q", "-f", h.pick("-b", "-B", "--detach"), h.pick("other", "HEAD~1"))
	case 7:
		h.git("checkout", "-q", h.pick("main", "other"))
	case 8:
		h.git("rm", "-rq", "--cached", "--", from)
	case 9:
		h.git("update-index", "--index-version="+h.pick("2", "4"))
	case 10:
		h.git("add", "-N", "--", from)
	case 11:
		h.git("update-index", h.pick("--assume-unchanged", "--no-assume-unchanged"), "--", from)
	case 12:
		h.git("clean", "-qfd")
	case 13:
		h.git("status")
	}
}

// check looks from somewhere in the repository.
func (h *history) check() error {
	dir := h.repo.Dir
	if h.rand.IntN(4) == 0 {
		if info, err := os.Lstat(h.full("d")); err == nil && info.IsDir() {
			dir = h.full("d")
		}
	}
	repo, err := Open(h.t.Context(), dir, h.repo.Env)
	if err != nil {
		h.t.Fatal(err)
	}
	switch h.rand.IntN(8) {
	case 0:
		h.known = Known{}
	case 1:
		time.Sleep(25 * time.Millisecond) // then directories are old enough to be known by their stamps
	}
	repo.Known = h.known
	got, err := repo.dirtyInProcess(h.t.Context())
	if err != nil {
		h.note("left to git:", err.Error())
		return err
	}
	h.known = repo.Known
	want, err := repo.dirtyByGit(h.t.Context())
	if err != nil {
		h.t.Fatalf("we took what git refuses: %v", err)
	}
	got = slices.DeleteFunc(got, func(d Dirty) bool { return !slices.Contains(want, d) && h.missedByGit(repo.Prefix+d.Path) })
	if diff := cmp.Diff(sorted(want), sorted(got)); diff != "" {
		h.t.Errorf("seen from %q, dirty paths mismatch (-git +ours):\n%s", repo.Prefix, diff)
	}
	return nil
}

// missedByGit tells whether git is wrong to call a path clean: written in the
// second in which git looked at it, with the same size; or gone, behind a link
// to itself, of which git says on stderr that it cannot look.
func (h *history) missedByGit(path string) bool {
	if _, err := os.Lstat(h.full(path)); errors.Is(err, syscall.ELOOP) {
		return true
	}
	hash := exec.Command("git", "hash-object", "--", path)
	hash.Dir, hash.Env = h.repo.Dir, h.repo.Env
	id, err := hash.Output()
	staged := h.repo.Git("--literal-pathspecs", "ls-files", "--stage", "--", path)
	return err == nil && staged != "" && !strings.Contains(staged, strings.TrimSpace(string(id)))
}
