package gitignore

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"discobot-hooks/internal/gittest"
)

var seed = flag.Uint64("gitignore.seed", 0, "of the random rules; 0 takes a new one")

// asGit finds out with the real git which of the paths, none of which is
// there, a file's rules ignore. Directories above a path count as such.
func asGit(t testing.TB, repo gittest.Repo, rules string, paths []string) map[string]bool {
	t.Helper()
	if err := os.WriteFile(filepath.Join(repo.Dir, ".gitignore"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "check-ignore", "-z", "--stdin", "--no-index")
	cmd.Dir, cmd.Env = repo.Dir, repo.Env
	cmd.Stdin = strings.NewReader("./" + strings.Join(paths, "\x00./") + "\x00") // `:` at the start would be magic
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 { // 1: none
		t.Fatalf("git check-ignore: %v: %s", err, stderr.String())
	}
	ignored := make(map[string]bool)
	for path := range strings.SplitSeq(string(out), "\x00") {
		ignored[strings.TrimPrefix(path, "./")] = true
	}
	return ignored
}

// ignores says the same with a list: a directory that is ignored takes all
// below it along.
func ignores(list List, path string) Verdict {
	for i := range len(path) {
		if path[i] == '/' {
			if v := list.Match(path[:i], true); v == Ignored || v == Uncertain {
				return v
			}
		}
	}
	return list.Match(path, false)
}

func check(t testing.TB, repo gittest.Repo, rules string, paths []string) {
	t.Helper()
	list, git := Parse([]byte(rules), ""), asGit(t, repo, rules, paths)
	for _, path := range paths {
		got := ignores(list, path)
		if got != Uncertain && (got == Ignored) != git[path] {
			t.Errorf("rules %q, path %q: verdict %d; git ignores it: %v", rules, path, got, git[path])
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	paths := []string{
		"a", "a.log", "b/a.log", "logs/x", "logs/keep.txt", "build/out", "x/build/out", "a b", "a ", "a/b/c", "a/c", "a/x/y/c",
		"foo", "foo/bar", "foo/bar/baz", "x/foo", "#x", "!x", "]", "-", "a]", "x-y", "d\tb", "\xff", "é", "aXb", "abc/def", "\\", "*", "?",
		"a*b", "ab", "ac", "a/bc", "deep/er/a.log", "dir/", "x.c", "x.C", "a\rb", "[", "a[", "tést",
	}
	paths = paths[:len(paths):len(paths)]
	for i, path := range paths {
		paths[i] = strings.TrimSuffix(path, "/")
	}
	for _, rules := range []string{
		"", "\n\r\n", "*.log", "*.log\n!b/a.log", "logs/\n!logs/keep.txt", "logs/*\n!logs/keep.txt", "/build/", "build", "build/",
		"a\\ b", "a b  ", "a\\ ", "a ", "a\\", "a/**/c", "**/c", "a/**", "**", "**/", "/**/", "a**c", "a/**c", "a**/c", "**a/c", "**foo/bar",
		"foo/*", "foo/**/baz", "/foo", "foo/bar", "*/foo", "*/bar", "\\#x", "#x", "\\!x", "!x", "[]]", "[]-]", "[!]]", "[^a]", "[a-c]b", "[c-a]b",
		"a[]]", "a[", "a[b", "[[:alpha:]]", "[[:upper:]]", "[[:nope:]]", "[[:alpha]", "[a[:digit:]", "[\\]]", "[\\", "[a-", "[a\\-c]", "[!-]", "x[+--]y",
		"?", "a?b", "a?c", "foo?bar", "foo[/]bar", "foo[!a]bar", "\\*", "\\?", "a\\*b", "*", "*/", "!*\n", "*\n!*/\n!*.c", "*.c\r\n", "a\rb", "\ufefffoo",
		"foo\x00bar", "/", "//", "!", "!!x", "\xff", "é", "t?st", "t??st", "*\\", "foo/\n!foo/bar", "/*\n!/foo\n/foo/*\n!/foo/bar", "a\\/b", "**\\/c", "a/\\**",
		"***", "***/c", "a/***/c", "**/**/c", "**/a/**", "foo/ ", "foo /", " foo", "*a*", "*.l*g", "a.*",
	} {
		check(t, repo, rules, paths)
	}
}

// Random rules of the characters that mean something, on paths that nearly
// match.
func TestRandomRules(t *testing.T) {
	t.Parallel()
	begin := *seed
	if begin == 0 {
		begin = uint64(time.Now().UnixNano())
	}
	t.Logf("-gitignore.seed=%d", begin)
	random := rand.New(rand.NewPCG(begin, 1))
	text := func(alphabet []string, most int) string {
		var b strings.Builder
		for range 1 + random.IntN(most) {
			b.WriteString(alphabet[random.IntN(len(alphabet))])
		}
		return b.String()
	}
	in := []string{"a", "b", "a", "b", "/", "/", "*", "**", "**/", "/**", "?", "[ab]", "[!a]", "[a-b]", "[", "]", "\\", "!", " ", "-", "^", ":", "[:alpha:]", "#"}
	on := []string{"a", "b", "ab", "-", "[", " ", "!", "c", "]", ":", "\\"}
	repo := gittest.New(t)
	for range 150 {
		var rules, paths []string
		for range 3 {
			rules = append(rules, text(in, 7))
		}
		for range 60 {
			path := text(on, 2)
			for range random.IntN(4) {
				path += "/" + text(on, 2)
			}
			paths = append(paths, path)
		}
		check(t, repo, strings.Join(rules, "\n"), paths)
	}
}

// The rules of a file in a directory are about what lies below it.
func TestBase(t *testing.T) {
	t.Parallel()
	list := Parse([]byte("/x\ny/z\n*.log\n"), "d/e")
	for path, want := range map[string]Verdict{
		"d/e/x": Ignored, "d/e/f/x": Silent, "x": Silent, "d/e/y/z": Ignored, "y/z": Silent, "d/e/f/a.log": Ignored, "d/a.log": Silent, "d/e": Silent,
	} {
		if got := list.Match(path, false); got != want {
			t.Errorf("Match(%q) = %d, want %d", path, got, want)
		}
	}
}

// Stars that would be tried for ever are given up, and soon.
func TestStarsTakeBoundedTime(t *testing.T) {
	t.Parallel()
	path := strings.Repeat("a/", 60) + "c"
	for _, rule := range []string{strings.Repeat("**/a/", 20) + "b", "/" + strings.Repeat("*a", 40) + "b", strings.Repeat("*a", 40) + "b"} {
		name := path
		if strings.HasPrefix(rule, "*a") || strings.HasPrefix(rule, "/*a") {
			name = strings.Repeat("a", 200)
		}
		begun := time.Now()
		got := Parse([]byte(rule), "").Match(name, false)
		if got == Ignored || time.Since(begun) > time.Second {
			t.Errorf("Match() with %q = %d after %v", rule, got, time.Since(begun))
		}
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("*.log\n!a.log", "b/a.log")
	f.Add("a/**/[!b-c]\\", "a/x/y")
	f.Add("[[:alpha:]]**/", "a/b")
	repo := gittest.New(f)
	f.Fuzz(func(t *testing.T, rules, path string) {
		clean := filepath.Clean(path) == path && filepath.IsLocal(path) && path != "." && !strings.ContainsRune(path, 0)
		if !clean || len(path) > 200 || strings.Contains("/"+path+"/", "/.git") {
			return // git would not look at it, or under another name
		}
		check(t, repo, rules, []string{path})
	})
}
