package advice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
)

// List reads all open advice, hooks and guidance, in the order in which hooks
// run. Where o names an agent, by Agent or Actor, it is only what reaches that
// agent. The problems are those of the whole file.
func List(o Options) ([]Advice, []hook.Problem, error) {
	found, err := load(o)
	if err != nil {
		return nil, nil, err
	}
	agent := cmp.Or(o.Agent, o.Actor)
	subscriptions := Subscriptions(agent, o.Subscribe)
	var list []Advice
	for _, a := range found.open {
		if agent == "" || Reaches(a.Labels, subscriptions) {
			list = append(list, *a)
		}
	}
	return list, found.problems, nil
}

// String is the advice in two lines, without a newline at the end:
//
//	bd-abc123 · Always run tests [before-commit: make test] (block)
//	Target: beads/polecat
func (a Advice) String() string {
	return fmt.Sprintf("  %s · %s%s\n  Target: %s", plaintext.Line(a.ID), a.name(), a.action(), plaintext.Line(a.target()))
}

func (a Advice) action() string {
	if a.HookCommand == "" {
		return ""
	}
	trigger := cmp.Or(a.HookTrigger, "no trigger")
	onFailure := cmp.Or(a.HookOnFailure, AdviceHookOnFailureWarn)
	return fmt.Sprintf(" [%s: %s] (%s)", plaintext.Line(trigger), plaintext.Line(a.HookCommand), plaintext.Line(onFailure))
}

// target words the labels: rig/role, then agents, then all others as they
// are. Several of one dimension are joined by commas.
func (a Advice) target() string {
	t := targetOf(a.Labels)
	rig, role, agent := t.names("rig"), t.names("role"), t.names("agent")
	var parts []string
	switch {
	case rig != "" && role != "":
		parts = append(parts, rig+"/"+role)
	case role != "":
		parts = append(parts, "*/"+role)
	case rig != "":
		parts = append(parts, rig)
	}
	if agent != "" {
		parts = append(parts, agent)
	}
	for _, label := range a.Labels {
		if label != "" && !slices.Contains(t.dimensions[prefixOf(label)], label) {
			parts = append(parts, label)
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "nobody: it has no labels")
}

// names are the values of a dimension.
func (t target) names(dimension string) string {
	var names []string
	for _, label := range t.dimensions[dimension] {
		names = append(names, strings.TrimPrefix(label, dimension+":"))
	}
	return strings.Join(names, ",")
}

func prefixOf(label string) string {
	prefix, _, _ := strings.Cut(label, ":")
	return prefix
}
