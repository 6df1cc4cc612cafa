package expand_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"discobot-hooks/internal/expand"
)

// variable is the grammar, read by another scanner.
var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

func FuzzExpand(f *testing.F) {
	for _, text := range []string{
		"", "${A}", "$${A}", "${A", "${${A}}", "${A:-${B}}", "$A", "${}", "a$", "\xff${_}\x00", "${A}${A}", "é${É}", "$$$${{}}",
	} {
		f.Add(text, "${A}")
		f.Add(text, "$1 }{ \xff\n")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		lookup := func(name string) (string, bool) { return value, name != "A" }
		want := variable.ReplaceAllStringFunc(text, func(found string) string {
			if found == "${A}" {
				return ""
			}
			return value
		})
		got, missing := expand.Expand(text, lookup)
		if got != want {
			t.Fatalf("Expand(%q) = %q, want %q", text, got, want)
		}
		names := expand.Names(text)
		if slices.Contains(names, "A") != slices.Equal(missing, []string{"A"}) {
			t.Fatalf("Expand(%q): missing %q, names %q", text, missing, names)
		}
		if !strings.Contains(text, "${") && got != text {
			t.Fatalf("Expand(%q) = %q without a variable in it", text, got)
		}
		checkOdd(t, text)
	})
}

// checkOdd holds that an odd piece is in the text, short, and never a variable.
func checkOdd(t *testing.T, text string) {
	t.Helper()
	for _, piece := range expand.Odd(text) {
		begins := strings.HasPrefix(piece, "$") || strings.HasPrefix(piece, `\${`)
		if !begins || !strings.Contains(text, piece) || variable.FindString(piece) == piece {
			t.Fatalf("Odd(%q) has %q", text, piece)
		}
		if strings.HasPrefix(piece, "${") && len(piece) > 64 {
			t.Fatalf("Odd(%q) has %d bytes", text, len(piece))
		}
	}
}
