package filewatch_test

import (
	"encoding/json"
	"strings"
	"testing"

	"discobot-hooks/filewatch"
)

// What stands on disk for a commit becomes an argument of git's. `git diff` writes
// to any file that --output names.
func TestHeadIsACommitID(t *testing.T) {
	t.Parallel()
	tests := []struct {
		head string
		ok   bool
	}{
		{"", true},
		{strings.Repeat("0a", 20), true},
		{strings.Repeat("0a", 32), true},
		{"--output=/tmp/x", false},
		{"-a", false},
		{"HEAD", false},
		{"0a\n", false},
	}
	for _, test := range tests {
		t.Run(test.head, func(t *testing.T) {
			t.Parallel()
			data, err := json.Marshal(map[string]string{"head": test.head})
			if err != nil {
				t.Fatal(err)
			}
			var snapshot filewatch.Snapshot
			var origin filewatch.Origin
			for _, into := range []any{&snapshot, &origin} {
				if err := json.Unmarshal(data, into); (err == nil) != test.ok {
					t.Errorf("Unmarshal(%s, %T) = %v, want it to be read: %v", data, into, err, test.ok)
				}
			}
		})
	}
}
