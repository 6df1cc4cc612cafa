package pattern

import (
	"strings"
	"testing"

	"discobot-hooks/hook"
)

// costliest gives as many of the patterns that one makes as Compile takes.
func costliest(tb testing.TB, one func(i int) string) *Matcher {
	tb.Helper()
	var best *Matcher
	var patterns []string
	for i := range MaxItems {
		patterns = append(patterns, one(i))
		m, err := Compile(hook.Match{Patterns: patterns})
		if err != nil {
			break
		}
		best = m
	}
	if best == nil {
		tb.Fatalf("Compile refuses %q", one(0))
	}
	return best
}

func BenchmarkWorst(b *testing.B) {
	a4k := strings.Repeat("a", 4096)
	names := strings.Repeat("a/", 2048)
	repeat := func(s string) func(int) string { return func(int) string { return s } }
	grow := func(pre, mid, post string, n int) func(int) string {
		for ; n > 1; n-- {
			if Check(pre+strings.Repeat(mid, n)+post) == nil {
				break
			}
		}
		return repeat(pre + strings.Repeat(mid, n) + post)
	}
	for _, bench := range []struct {
		name string
		one  func(i int) string
		path string
	}{
		{"literal piece", repeat("*" + strings.Repeat("a", 30) + "b*c"), a4k[:4095] + "c"},
		{"long literal piece", repeat("*" + strings.Repeat("a", 300) + "b*c"), a4k[:4095] + "c"},
		{"literal pieces", repeat("*" + strings.Repeat("ab*", 300) + "c"), strings.Repeat("ab", 2047) + "xc"},
		{"class piece", repeat("*[ab]b*c"), a4k[:4095] + "c"},
		{"set piece", repeat("*[abxy]b*c"), a4k[:4095] + "c"},
		{"class piece, non-ASCII", repeat("*[a-ä]b*c"), strings.Repeat("ä", 2047) + "c"},
		{"class piece, bytes", repeat("*[\x80-\xff]b*c"), strings.Repeat("\xff", 4095) + "c"},
		{"classes piece", grow("*", "[ab]", "b*c", 150), a4k[:4095] + "c"},
		{"sets piece", grow("*", "[abxyz]", "b*c", 150), a4k[:4095] + "c"},
		{"question marks piece", grow("*", "?", "b*c", 1000), a4k[:4095] + "c"},
		{"classes in front", repeat(strings.Repeat("[ab]", 200) + "x"), a4k},
		{"sets in front", repeat(strings.Repeat("[abxyz]", 140) + "x"), a4k},
		{"question marks", repeat(strings.Repeat("?", 1000) + "x*"), a4k},
		{"sets at the end", repeat("x*" + strings.Repeat("[abxyz]", 140)), a4k},
		{"suffixes", repeat("*{" + strings.Repeat("aab,", 200) + "b}"), a4k},
		{"stars in braces", repeat(strings.Repeat("{*a,a*}", 8)), strings.Repeat("ab", 2048)},
		{"stars in braces, near", repeat(strings.Repeat("{*aaaab,a*aaa}", 8)), a4k},
		{"groups", grow("**/", "[ab]/", "b/**/c", 150), names + "c"},
		{"group of stars", grow("**/", "*a/", "b/**/c", 150), names + "c"},
		{"groups of one", repeat("**/[ab]b/**/c"), names + "c"},
		{"groups of literals", repeat("**/a/b/**/c"), names + "c"},
		{"groups that fit", grow("", "**/a/", "**/c", 150), names + "c"},
		{"groups with pieces", repeat("**/*[ab]?b*/**/c"), strings.Repeat("aaa/", 1023) + "c"},
		{"groups with pieces, one name", repeat("**/*[ab]?b*/**/c"), a4k[:4094] + "/c"},
		{"groups with ends", repeat("**/[ab]?b*/**/c"), strings.Repeat("aaa/", 1023) + "c"},
		{"passed over", repeat("**/c"), names + "c"},
		{"passed over, mismatch", repeat("x/**/c"), names + "c"},
		{"passed to a dot", repeat("a/**/c"), names[:4090] + ".a/c"},
		{"whole path", repeat(strings.Repeat("[ab]/", 200) + "x"), names[:400] + "a"},
		{"many names", repeat("{" + strings.Repeat("[a]b,", 190) + "b}"), a4k},
	} {
		b.Run(bench.name, func(b *testing.B) {
			m := costliest(b, bench.one)
			b.ReportMetric(float64(m.cost()), "steps")
			b.ReportMetric(float64(len(m.include)), "patterns")
			for b.Loop() {
				m.Match(bench.path)
			}
		})
	}
}

// BenchmarkCompile is the nastiest pattern to compile.
func BenchmarkCompile(b *testing.B) {
	for _, bench := range []struct{ name, pattern string }{
		{"real", "src/**/*.{ts,tsx}"},
		{"long alternatives", strings.Repeat("{?,b}", 8) + strings.Repeat("[ab]?", 10)},
		{"sets", strings.Repeat("[ -\u00fex]", 100)},
		{"sets in braces", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}" + strings.Repeat("[ -\u00fex]", 40)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.Logf("%v", Check(bench.pattern))
			for b.Loop() {
				_ = Check(bench.pattern)
			}
		})
	}
}
