package pattern

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMatchAgreesWithBash holds random small patterns for one name against
// bash. `[[ ]]` has no rule about dots, as an item with `!` has none.
func TestMatchAgreesWithBash(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash to ask")
	}
	random := rand.New(rand.NewPCG(1, 2))
	word := func(alphabet []string, most int) string {
		var b strings.Builder
		for range 1 + random.IntN(most) {
			b.WriteString(alphabet[random.IntN(len(alphabet))])
		}
		return b.String()
	}
	patternAlphabet := strings.Split(`a b c * * ? [ ] [ab] [!a] [^b] [a-c] [!a-b1] - . \ \a \* ^ 1`, " ")
	nameAlphabet := strings.Split(`a b c a b - . * ] [ ^ 1 \`, " ")

	type question struct {
		pattern, name string
		got           bool
	}
	var asked []question
	var in bytes.Buffer
	for len(asked) < 20_000 {
		p := word(patternAlphabet, 7)
		it, err := compile("!" + p)
		if err != nil {
			continue // refused for the sake of the hook's author
		}
		for range 4 {
			name := word(nameAlphabet, 6)
			asked = append(asked, question{p, name, it.match([]string{name})})
			fmt.Fprintf(&in, "%s\n%s\n", p, name)
		}
	}
	cmd := exec.Command(bash, "-c", `while IFS= read -r p && IFS= read -r n; do
		if [[ $n == $p ]]; then echo 1; else echo 0; fi
	done`)
	cmd.Stdin = &in
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(bytes.NewReader(out))
	for _, q := range asked {
		if !answers.Scan() {
			t.Fatal("bash answered too little")
		}
		if want := answers.Text() == "1"; q.got != want {
			t.Errorf("Match(%q) with %q = %v, bash says %v", q.name, q.pattern, q.got, want)
		}
	}
}

// FuzzMatch holds matching against naive code that tries everything.
func FuzzMatch(f *testing.F) {
	for _, test := range matchTests {
		for _, p := range append(test.patterns, test.ignore...) {
			for _, path := range append(test.yes, test.no...) {
				f.Add(p, path)
			}
		}
	}
	f.Add(`\\/`, `\/a`)
	f.Add("**/.x/*/**/.x/b", ".x/a/.x/b")
	f.Add("**/[a.]/**/*b", "a/a/.b")
	f.Fuzz(func(t *testing.T, p, path string) {
		it, err := compile(p)
		if err != nil {
			if strings.HasPrefix(err.Error(), "compile ") {
				t.Errorf("compile(%q) makes a pattern that gobwas/glob refuses: %v", p, err)
			}
			return
		}
		names := strings.Split(decodable(path), "/")
		got := it.match(names)
		if len(p) > 40 || len(path) > 24 || strings.Count(p, "*") > 6 || strings.Count(p, ",") > 6 || strings.Contains(p, `\/`) || path == "" {
			return // too much for naive code
		}
		if want := naive(p, names); got != want {
			t.Errorf("match(%q) with %q = %v, naive code says %v", path, p, got, want)
		}
	})
}

// naive matches a pattern that compile takes.
func naive(pattern string, names []string) bool {
	pattern, dots := strings.CutPrefix(pattern, "!")
	anchored := false
	for strings.HasPrefix(pattern, "./") {
		pattern, anchored = pattern[2:], true
	}
	if strings.HasPrefix(pattern, "/") {
		pattern, anchored = pattern[1:], true
	}
	pattern = decodable(pattern)
	anchored = anchored || strings.Contains(pattern, "/")
	for _, alternative := range naiveBraces(pattern) {
		var segments []string
		for _, s := range strings.Split(alternative, "/") {
			if s != "" && s != "." && s != `\.` {
				segments = append(segments, s)
			}
		}
		if len(segments) == 0 {
			continue
		}
		if strings.HasSuffix(alternative, "/") || segments[len(segments)-1] == "**" {
			segments = append(segments, "**", "*")
		}
		if len(segments) == 1 && !anchored {
			if naiveSegment(segments[0], names[len(names)-1], dots) {
				return true
			}
			continue
		}
		if naivePath(segments, names, dots) {
			return true
		}
	}
	return false
}

// naiveBraces expands the first group of braces, and what that gives again.
func naiveBraces(s string) []string {
	start, depth := -1, 0
	var cuts []int
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == '[':
			i += naiveClassEnd(s[i:])
		case c == '{':
			if depth++; depth == 1 {
				start, cuts = i, []int{i}
			}
		case c == ',' && depth == 1:
			cuts = append(cuts, i)
		case c == '}':
			if depth--; depth > 0 {
				continue
			}
			cuts = append(cuts, i)
			var out []string
			for j := 1; j < len(cuts); j++ {
				out = append(out, naiveBraces(s[:start]+s[cuts[j-1]+1:cuts[j]]+s[i+1:])...)
			}
			return out
		}
	}
	return []string{s}
}

// naiveClassEnd gives where the ] of the class at the start of s is.
func naiveClassEnd(s string) int {
	i := 1
	if s[i] == '!' || s[i] == '^' {
		i++
	}
	for first := true; ; first = false {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == ']' && !first:
			return i
		}
		i++
	}
}

func naivePath(segments, names []string, dots bool) bool {
	switch {
	case len(segments) == 0:
		return len(names) == 0
	case segments[0] == "**":
		return naivePath(segments[1:], names, dots) ||
			len(names) > 0 && (dots || !strings.HasPrefix(names[0], ".")) && naivePath(segments, names[1:], dots)
	}
	return len(names) > 0 && naiveSegment(segments[0], names[0], dots) && naivePath(segments[1:], names[1:], dots)
}

func naiveSegment(s, name string, dots bool) bool {
	if !dots && strings.HasPrefix(name, ".") && !strings.HasPrefix(s, ".") && !strings.HasPrefix(s, `\.`) {
		return false
	}
	return naiveName([]rune(s), []rune(name))
}

func naiveName(s, name []rune) bool {
	switch {
	case len(s) == 0:
		return len(name) == 0
	case s[0] == '*':
		return naiveName(s[1:], name) || len(name) > 0 && naiveName(s, name[1:])
	case len(name) == 0:
		return false
	case s[0] == '?':
		return naiveName(s[1:], name[1:])
	case s[0] == '[':
		s, in := naiveClass(s, name[0])
		return in && naiveName(s, name[1:])
	case s[0] == '\\':
		s = s[1:]
	}
	return s[0] == name[0] && naiveName(s[1:], name[1:])
}

// naiveClass tells whether r is in the class that s starts with, and gives
// what follows it.
func naiveClass(s []rune, r rune) (rest []rune, in bool) {
	s = s[1:]
	not := s[0] == '!' || s[0] == '^'
	if not {
		s = s[1:]
	}
	char := func() rune {
		if s[0] == '\\' {
			s = s[1:]
		}
		c := s[0]
		s = s[1:]
		return c
	}
	for first := true; first || s[0] != ']'; first = false {
		lo := char()
		hi := lo
		if s[0] == '-' && s[1] != ']' {
			s = s[1:]
			hi = char()
		}
		in = in || lo <= r && r <= hi
	}
	return s[1:], in != not
}
