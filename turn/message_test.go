package turn

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/hook"
)

// failureOf makes a failure whose log holds this output.
func failureOf(t *testing.T, output string) failure {
	t.Helper()
	path := filepath.Join(t.TempDir(), "h.log")
	if err := os.WriteFile(path, []byte(output), 0o600); err != nil {
		t.Fatal(err)
	}
	lines := int64(strings.Count(output, "\n"))
	if output != "" && !strings.HasSuffix(output, "\n") {
		lines++
	}
	return failure{
		hook:   hook.Hook{Name: "N", Match: hook.Match{Patterns: []string{"*.go", "!x.go"}}},
		result: hook.Result{ExitCode: 1, Output: hook.Output{Path: path, Lines: lines, Bytes: int64(len(output))}},
		files:  []string{"a.go"}, shown: "~/h.log",
	}
}

// The limits of what is inline: 200 lines and 5,120 bytes, the final newline
// not counted.
func TestInlineLimits(t *testing.T) {
	t.Parallel()
	bytes := strings.Repeat("x", maxInlineBytes)
	tests := []struct {
		name, output string
		inline       bool
	}{
		{"empty", "", true},
		{"200 lines", strings.Repeat("l\n", 200), true},
		{"200 lines without the last newline", strings.Repeat("l\n", 199) + "l", true},
		{"201 lines", strings.Repeat("l\n", 201), false},
		{"200 lines and a blank one", strings.Repeat("l\n", 200) + "\n", false},
		{"5,120 bytes", bytes, true},
		{"5,120 bytes and a newline", bytes + "\n", true},
		{"5,120 bytes and two newlines", bytes + "\n\n", false},
		{"5,121 bytes", bytes + "x", false},
		{"5,121 bytes and a newline", bytes + "x\n", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			message, err := failureOf(t, test.output).message()
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(message, "\nOutput:\n"); got != test.inline {
				t.Errorf("inline = %v, want %v:\n%s", got, test.inline, message)
			}
		})
	}
}

func TestMessageWords(t *testing.T) {
	t.Parallel()
	inline, err := failureOf(t, "one\n\ntwo\n").message()
	if err != nil {
		t.Fatal(err)
	}
	want := "[Discobot Hook Failed] \"N\" (pattern: *.go, !x.go)\n\nFiles: a.go\nExit code: 1\n\nOutput:\none\n\ntwo\n\n" +
		"Please fix the issues and ensure the hook passes."
	if diff := cmp.Diff(want, inline); diff != "" {
		t.Errorf("message() mismatch (-want +got):\n%s", diff)
	}
	var lines strings.Builder
	for i := range 300 {
		fmt.Fprintf(&lines, "line %d\n", i)
	}
	large, err := failureOf(t, lines.String()).message()
	if err != nil {
		t.Fatal(err)
	}
	want = "[Discobot Hook Failed] \"N\" (pattern: *.go, !x.go)\n\nFiles: a.go\nExit code: 1\n\n" +
		"Output is large (300 lines). Full output saved to:\n  ~/h.log\n\nLast 15 lines:\n"
	for i := 285; i < 300; i++ {
		want += fmt.Sprintf("line %d\n", i)
	}
	want += "\nPlease read the file to see the full output and address the issues."
	if diff := cmp.Diff(want, large); diff != "" {
		t.Errorf("message() mismatch (-want +got):\n%s", diff)
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("y", 199) + "\n" // 200 bytes
	tests := []struct{ name, text, want string }{
		{"few lines", "a\nb", "a\nb"},
		{"fifteen of many", strings.Repeat("a\n", 30) + "b", strings.Repeat("a\n", 14) + "b"},
		{"whole lines within 2 KiB", strings.TrimSuffix(strings.Repeat(line, 14), "\n"), strings.TrimSuffix(strings.Repeat(line, 10), "\n")},
		{"a line begins at the cut", strings.Repeat("z", 100) + "\n" + strings.Repeat("q", maxTailBytes), strings.Repeat("q", maxTailBytes)},
		{"one endless line", strings.Repeat("w", 9000), strings.Repeat("w", maxTailBytes)},
		{"cut within a character", strings.Repeat("ü", 3000) + "x", strings.Repeat("ü", maxTailBytes/2-1) + "x"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, tail(test.text, maxTailLines, maxTailBytes)); diff != "" {
				t.Errorf("tail() mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNameFiles(t *testing.T) {
	t.Parallel()
	names := func(n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprintf("f%d", i+1))
		}
		return all
	}
	twenty := strings.Join(names(20), ", ")
	tests := []struct {
		name  string
		files []string
		want  string
	}{
		{"one", []string{"a"}, "a"},
		{"twenty", names(20), twenty},
		{"twenty-three", names(23), twenty + ", and 3 more"},
		{"names that a list would hide", []string{"a, b", " c"}, `"a, b", " c"`},
		{"control characters", []string{"a\nb", "\x1b[31m"}, `"a\nb", "\x1b[31m"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, nameFiles(test.files, maxFilesNamed)); diff != "" {
				t.Errorf("nameFiles() mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
