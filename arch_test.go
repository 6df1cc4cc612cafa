package discobothooks_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "discobot-hooks"

// A layer may import those below it, and nothing of its own.
var layers = []struct {
	packages []string
	reason   string
}{
	{[]string{"cmd/discobot-hooks"}, "wires everything, so nothing can import it"},
	{[]string{"initproc", "session", "turn", "event", "engine", "githook", "gitinstall", "agenthost"}, "the trips: each stands alone, so that one can be read, changed and trusted without the others; engine knows hooks only as a function, so that another engine can take its place"},
	{[]string{"internal/filelist", "internal/progress"}, "plumbing of the trips that needs run"},
	{[]string{"filewatch", "frontmatter", "status", "run", "dialect/advice", "dialect/autoagent", "dialect/pipeline", "dialect/registry"}, "one promise each; what they share is in hook or internal"},
	{[]string{"internal/cond", "internal/yamlfile"}, "plumbing that words its messages as the others do"},
	{[]string{"internal/approval", "internal/workspace", "internal/pattern", "internal/sessionfile", "internal/trust", "internal/webhook", "internal/wording", "internal/gittest"}, "plumbing that needs other plumbing"},
	{[]string{"dialect", "internal/account", "internal/atomicfile", "internal/expand", "internal/filelock", "internal/git", "internal/handover", "internal/jsonedit", "internal/loopback", "internal/lossy", "internal/plaintext", "internal/safename", "internal/shtemplate", "internal/variables"}, "plumbing that needs nothing of ours but hook and how files are read"},
	{[]string{"internal/worktree"}, "it looks at the files as git would; internal/git tells it where, and what is configured"},
	{[]string{"internal/gitignore", "internal/gitindex", "internal/regular"}, "how files are read that git or somebody else may have put there: they need nothing of ours"},
	{[]string{"hook"}, "the nouns; everybody imports them, so they import only the standard library"},
	{[]string{"bench"}, "it times the program from outside, as others start it"},
}

// only are the few imports that a package may have at all.
var only = []struct {
	pkg     string
	allowed []string // besides the standard library
	reason  string
}{
	{"hook", nil, "the nouns must stay free of anybody's library"},
	{"bench", nil, "what it measures with must not depend on what it measures"},
	{"initproc", []string{"golang.org/x/sys", "github.com/rs/zerolog"}, "PID 1 parses nothing: what can panic or hang belongs into a child"},
}

// never are imports that no package may have.
var never = []struct{ pkg, reason string }{
	{"text/template", "it calls methods by name, so the linker can drop none: 4.5 MB"},
	{"html/template", "it imports text/template"},
	{"encoding/gob", "it registers types at each start of the program, for a tenth of a millisecond, and is 0.17 MB; internal/handover keeps all bytes, too"},
	{"github.com/go-git/go-git/v5", "it brings the transports, TLS and OpenPGP: 3 MB, and half a millisecond at each start; internal/git, gitindex and gitignore read what we need"},
	{"github.com/go-git/go-git/v5/storage/filesystem", "it brings packs, indexes and inflating, 0.25 MB, to read one commit id; internal/git does without"},
	{"github.com/go-git/go-git/v5/config", "it reads all of a configuration by reflection; internal/git reads the two keys that it needs, and knows where it is not certain"},
}

func TestImportsGoOneWay(t *testing.T) {
	t.Parallel()
	level := make(map[string]int)
	for i, layer := range layers {
		for _, pkg := range layer.packages {
			level[pkg] = i
		}
	}
	for pkg, imports := range packageImports(t) {
		own, known := level[pkg]
		if !known {
			t.Errorf("package %s has no layer: give it one, with the reason", pkg)
			continue
		}
		for _, imported := range imports {
			name, ours := strings.CutPrefix(imported, module+"/")
			if !ours {
				continue
			}
			if level[name] <= own {
				t.Errorf("%s imports %s: %s", pkg, name, layers[own].reason)
			}
		}
	}
}

func TestImportsOfFewPackages(t *testing.T) {
	t.Parallel()
	imports := packageImports(t)
	for _, rule := range only {
		for _, imported := range imports[rule.pkg] {
			first, _, _ := strings.Cut(imported, "/")
			standard := !strings.Contains(first, ".") && first != module
			if standard || imported == module+"/hook" && rule.pkg != "hook" {
				continue
			}
			if !slices.ContainsFunc(rule.allowed, func(a string) bool { return imported == a || strings.HasPrefix(imported, a+"/") }) {
				t.Errorf("%s imports %s: %s", rule.pkg, imported, rule.reason)
			}
		}
	}
	for pkg, imported := range imports {
		for _, rule := range never {
			if slices.Contains(imported, rule.pkg) {
				t.Errorf("%s imports %s: %s", pkg, rule.pkg, rule.reason)
			}
		}
	}
	if slices.Contains(imports["initproc"], "os/exec") {
		t.Error("initproc imports os/exec: its Wait and a reaper steal each other's statuses")
	}
}

// isModule tells of a directory that is a module of its own: no layer of ours,
// since we cannot import it.
func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// packageImports maps each package of ours to what its files import, tests and
// other modules left out.
func packageImports(t *testing.T) map[string][]string {
	t.Helper()
	imports := make(map[string][]string)
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") && file != ".") {
			return filepath.SkipDir
		}
		if entry.IsDir() && file != "." && isModule(file) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := path.Dir(filepath.ToSlash(file))
		for _, spec := range parsed.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports[pkg] = append(imports[pkg], name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return imports
}
