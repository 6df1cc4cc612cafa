package githook

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/hook"
)

// The last line names what git was about to do, and what to do now. What is done
// already is not said to be blocked.
func TestFailureOfTheOriginal(t *testing.T) {
	t.Parallel()
	commit := "discobot-hooks: commit blocked by your own EVENT hook. Nothing was committed. Fix the failures above, then commit again.\n"
	done := "discobot-hooks: the WHAT is done and stands, but your own EVENT hook failed. Fix the failures above.\n"
	tests := map[hook.Event]struct {
		last    string
		verdict hook.Verdict
	}{
		hook.PreCommit:        {commit, hook.Block},
		hook.PrepareCommitMsg: {commit, hook.Block},
		hook.CommitMsg:        {commit, hook.Block},
		hook.PrePush:          {"discobot-hooks: push blocked by your own EVENT hook. Nothing was pushed. Fix the failures above, then push again.\n", hook.Block},
		hook.PostCommit:       {done, hook.Proceed},
		hook.PostMerge:        {done, hook.Proceed},
		hook.PostCheckout:     {done, hook.Proceed},
	}
	for _, event := range hook.GitEvents() {
		t.Run(string(event), func(t *testing.T) {
			t.Parallel()
			test, ok := tests[event]
			if !ok {
				t.Fatal("say what its last line is")
			}
			var out strings.Builder
			verdict, _, err := Run{Event: event, Original: 3, Out: &out}.Do(context.Background())
			if err != nil || verdict != test.verdict {
				t.Errorf("Do() = %v, %v; want %v", verdict, err, test.verdict)
			}
			want := strings.NewReplacer("EVENT", string(event), "WHAT", strings.TrimPrefix(string(event), "post-")).
				Replace("discobot-hooks: your own EVENT hook failed: exit 3\n" + test.last)
			if diff := cmp.Diff(want, out.String()); diff != "" {
				t.Errorf("Do() mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
