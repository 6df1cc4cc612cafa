package pattern

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/hook"
)

// matchTest holds patterns against paths: those in yes match, those in no do
// not.
type matchTest struct {
	name     string
	patterns []string
	ignore   []string
	yes, no  []string
}

var matchTests = []matchTest{
	// The examples of the hooks document.
	{"base name at any depth", []string{"*.go"}, nil,
		[]string{"a.go", "internal/server/handler.go", ".github/x.go"}, []string{"a.gox", "a.go/b", "a.GO", ".go", "x/.go", "x/.a.go"}},
	{"path", []string{"src/**/*.ts"}, nil,
		[]string{"src/a.ts", "src/x/a.ts", "src/x/y/a.ts"}, []string{"lib/a.ts", "x/src/a.ts", "src/.x/a.ts", "src/.a.ts", "src/a.tsx"}},
	{"braces", []string{"*.{ts,tsx}"}, nil, []string{"a.ts", "x/a.tsx"}, []string{"a.t", "a.{ts,tsx}", "a.tsxx"}},
	{"class", []string{"[a-z].go"}, nil, []string{"a.go", "x/z.go"}, []string{"A.go", "ab.go", "-.go"}},
	{"single negation", []string{"!*.md"}, nil, []string{"a.go", ".x", "x/.y/z"}, []string{"a.md", "x/a.md", ".a.md"}},
	{"list with negation", []string{"*.go", "!*_test.go"}, nil, []string{"a.go", "x/a.go"}, []string{"a_test.go", "x/a_test.go", "a.md"}},
	{"negation in front", []string{"!vendor/**", "*.go"}, nil, []string{"a.go"}, []string{"vendor/a.go", "vendor/.x/a.go"}},
	{"ignore", []string{"*.go"}, []string{"gen/**", "z*.go"}, []string{"a.go", "x/gen/a.go"}, []string{"gen/a.go", "gen/.x/a.go", "x/z1.go"}},
	{"ignore under a single negation", []string{"!a"}, []string{"b"}, []string{"c"}, []string{"a", "b"}},
	{"zero value", nil, nil, nil, []string{"a", ""}},

	// Anchors.
	{"leading slash", []string{"/x.go"}, nil, []string{"x.go"}, []string{"a/x.go"}},
	{"leading dot slash", []string{"./x.go"}, nil, []string{"x.go"}, []string{"a/x.go"}},
	{"leading dot slash in a path", []string{"./src/*.go"}, nil, []string{"src/x.go"}, []string{"a/src/x.go"}},
	{"negated anchor", []string{"!/x.go"}, nil, []string{"a/x.go"}, []string{"x.go"}},
	{"braces with a slash", []string{"{src/,}*.go"}, nil, []string{"a.go", "src/a.go"}, []string{"lib/a.go"}},
	{"double slash and dot", []string{"a//b/./c"}, nil, []string{"a/b/c"}, []string{"a/b/x/c"}},

	// Globstar.
	{"everything", []string{"**"}, nil, []string{"a", "a/b", "a/b/c"}, []string{".a", "a/.b", ".a/b"}},
	{"globstar zero or more", []string{"**/x.go"}, nil, []string{"x.go", "a/x.go", "a/b/x.go"}, []string{"ax.go", ".a/x.go", "x.go/a"}},
	{"globstar between", []string{"a/**/b"}, nil, []string{"a/b", "a/x/b", "a/x/y/b"}, []string{"a", "b", "ab", "a/x", "x/a/b"}},
	{"globstar at the end", []string{"src/**"}, nil, []string{"src/a", "src/a/b"}, []string{"src", "x/src/a", "src/.a"}},
	{"trailing slash", []string{"src/"}, nil, []string{"src/a", "src/a/b"}, []string{"src", "x/src/a"}},
	{"trailing slash of alternatives", []string{"{src,lib}/"}, nil, []string{"src/a", "lib/a/b"}, []string{"src", "bin/a"}},
	{"two globstars", []string{"**/a/**/b"}, nil, []string{"a/b", "x/a/b", "a/a/b", "x/a/y/z/b"}, []string{"b", "b/a", "a/.x/b", "a/b/c"}},
	{"globstars in a row", []string{"a/**/**/b"}, nil, []string{"a/b", "a/x/b"}, []string{"a/b/c"}},
	{"group between globstars", []string{"**/a/b/**/c"}, nil, []string{"a/b/c", "a/a/b/c", "a/b/a/b/c"}, []string{"a/x/b/c", "b/a/c"}},
	{"ends overlap", []string{"a/b/**/b/c"}, nil, []string{"a/b/b/c", "a/b/x/b/c"}, []string{"a/b/c"}},
	{"star star in a name", []string{"a**b"}, nil, []string{"ab", "axb", "x/axxb"}, []string{"a/b"}},
	{"star star before a suffix", []string{"src/**.ts"}, nil, []string{"src/a.ts"}, []string{"src/x/a.ts"}},

	// Dots.
	{"spelled dot", []string{".*"}, nil, []string{".a", "x/.a"}, []string{"a"}},
	{"escaped dot", []string{`\.x`}, nil, []string{".x"}, []string{"x"}},
	{"dot in a class", []string{"[.]x"}, nil, nil, []string{".x"}},
	{"question mark and dot", []string{"?x"}, nil, []string{"ax"}, []string{".x"}},
	{"spelled dot directory", []string{".github/**"}, nil, []string{".github/a", ".github/a/b"}, []string{".github/.a"}},
	{"spelled dot in braces", []string{"{.,}*.yml"}, nil, []string{".a.yml", "a.yml"}, []string{"a"}},
	{"dot between groups", []string{"**/.x/.x/**/b"}, nil, []string{".x/.x/b", "a/.x/.x/c/b"}, []string{".x/.x/.x/b"}},

	// Pieces.
	{"several stars", []string{"a*b*c"}, nil, []string{"abc", "aXbYc", "abbc", "acbc"}, []string{"ab", "ac", "acb"}},
	{"pieces do not overlap", []string{"ab*ba"}, nil, []string{"abba", "abxba"}, []string{"aba"}},
	{"pieces with classes", []string{"*[ab]?[cd]*x"}, nil, []string{"ayd.x", "aaacx", "zbbdx"}, []string{"acx", "abx", "ayd"}},
	{"leftmost is enough", []string{"*a[bc]*[cd]e"}, nil, []string{"abce", "acacde"}, []string{"abe"}},
	{"question mark", []string{"a?c"}, nil, []string{"abc", "aéc", "a\xffc"}, []string{"ac", "abbc", "a\xff\xffc"}},
	{"only stars", []string{"*?*"}, nil, []string{"a", "é", "ab"}, []string{".a"}},

	// Classes.
	{"negated", []string{"[!a]"}, nil, []string{"b", "é"}, []string{"a", "bb", "."}},
	{"negated as in regexps", []string{"[^a]"}, nil, []string{"b"}, []string{"a"}},
	{"several ranges", []string{"[a-cx-z0]"}, nil, []string{"a", "b", "y", "0"}, []string{"d", "w", "-"}},
	{"several ranges negated", []string{"x[!a-c0-9]"}, nil, []string{"xd", "x-"}, []string{"xa", "xb", "x5", "x"}},
	{"hyphens", []string{"[-a]", "[b-]", "[c-]d"}, nil, []string{"-", "a", "b", "-d", "cd"}, []string{"c"}},
	{"bracket first", []string{"[]a]", "x[!]a]"}, nil, []string{"]", "a", "xb"}, []string{"x]", "xa", "b"}},
	{"escapes", []string{`[\]\-\\]`, `x[\!\^]`}, nil, []string{"]", "-", `\`, "x!", "x^"}, []string{"a"}},
	{"exclamation mark", []string{`x[\!]`, `x[\!-#]y`}, nil, []string{"x!", `x"y`}, []string{"xa"}},
	{"wide range", []string{"[ -\uffff]"}, nil, []string{"a", "é", "!", "世"}, []string{"\U00010000", "\x01", "\xff"}},
	{"non-ASCII", []string{"[äö]x"}, nil, []string{"äx", "öx"}, []string{"ax", "\xc3x"}},

	// Literals.
	{"escapes", []string{`\*\?\[\{\!\,x`}, nil, []string{"*?[{!,x"}, []string{"a"}},
	{"escaped negation", []string{`\!x`}, nil, []string{"!x"}, []string{"x", "y"}},
	{"escaped group", []string{`c+\(1).go`}, nil, []string{"c+(1).go"}, nil},
	{"escaped braces", []string{`\{a\}`}, nil, []string{"{a}"}, []string{"a"}},
	{"backslash is no separator", []string{"*.go"}, nil, []string{`a\b.go`}, nil},
	{"backslash", []string{`a\\b`}, nil, []string{`a\b`}, []string{"a/b"}},
	{"comma", []string{"a,b"}, nil, []string{"a,b"}, []string{"a", "b"}},
	{"parentheses", []string{"a(b|c)"}, nil, []string{"a(b|c)"}, []string{"ab"}},
	{"nested braces", []string{"{a,b{c,d,}}{1,2}"}, nil, []string{"a1", "bc2", "bd1", "b2"}, []string{"b", "c1", "a"}},
	{"empty alternative", []string{"{,a}"}, nil, []string{"a"}, []string{"b"}},
	{"dots in braces", []string{"{a..b,c}"}, nil, []string{"a..b", "c"}, []string{"a"}},

	// Bytes.
	{"no UTF-8", []string{"\xff*"}, nil, []string{"\xff", "\xffa", "x/\xff\xfe"}, []string{"\xfe", "\ufffd", "ÿ"}},
	{"no UTF-8 under a star", []string{"*.go"}, nil, []string{"\xff\xfe.go", "\xc3.go"}, nil},
	{"class of bytes", []string{"[\x80-\xff]"}, nil, []string{"\x80", "\xfe"}, []string{"a", "é"}},
	{"half a character", []string{"*\xa9"}, nil, []string{"\xa9"}, []string{"é"}},
	{"what stands for bytes", []string{"\U0010ffff"}, nil, []string{"\U0010ffff"}, []string{"\xff"}},
	{"a byte and what stands for it", []string{"\xff"}, nil, []string{"\xff"}, []string{"\U0010ffff"}},
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, test := range matchTests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m, err := Compile(hook.Match{Patterns: test.patterns, Ignore: test.ignore})
			if err != nil {
				t.Fatalf("Compile(%q, %q): %v", test.patterns, test.ignore, err)
			}
			for _, path := range test.yes {
				if !m.Match(path) {
					t.Errorf("Match(%q) = false with %q, ignore %q", path, test.patterns, test.ignore)
				}
			}
			for _, path := range test.no {
				if m.Match(path) {
					t.Errorf("Match(%q) = true with %q, ignore %q", path, test.patterns, test.ignore)
				}
			}
		})
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, pattern, want string }{
		{"empty", "", "write \"**\""},
		{"only a negation", "!", "write \"**\""},
		{"only a slash", "/", "write \"**\""},
		{"only empty alternatives", "{,}", "write \"**\""},
		{"long", strings.Repeat("a", 1025), "longer than 1024 bytes"},
		{"longest", strings.Repeat("a", 1024), ""},
		{"NUL", "a\x00b", "NUL"},
		{"double negation", "!!x", "write one !"},
		{"parent", "../x", "leads out of the workspace"},
		{"parent within", "{a,a/..}/x", "leads out of the workspace"},
		{"extglob one of", "*.@(ts|js)", "write {a,b}"},
		{"extglob maybe", "a?(b)", "write {a,}"},
		{"extglob not", "!(x)", "write a list with an item !x"},
		{"extglob many", "*.+(ts|js)", `\(`},
		{"extglob any", "a*(1).txt", `\(`},
		{"range", "{1..3}", "{1,2,3}"},
		{"letter range", "x{a..z}", "{1,2,3}"},
		{"braces without comma", "{{name}}.go", "without a comma"},
		{"empty braces", "a{}", "without a comma"},
		{"open bracket", "[abc", "[ without ]"},
		{"open bracket with a bracket", "[]", "[ without ]"},
		{"open bracket with an escape", `[a\`, "[ without ]"},
		{"open brace", "{a,b", "{ without }"},
		{"shut brace", "a}", "} without {"},
		{"shut bracket", "a]", "] without ["},
		{"backslash at the end", `a\`, `write \\`},
		{"slash in a class", "[a/b]", "a / cannot stand"},
		{"range backwards", "[z-a]", "write a-z"},
		{"POSIX class", "[[:alpha:]]", "[a-zA-Z]"},
		{"wide class", "[a\u0100-\uffff]", "at most 256 characters"},
		{"braces that multiply", strings.Repeat("{a,b}", 8), ""},
		{"braces that multiply more", strings.Repeat("{a,b}", 9), "more than 256 patterns"},
		{"a billion patterns", strings.Repeat("{a,b}", 200), "more than 256 patterns"},
		{"wide braces", "{" + strings.Repeat("a,", 256) + "b}", "more than 256 patterns"},
		{"deep braces", strings.Repeat("{a,", 250) + "b" + strings.Repeat("}", 250), ""},
		{"long alternatives", strings.Repeat("{a,b}", 6) + strings.Repeat("a", 900), "more than 256 patterns"},

		// What real hooks write is far from the budget.
		{"many suffixes", "**/*.{js,jsx,ts,tsx,mjs,cjs,mts,cts,vue,svelte,astro,css,scss,less,html,json,yaml,yml,md,mdx}", ""},
		{"many directories", "**/{src,lib,app,pkg,cmd,internal,test,tests}/**/*.{js,jsx,ts,tsx}", ""},
		{"many words", "*{foo,bar,baz}*{foo,bar,baz}*.{go,rs,c,h}", ""},
		{"many classes", "*[Tt]est*.{go,rs,c,h,py,rb,pl,js}", ""},

		{"stars in braces", strings.Repeat("{*a,a*}", 8), ""},
		{"classes between stars", "*" + strings.Repeat("[ab]", 100) + "*", "takes too long to match"},
		{"question marks between stars", "*" + strings.Repeat("?", 1000) + "*", "takes too long to match"},
		{"starred classes in braces", "{*[ab]*c,*[cd]*e}{1,2}{3,4}{5,6}{7,8}", "takes too long to match"},
		{"globstars and names", strings.Repeat("**/*a*b/", 60) + "c", "takes too long to match"},
		{"globstars alone", strings.Repeat("**/", 300) + "c", ""},
		{"stars and letters", strings.Repeat("a*", 500) + "b", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := Check(test.pattern)
			if test.want == "" {
				if err != nil {
					t.Fatalf("Check(%q): %v", test.pattern, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Check(%q) = %v, want an error with %q", test.pattern, err, test.want)
			}
		})
	}
}

func TestCompileErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		match hook.Match
		want  string
	}{
		{"names the pattern", hook.Match{Patterns: []string{"*.go", "[a"}}, `pattern "[a": a [ without ]: close it, or write \[ for the character itself`},
		{"names the ignored", hook.Match{Patterns: []string{"*.go"}, Ignore: []string{"{"}}, `ignore "{": a { without }: close it, or write \{ for the character itself`},
		{"negated ignore", hook.Match{Ignore: []string{"!x"}}, `ignore "!x": ! is not for ignore: write "x" under pattern, or \! for a name that starts with it`},
		{"only negations", hook.Match{Patterns: []string{"!a", "!b"}}, `a list of only ! items matches nothing: add "**" before them`},
		{"many items", hook.Match{Patterns: make([]string, 200), Ignore: make([]string, 57)}, "257 patterns: write 256 at most, with * and {a,b}"},
		{"costly together", hook.Match{Patterns: slices.Repeat([]string{"*[ab]*[cd]*"}, 40)}, "the patterns together take too long to match: use fewer of them, and fewer *, ** and {…}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			if _, err := Compile(test.match); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Compile(%q) mismatch (-want +got):\n%s", test.match.Patterns, diff)
			}
		})
	}
}
