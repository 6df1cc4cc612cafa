package registry

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"discobot-hooks/internal/safename"
	"discobot-hooks/internal/wording"
	"discobot-hooks/internal/yamlfile"
)

const (
	kindScript = "script"
	maxIDBytes = 120 // room for more in a file name

	maxFileBytes = 64 << 10
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

// The keys of a definition and of what is nested in it. effects are for whoever
// reads the file.
var (
	definitionKeys = keys("id", "event_type", "enabled", "summary", "match", "environments", "handler", "effects", "blocking", "timeout")
	matchKeys      = keys("ability_scope", "operation_key", "min_duration_ms", "only_if_changed_paths")
	handlerKeys    = keys("kind", "command")
)

// keys are known, and what people call them elsewhere.
func keys(known ...string) yamlfile.Keys {
	return yamlfile.Keys{Known: known, Elsewhere: map[string]string{
		"description": "summary", "event": "event_type", "events": "event_type", "env": "environments", "name": "id",
		"run": "handler", "script": "handler", "type": "kind",
	}}
}

// mapping is one of a definition's.
type mapping struct {
	yamlfile.Mapping
	workspace string
}

func (m mapping) at(key string, keys yamlfile.Keys) mapping {
	return mapping{m.MappingAt(key, keys), m.workspace}
}

// parse makes the definition of a file's one value; when it is not ok, a
// problem says why.
func parse(f *yamlfile.File, root *yaml.Node, workspace string) (definition, bool) {
	if !f.Plain(root) {
		return definition{}, false
	}
	if root.Kind != yaml.MappingNode {
		f.Errorf(root.Line, "not a hook: write lines such as id: NAME")
		return definition{}, false
	}
	d := mapping{f.Mapping("", root, definitionKeys), workspace}.definition(root.Line)
	return d, !f.Broken()
}

// definition reads the keys of a file.
func (in mapping) definition(line int) definition {
	d := definition{
		line:         line,
		id:           in.id(),
		events:       in.events(),
		enabled:      in.Boolean("enabled", true),
		summary:      strings.TrimSpace(in.Text("summary")),
		match:        in.at("match", matchKeys).match(),
		environments: values(in.Texts("environments")),
		command:      in.at("handler", handlerKeys).command(),
		blocking:     in.Boolean("blocking", false),
		timeout:      in.timeout(),
	}
	if d.blocking && slices.Equal(d.events, []string{postAbilityCall}) {
		in.Warnf(in.LineOf("blocking"), "blocking does nothing for %s, when all has happened: take it out", postAbilityCall)
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
	id := m.Text("id")
	switch {
	case m.Value("id") == nil:
		m.Errorf(m.Line(), "no id: write id: NAME")
	case !safename.Is(id, maxIDBytes):
		m.Wrong("id", " is %s: write 120 letters, digits, dots, hyphens and underscores at most, a letter or digit first", yamlfile.Show(m.Value("id")))
	}
	return id
}

func (m mapping) events() []string {
	six := strings.Join(Events, ", ")
	if m.Value("event_type") == nil {
		m.Errorf(m.Line(), "no event_type: write one of %s", six)
	}
	var events []string
	for _, item := range m.Texts("event_type") {
		switch {
		case !slices.Contains(Events, item.Value):
			m.Errorf(item.Line, "unknown event_type %s: write one of %s", wording.Quote(item.Value), six)
		case slices.Contains(events, item.Value):
			m.Warnf(item.Line, "event_type names %s a second time: take one out", item.Value)
		default:
			events = append(events, item.Value)
		}
	}
	return events
}

// command reads the handler.
func (m mapping) command() string {
	kind := m.Text("kind")
	if kind != "" && kind != kindScript {
		m.Wrong("kind", " is %s: write script, the only kind there is", wording.Quote(kind))
	}
	command := m.Text("command")
	if strings.TrimSpace(command) == "" {
		if n := m.Value("command"); m.Is() && (n == nil || n.Kind == yaml.ScalarNode) {
			m.Wrong("command", " is missing: write what to run, such as command: ./scripts/hooks/check.sh")
		}
		return ""
	}
	m.checkScript(command)
	return command
}

func (m mapping) timeout() time.Duration {
	if m.Value("timeout") == nil {
		return DefaultTimeout
	}
	d, err := wording.TimeLimit(m.Text("timeout"))
	if err != nil {
		m.Wrong("timeout", ": %v", err)
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
