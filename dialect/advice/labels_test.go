package advice

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSubscriptions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		agent string
		extra []string
		want  []string
	}{
		{"1a.9 the document's", polecat, nil, []string{"global", "agent:" + polecat, "rig:beads", "role:polecats", "role:polecat"}},
		{"1a.9 no plural", "beads/crew/joe", nil, []string{"global", "agent:beads/crew/joe", "rig:beads", "role:crew"}},
		{"1a.9 one word", "mayor", nil, []string{"global", "agent:mayor", "rig:mayor"}},
		{"1a.9 explicit ones", "mayor", []string{"testing", "", "global"}, []string{"global", "agent:mayor", "rig:mayor", "testing"}},
		{"1a.9 empty parts", "//x", nil, []string{"global", "agent://x"}},
		{"1a.9 role of one s", "a/s/x", nil, []string{"global", "agent:a/s/x", "rig:a", "role:s"}},
		{"nobody", "", nil, []string{"global"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, Subscriptions(test.agent, test.extra)); diff != "" {
				t.Errorf("Subscriptions(%q) mismatch (-want +got):\n%s", test.agent, diff)
			}
		})
	}
}

func TestReaches(t *testing.T) {
	t.Parallel()
	const onyx, joe = "gastown/polecats/onyx", "beads/crew/joe"
	for _, test := range []struct {
		name   string
		labels string // separated by spaces
		agent  string
		extra  string
		want   bool
	}{
		{"1a.10 no labels", "", polecat, "", false},
		{"1a.10 global", "global", polecat, "", true},
		{"1a.10 contradiction a: one rig of two", "rig:beads rig:gastown", polecat, "", true},
		{"1a.10 contradiction a: the other", "rig:beads rig:gastown", onyx, "", true},
		{"1a.10 contradiction a: neither", "rig:beads rig:gastown", "mayor", "", false},
		{"1a.10 contradiction b: the example's polecat", "rig:beads role:polecat", polecat, "", true},
		{"1a.10 contradiction b: not all of beads", "rig:beads role:polecat", joe, "", false},
		{"1a.10 contradiction b: not all polecats", "rig:beads role:polecat", onyx, "", false},
		{"1a.10 role as written", "role:polecats", polecat, "", true},
		{"1a.10 agent", "agent:" + polecat, polecat, "", true},
		{"1a.10 agent of another", "agent:" + onyx, polecat, "", false},
		{"1a.10 agent and another's rig", "agent:" + polecat + " rig:gastown", polecat, "", false},
		{"1a.10 plain, none subscribed", "testing go", polecat, "", false},
		{"1a.10 plain, one subscribed", "testing go", polecat, "go", true},
		{"1a.10 plain do not narrow a dimension", "rig:beads testing", polecat, "", true},
		{"1a.10 plain do not widen a dimension", "rig:beads testing", onyx, "testing", false},
		{"1a.10 global does not widen a dimension", "rig:beads global", onyx, "", false},
		{"1a.10 group in full", "g0:testing g0:go", polecat, "testing go", true},
		{"1a.10 group in part", "g0:testing g0:go", polecat, "go", false},
		{"1a.10 one group of two", "g0:testing g1:go", polecat, "go", true},
		{"1a.10 dimensions in a group", "g0:rig:beads g0:role:crew g1:rig:gastown", polecat, "", false},
		{"1a.10 dimensions in a group hold", "g0:rig:beads g0:role:crew g1:rig:gastown", onyx, "", true},
		{"1a.10 two of a dimension in a group", "g0:rig:beads g0:rig:gastown", polecat, "", false},
		{"1a.10 groups and a dimension", "rig:beads g1:go g2:testing", polecat, "go", true},
		{"1a.10 groups without their dimension", "rig:beads g1:go", onyx, "go", false},
		{"1a.10 a dimension without its groups", "rig:beads g1:go", polecat, "", false},
		{"1a.10 plain is no group beside a dimension", "rig:beads g1:go testing", polecat, "testing", false},
		{"1a.10 groups or plain", "g1:go testing", polecat, "testing", true},
		{"g07 and g7 are one", "g07:go g7:testing", polecat, "go", false},
		{"g and no number is plain", "g:go", polecat, "go", false},
		{"a group of nothing is plain", "g1:", polecat, "", false},
		{"case counts", "Rig:beads", polecat, "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			labels, subscriptions := strings.Fields(test.labels), Subscriptions(test.agent, strings.Fields(test.extra))
			if got := Reaches(labels, subscriptions); got != test.want {
				t.Errorf("Reaches(%q, %q) = %v", labels, subscriptions, got)
			}
		})
	}
}

// FuzzReaches has labels and subscriptions separated by spaces.
func FuzzReaches(f *testing.F) {
	f.Add("rig:beads role:polecat", "rig:beads", "role:polecat")
	f.Add("g0:rig:beads g0:x g1:y plain", "x rig:beads", "y")
	f.Add("g: g1: g01:: rig: :", "g:", "")
	f.Fuzz(func(t *testing.T, labels, subscribed, more string) {
		all, some := strings.Split(labels, " "), strings.Split(subscribed, " ")
		before := Reaches(all, some)
		if before && !Reaches(all, append(some, more)) {
			t.Errorf("Reaches(%q, %q) is true, and false with %q more", all, some, more)
		}
		shuffled := slices.Clone(all)
		slices.Reverse(shuffled)
		if Reaches(shuffled, some) != before {
			t.Errorf("Reaches(%q, %q) depends on the order", all, some)
		}
		if Reaches(nil, some) || Reaches(all, nil) {
			t.Error("nothing reaches somebody")
		}
		if Reaches(all, []string{""}) {
			t.Errorf("Reaches(%q) somebody without subscriptions", all)
		}
		_ = fmt.Sprint(Advice{Labels: all}, Subscriptions(labels, some))
	})
}
