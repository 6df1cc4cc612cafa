package turn

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"discobot-hooks/hook"
)

// Whatever hooks print and are called, a message keeps below a host's limit, says
// which attempt it is, and names the log of each failure that it tells of.
func TestWordsKeepTheLimit(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 4000)
	wide := failureOf(t, strings.Repeat(long+"\n", 30))
	wide.hook = hook.Hook{ID: "wide", Name: long, Match: hook.Match{Patterns: []string{long}}}
	for i := range 40 {
		wide.files = append(wide.files, fmt.Sprintf("%s%d", long, i))
	}
	small := failureOf(t, "no\n")
	const limit = 8000
	tests := []struct {
		name     string
		failures []failure
		want     []string
	}{
		{"one that is too wide", []failure{wide}, []string{"Last 8 lines:", "~/h.log", "…", "and 36 more"}},
		{"many small ones", repeat(small, 300), []string{"more hooks failed; the output is in ~."}},
		{"one more than fits", repeat(wide, 4), []string{"1 more hook failed"}},
		{"wide and small", []failure{wide, small}, []string{"Last 8 lines:"}},
		{"few small ones, whole", repeat(small, 3), []string{"Output:\nno\n"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			message, err := words(test.failures, 2, limit)
			if err != nil {
				t.Fatal(err)
			}
			if len(message) > limit || !utf8.ValidString(message) || !strings.HasSuffix(message, " (Attempt 2/3)") {
				t.Errorf("words() has %d bytes and ends %q", len(message), message[max(0, len(message)-80):])
			}
			for _, part := range test.want {
				if !strings.Contains(message, part) {
					t.Errorf("words() lacks %q:\n%s", part, message)
				}
			}
		})
	}
}

func repeat(f failure, n int) (all []failure) {
	for range n {
		all = append(all, f)
	}
	return all
}
