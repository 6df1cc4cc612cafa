package safename_test

import (
	"strings"
	"testing"

	"discobot-hooks/internal/safename"
)

func TestIs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"a": true, "A1._-": true, "0": true, strings.Repeat("x", 128): true,
		"": false, ".": false, "..": false, "../etc": false, "a/b": false, "-rf": false, "_a": false,
		"a\n": false, "a b": false, "a\x00": false, "é": false, strings.Repeat("x", 129): false,
	} {
		if got := safename.Is(text, 128); got != want {
			t.Errorf("Is(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestIsPath(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"code-review": true, "a/b.c_d": true, "_x": true, "9": true,
		"": false, "/a": false, "-a": false, ".a": false, "a/../b": false, "a..b": false, "a b": false, "a\x00": false, "é": false, "a\nb": false, "$x": false,
	} {
		if got := safename.IsPath(text); got != want {
			t.Errorf("IsPath(%q) = %v, want %v", text, got, want)
		}
	}
}
