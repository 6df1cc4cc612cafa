package registry

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"discobot-hooks/internal/safename"
	"discobot-hooks/internal/wording"
)

const (
	kindScript = "script"
	maxIDBytes = 120 // room for more in a file name
)

// definition is what one file says.
type definition struct {
	line         int // where it starts
	id           string
	events       []string
	enabled      bool
	summary      string
	match        match
	environments []string // none: all
	command      string
	blocking     bool
	timeout      time.Duration
}

// definition reads the keys of a file.
func (f *file) definition(root *yaml.Node) definition {
	// effects are for whoever reads the file.
	in := f.mapping("", root, "id", "event_type", "enabled", "summary", "match", "environments", "handler", "effects", "blocking", "timeout")
	d := definition{
		line:         root.Line,
		id:           in.id(),
		events:       in.events(),
		enabled:      in.boolean("enabled", true),
		summary:      strings.TrimSpace(in.text("summary")),
		match:        in.mappingAt("match", "ability_scope", "operation_key", "min_duration_ms", "only_if_changed_paths").match(),
		environments: values(in.texts("environments")),
		command:      in.mappingAt("handler", "kind", "command").command(),
		blocking:     in.boolean("blocking", false),
		timeout:      in.timeout(),
	}
	if d.blocking && slices.Equal(d.events, []string{postAbilityCall}) {
		f.warnf(in.keys["blocking"], "blocking does nothing for %s, when all has happened: take it out", postAbilityCall)
	}
	return d
}

// off says why the hook runs for no event at all.
func (d definition) off(environment string) string {
	switch {
	case !d.enabled:
		return "disabled (enabled: false)"
	case len(d.environments) == 0 || slices.Contains(d.environments, environment):
		return ""
	}
	here := "none is named"
	if environment != "" {
		here = "this is " + environment
	}
	return fmt.Sprintf("only for environments %s; %s", strings.Join(d.environments, ", "), here)
}

func (m mapping) id() string {
	id := m.text("id")
	switch {
	case m.values["id"] == nil:
		m.errorf(m.line, "no id: write id: NAME")
	case !safename.Is(id, maxIDBytes):
		m.wrong("id", " is %s: write 120 letters, digits, dots, hyphens and underscores at most, a letter or digit first", show(m.values["id"]))
	}
	return id
}

func (m mapping) events() []string {
	six := strings.Join(Events, ", ")
	if m.values["event_type"] == nil {
		m.errorf(m.line, "no event_type: write one of %s", six)
	}
	var events []string
	for _, item := range m.texts("event_type") {
		switch {
		case !slices.Contains(Events, item.Value):
			m.errorf(item.Line, "unknown event_type %s: write one of %s", wording.Quote(item.Value), six)
		case slices.Contains(events, item.Value):
			m.warnf(item.Line, "event_type names %s a second time: take one out", item.Value)
		default:
			events = append(events, item.Value)
		}
	}
	return events
}

// command reads the handler.
func (m mapping) command() string {
	kind := m.text("kind")
	if kind != "" && kind != kindScript {
		m.wrong("kind", " is %s: write script, the only kind there is", wording.Quote(kind))
	}
	command := m.text("command")
	if strings.TrimSpace(command) == "" {
		if n := m.values["command"]; m.keys != nil && (n == nil || n.Kind == yaml.ScalarNode) {
			m.wrong("command", " is missing: write what to run, such as command: ./scripts/hooks/check.sh")
		}
		return ""
	}
	m.checkScript(command)
	return command
}

func (m mapping) timeout() time.Duration {
	if m.values["timeout"] == nil {
		return DefaultTimeout
	}
	d, err := wording.TimeLimit(m.text("timeout"))
	if err != nil {
		m.wrong("timeout", ": %v", err)
	}
	return d
}

func values(items []*yaml.Node) []string {
	var out []string
	for _, item := range items {
		out = append(out, item.Value)
	}
	return out
}
