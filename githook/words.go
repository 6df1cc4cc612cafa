package githook

import (
	"fmt"
	"strings"

	"discobot-hooks/hook"
)

// Blocked is the last line of a run that ends in [hook.Block]: what was
// stopped, by which hooks, and what to do.
func Blocked(event hook.Event, by ...string) string {
	verb, done := "commit", "committed"
	if event == hook.PrePush {
		verb, done = "push", "pushed"
	}
	return fmt.Sprintf("%[1]s blocked by %[3]s. Nothing was %[2]s. Fix the failures above, then %[1]s again.", verb, done, strings.Join(by, ", "))
}

// stands is the last line of a run that failed after the fact.
func stands(event hook.Event, failed ...string) string {
	what := strings.TrimPrefix(string(event), "post-")
	return fmt.Sprintf("the %s is done and stands, but %s failed. Fix the failures above.", what, strings.Join(failed, ", "))
}
