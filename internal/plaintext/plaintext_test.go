package plaintext

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"text", "häuser\n\tx", "häuser\n\tx"},
		{"colour", "\x1b[31;1mred\x1b[0m", "red"},
		{"private CSI", "\x1b[?25lx", "x"},
		{"clipboard by OSC 52", "a\x1b]52;c;aGk=\x07b", "ab"},
		{"title ended by ST", "a\x1b]0;t\x1b\\b", "ab"},
		{"OSC as a C1 character", "a\u009d0;t\u009cb", "ab"},
		{"CSI as a C1 character", "a\u009b31mb", "ab"},
		{"an OSC that never ends hides one line only", "a\x1b]0;hidden\nb", "a\nb"},
		{"DCS", "a\x1bPq#0\x1b\\b", "ab"},
		{"charset", "a\x1b(Bb", "ab"},
		{"lone escape at the end", "a\x1b", "a"},
		{"C0, DEL, NUL, carriage return", "a\x00\x07\x08\r\x7fb", "ab"},
		{"bidirectional override", "a\u202eb\u2066c", "abc"},
		{"zero width space, byte order mark, tags", "a\u200bb\ufeffc\U000e0041d\u00ade", "abcde"},
		{"joiners of scripts and emoji", "a\u200db\u200cc", "a\u200db\u200cc"},
		{"not UTF-8", "a\xff\xfeb", "a\uFFFDb"},
		{"a C1 byte that is not UTF-8", "a\x9b31mb", "a\uFFFD31mb"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := Clean(test.in); got != test.want {
				t.Errorf("Clean(%q) = %q, want %q", test.in, got, test.want)
			}
		})
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a b/ümlaut.go": "a b/ümlaut.go",
		"new\nline":     `"new\nline"`,
		"\xff.txt":      `"\xff.txt"`,
		"\x1b[31m":      `"\x1b[31m"`,
		"a\u202eb":      `"a\u202eb"`,
	} {
		if got := Path(in); got != want {
			t.Errorf("Path(%q) = %s, want %s", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b]52;c;x\x07\u202e\xff\x1b[")
	f.Fuzz(func(t *testing.T, in string) {
		got := Clean(in)
		if !utf8.ValidString(got) {
			t.Errorf("Clean(%q) = %q: not UTF-8", in, got)
		}
		if strings.ContainsFunc(got, dropped) {
			t.Errorf("Clean(%q) = %q: holds a control character", in, got)
		}
		if again := Clean(got); again != got {
			t.Errorf("Clean is not stable: %q, then %q", got, again)
		}
		if strings.Count(got, "\n") != strings.Count(in, "\n") {
			t.Errorf("Clean(%q) = %q: lost a line", in, got)
		}
	})
}
