package githook

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/hook"
)

// The last line names what git was about to do, and what to do now.
func TestBlockedByTheOriginal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		event hook.Event
		want  string
	}{
		{hook.PreCommit, "discobot-hooks: your own pre-commit hook failed: exit 3\n" +
			"discobot-hooks: commit blocked by your own pre-commit hook. Nothing was committed. Fix the failures above, then commit again.\n"},
		{"pre-push", "discobot-hooks: your own pre-push hook failed: exit 3\n" +
			"discobot-hooks: push blocked by your own pre-push hook. Nothing was pushed. Fix the failures above, then push again.\n"},
	}
	for _, test := range tests {
		t.Run(string(test.event), func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			verdict, _, err := Run{Event: test.event, Original: 3, Out: &out}.Do(context.Background())
			if err != nil || verdict != hook.Block {
				t.Errorf("Do() = %v, %v", verdict, err)
			}
			if diff := cmp.Diff(test.want, out.String()); diff != "" {
				t.Errorf("Do() mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
