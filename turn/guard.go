package turn

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"discobot-hooks/filewatch"
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

// next is the state that this evaluation will leave: a user's turn starts the
// count of re-prompts anew.
func (s state) next(scan *filewatch.Scan, turn Turn) state {
	if turn == ByUser || turn == Unknown && !s.Reprompted {
		s.Attempt = 0
	}
	origins := make(map[string]filewatch.Origin, len(s.Pending))
	for id, origin := range s.Pending {
		origins[id] = origin.Extend(scan)
	}
	s.Pending = origins
	s.fresh = scan.Origin
	s.Snapshot = &scan.Next
	return s
}

// keepOrigins remembers from where each pending hook's candidates count, and
// forgets the others'.
func (s *state) keepOrigins(pending []string) {
	for _, id := range pending {
		if _, known := s.Pending[id]; !known {
			s.Pending[id] = s.fresh
		}
	}
	maps.DeleteFunc(s.Pending, func(id string, _ filewatch.Origin) bool { return !slices.Contains(pending, id) })
}

func pendingIDs(origins map[string]filewatch.Origin) iter.Seq[string] { return maps.Keys(origins) }
