package advice

import (
	"slices"
	"strings"
)

// dimensions are the kinds of labels that narrow whom an advice reaches.
var dimensions = [...]string{"rig", "role", "agent"}

// Subscriptions are the labels that an agent listens to: global, agent:ID
// and, where the id is like rig/role/name, rig:RIG, role:ROLE and role:ROLE
// without its final s; then extra. None stands twice.
func Subscriptions(agent string, extra []string) []string {
	all := []string{"global"}
	if agent != "" {
		parts := append(strings.Split(agent, "/"), "")
		all = append(all, "agent:"+agent, "rig:"+parts[0], "role:"+parts[1], "role:"+strings.TrimSuffix(parts[1], "s"))
	}
	var subscriptions []string
	for _, label := range append(all, extra...) {
		if label != "" && label != "rig:" && label != "role:" && !slices.Contains(subscriptions, label) {
			subscriptions = append(subscriptions, label)
		}
	}
	return subscriptions
}

// Reaches tells whether an advice with these labels is for an agent with
// these subscriptions. Design 2 leaves it open; the rules are:
//
//   - No labels: nobody.
//   - rig:, role: and agent: are dimensions. Each one that the labels have
//     must hold, and it holds where one of its labels is subscribed. So
//     [rig:beads, rig:gastown] reaches either rig, and [rig:beads,
//     role:polecat] the polecats of beads only.
//   - g1:, g2: … put labels into groups. A group holds where all its labels
//     are subscribed, dimensions or not; where there are groups, one must
//     hold, beside the dimensions that are in none.
//   - Any other label is plain. It only matters where there are no
//     dimensions outside of groups: there each plain label does as well as a
//     group, so that one subscribed label is enough.
//
// More subscriptions never reach less.
func Reaches(labels, subscriptions []string) bool {
	t := targetOf(labels)
	subscribed := func(label string) bool { return slices.Contains(subscriptions, label) }
	for _, labels := range t.dimensions {
		if !slices.ContainsFunc(labels, subscribed) {
			return false
		}
	}
	for _, labels := range t.groups {
		if !slices.ContainsFunc(labels, func(label string) bool { return !subscribed(label) }) {
			return true
		}
	}
	if len(t.dimensions) > 0 {
		return len(t.groups) == 0
	}
	return slices.ContainsFunc(t.plain, subscribed)
}

// A target is labels sorted by what they do.
type target struct {
	dimensions map[string][]string // by name, the labels whole
	groups     map[string][]string // by number, the labels without it
	plain      []string
}

func targetOf(labels []string) target {
	t := target{dimensions: map[string][]string{}, groups: map[string][]string{}}
	for _, label := range labels {
		prefix, rest, _ := strings.Cut(label, ":")
		switch number, grouped := groupNumber(prefix); {
		case label == "":
		case grouped && rest != "":
			t.groups[number] = append(t.groups[number], rest)
		case rest != "" && slices.Contains(dimensions[:], prefix):
			t.dimensions[prefix] = append(t.dimensions[prefix], label)
		default:
			t.plain = append(t.plain, label)
		}
	}
	return t
}

// groupNumber is the 7 of g7, without leading zeros.
func groupNumber(prefix string) (string, bool) {
	digits, ok := strings.CutPrefix(prefix, "g")
	if !ok || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return "", false
	}
	return strings.TrimLeft(digits, "0"), true
}
