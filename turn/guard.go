package turn

import (
	"fmt"
	"maps"
	"slices"

	"discobot-hooks/filewatch"
	"discobot-hooks/hook"
)

// Turn says who began the turn that has ended.
type Turn string

// Where the caller does not know, the turn is a hook's if this session's last
// evaluation asked for a re-prompt, else the user's.
const (
	Unknown Turn = ""
	ByUser  Turn = "user"
	ByHook  Turn = "hook"
)

// ParseTurn reads the value of --turn.
func ParseTurn(text string) (Turn, error) {
	switch turn := Turn(text); turn {
	case Unknown, ByUser, ByHook:
		return turn, nil
	}
	return Unknown, fmt.Errorf("read --turn: %q is not user or hook", text)
}

// byUser tells whether the user began the turn that has ended, as far as the
// caller says and the last evaluation proves. An agent's "already continued" flag is
// in none of this: some send it wrong, after a tool was used or at first.
func (s state) byUser(o Options) bool {
	return s.seemsByUser(o) && (s.Attempt == 0 || o.Woken == nil || !o.Woken())
}

func (s state) seemsByUser(o Options) bool {
	switch {
	case o.Turn != Unknown:
		return o.Turn == ByUser
	case o.Key == "":
		return !s.Reprompted
	case o.KeyRepeats:
		return !s.Reprompted || o.Key != s.Key
	}
	return o.Key != s.Key
}

// next is the state that this evaluation will leave: a user's turn starts the
// count of re-prompts anew.
func (s state) next(scan *filewatch.Scan, o Options) state {
	if s.byUser(o) {
		s.Attempt = 0
	}
	s.Key = o.Key
	extended := make(map[string]pending, len(s.Pending))
	for id, p := range s.Pending {
		p.Origin = p.Origin.Extend(scan)
		extended[id] = p
	}
	s.Pending = extended
	s.fresh = scan.Origin
	s.Snapshot = &scan.Next
	return s
}

// quiet tells whether no re-prompt is on record.
func (s state) quiet() bool { return s.Attempt == 0 && !s.Reprompted }

// keepPending remembers where each pending hook's candidates begin, and
// forgets the others. Those that were pending before this evaluation are old.
func (s *state) keepPending(ids, old []string, hooks []hook.Hook) {
	for _, id := range ids {
		if _, known := s.Pending[id]; !known {
			s.Pending[id] = pending{Origin: s.fresh, Unknown: slices.Contains(old, id)}
		}
	}
	maps.DeleteFunc(s.Pending, func(id string, _ pending) bool { return !slices.Contains(ids, id) })
	for _, h := range hooks {
		if p, ok := s.Pending[h.ID]; ok {
			p.File = h.File
			s.Pending[h.ID] = p
		}
	}
}
