package supervise

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTail(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		writes []string
		want   string
	}{
		"nothing":         {nil, ""},
		"less than kept":  {[]string{"a", "b"}, "ab"},
		"more, in pieces": {[]string{"abc", "def"}, "cdef"},
		"more, at once":   {[]string{"x", "abcdefgh"}, "efgh"},
		"exactly":         {[]string{"abcd", ""}, "abcd"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept := &tail{limit: 4}
			for _, text := range test.writes {
				if n, err := kept.Write([]byte(text)); n != len(text) || err != nil {
					t.Errorf("Write(%q) = %d, %v", text, n, err)
				}
			}
			if diff := cmp.Diff(test.want, kept.String()); diff != "" {
				t.Errorf("tail mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
