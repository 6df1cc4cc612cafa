package registry

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"discobot-hooks/hook"
	"discobot-hooks/internal/pattern"
	"discobot-hooks/internal/wording"
)

// match says for which contexts a hook runs: where all of it holds. The zero
// value holds for every one.
type match struct {
	ability, operation *pattern.Matcher // nil: any, or none at all
	paths              *pattern.Matcher // nil: whatever has changed
	minDuration        float64          // milliseconds
}

func (m mapping) match() match {
	return match{
		ability:     m.names("ability_scope"),
		operation:   m.names("operation_key"),
		paths:       m.compile("only_if_changed_paths", m.Texts("only_if_changed_paths")),
		minDuration: m.Count("min_duration_ms"),
	}
}

// names reads patterns of identifiers: `*` is also for a context without any.
func (m mapping) names(key string) *pattern.Matcher {
	items := m.Texts(key)
	matcher := m.compile(key, items)
	all := false
	for _, item := range items {
		if strings.HasPrefix(item.Value, "!") {
			return matcher
		}
		all = all || item.Value == "*" || item.Value == "**"
	}
	if all {
		return nil
	}
	return matcher
}

// compile makes a matcher of patterns; nil where there are none, or wrong
// ones.
func (m mapping) compile(key string, items []*yaml.Node) *pattern.Matcher {
	if len(items) > pattern.MaxItems {
		m.Wrong(key, " has more than %d items: write fewer, with * and {a,b}", pattern.MaxItems)
		return nil
	}
	bad := false
	for _, item := range items {
		if err := pattern.Check(item.Value); err != nil {
			m.Errorf(item.Line, "%s %s: %v", m.Name(key), wording.Quote(item.Value), err)
			bad = true
		}
	}
	if bad || len(items) == 0 {
		return nil
	}
	matcher, err := pattern.CompileAll(hook.Match{Patterns: values(items)})
	if err != nil {
		m.Wrong(key, ": %v", err)
	}
	return matcher
}

// unmet says which condition does not hold; empty: all do.
func (m match) unmet(data map[string]any, workspace string) string {
	for _, reason := range []string{
		unmetName(m.ability, data, "ability_id", "ability_scope"),
		unmetName(m.operation, data, "operation_key", "operation_key"),
		m.unmetDuration(data["duration_ms"]),
		m.unmetPaths(data["changed_files"], workspace),
	} {
		if reason != "" {
			return reason
		}
	}
	return ""
}

func unmetName(wanted *pattern.Matcher, data map[string]any, field, condition string) string {
	if wanted == nil {
		return ""
	}
	id, _ := data[field].(string)
	switch {
	case id == "":
		return "no " + field
	case !wanted.Match(id):
		return fmt.Sprintf("%s %s is not in %s", field, wording.Quote(id), condition)
	}
	return ""
}

func (m match) unmetDuration(value any) string {
	if m.minDuration == 0 {
		return ""
	}
	ran, ok := number(value)
	switch {
	case !ok:
		return "no duration_ms"
	case ran < m.minDuration:
		return fmt.Sprintf("%v ms, less than min_duration_ms: %v", ran, m.minDuration)
	}
	return ""
}

func (m match) unmetPaths(value any, workspace string) string {
	if m.paths == nil {
		return ""
	}
	files, _ := value.([]any)
	if one, ok := value.(string); ok {
		files = []any{one}
	}
	if len(files) == 0 {
		return "no changed_files"
	}
	real, err := filepath.EvalSymlinks(workspace)
	if err != nil {
		real = workspace
	}
	for _, file := range files {
		name, _ := file.(string)
		if name == "" {
			continue
		}
		// Some orchestrators name files absolutely, by whichever name.
		name = strings.TrimPrefix(strings.TrimPrefix(path.Clean(name), workspace+"/"), real+"/")
		if m.paths.Match(name) {
			return ""
		}
	}
	return "no changed file is in only_if_changed_paths"
}

// number is what a JSON value stands for, if it is one.
func number(value any) (float64, bool) {
	n, ok := value.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64() // too large for one is an error
	return f, err == nil
}
