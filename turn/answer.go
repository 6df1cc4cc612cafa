package turn

import (
	"slices"
	"time"

	"discobot-hooks/filewatch"
	"discobot-hooks/hook"
)

// sameStop is how long after an answer another registration may still be asking
// about the same stop. Agents call their hooks at once, or one after the other.
const sameStop = 10 * time.Second

// An answer is what an evaluation told the agent. Some agents read the
// configuration of others, too, and ask twice at each stop: through two
// registrations, never twice through one.
type answer struct {
	At      time.Time    `json:"at"`
	Asked   []string     `json:"asked"` // the registrations that have it
	Tree    string       `json:"tree"`  // what the workspace was once the hooks had run
	Verdict hook.Verdict `json:"verdict"`
	Message string       `json:"message,omitempty"`
	Attempt int          `json:"attempt,omitempty"`
	Note    string       `json:"note,omitempty"`
}

// repeats tells whether the last answer is also this caller's.
func (s state) repeats(o Options, scan *filewatch.Scan, now time.Time) bool {
	last := s.Answer
	if last == nil || o.Registration == "" || slices.Contains(last.Asked, o.Registration) {
		return false
	}
	age := now.Sub(last.At)
	return age >= 0 && age <= sameStop && last.Tree == scan.Next.Fingerprint()
}

// repeat gives the last answer once more, and notes who has it now.
func (e Evaluator) repeat(s state, o Options) (Outcome, error) {
	s.Answer.Asked = append(s.Answer.Asked, o.Registration)
	outcome := Outcome{
		Verdict: s.Answer.Verdict, Message: s.Answer.Message, Attempt: s.Answer.Attempt, Note: s.Answer.Note,
		Changed: []string{},
	}
	return outcome, s.write(e.Store.Dir())
}

// answered is the outcome as the next registration would need it. tree is what
// the workspace is now.
func answered(o Options, outcome Outcome, tree string) *answer {
	if o.Registration == "" {
		return nil
	}
	return &answer{
		At: time.Now(), Asked: []string{o.Registration}, Tree: tree,
		Verdict: outcome.Verdict, Message: outcome.Message, Attempt: outcome.Attempt, Note: outcome.Note,
	}
}
