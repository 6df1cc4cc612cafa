package pipeline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
	"discobot-hooks/internal/cond"
	"discobot-hooks/internal/safename"
	"discobot-hooks/internal/wording"
	"discobot-hooks/internal/yamlfile"
)

// The kinds of actions.
const (
	kindShell   = "shell"
	kindWebhook = "webhook"
	kindSpawn   = "spawn"
)

// What a failing action, or one that nobody answers, does to the pipeline.
const (
	onward = "continue"
	abort  = "abort"
	again  = "retry"
)

// definition is what a file says of one action.
type definition struct {
	kind    string
	line    int
	await   bool
	when    *cond.Expr // nil: always
	wrong   string     // what is wrong with when; then the action never runs
	written string     // when, as it is written
	timeout time.Duration

	onFailure string
	retries   int           // further attempts, where onFailure is again
	delay     time.Duration // between attempts

	command string    // of shell
	request request   // of webhook
	child   childSpec // of spawn
}

// attempts is how often the action is tried at most.
func (d definition) attempts() int {
	if d.onFailure == again {
		return d.retries + 1
	}
	return 1
}

// limit is the time that all attempts take at most.
func (d definition) limit() time.Duration {
	n := time.Duration(d.attempts())
	if d.kind != kindWebhook {
		return n*(d.timeout+killGrace) + (n-1)*d.delay
	}
	return d.timeout + killGrace // sending is within its timeout, with all attempts
}

// sendLimit is what one attempt to send can take.
func (d definition) sendLimit() time.Duration { return min(d.timeout, sendLimit) }

// killGrace is what ending a process can take beyond its time limit: run gives
// it five seconds between TERM and KILL.
const killGrace = 10 * time.Second

var topKeys = yamlfile.Keys{Known: []string{"name", "disable_global_hooks", "hooks"}, Foreign: true}

// point is a hook point with its actions.
type point struct {
	name    string
	actions []*yaml.Node
}

// points reads the keys of a file that are ours. Others, such as stages and
// termination, are somebody else's. What is wrong here leaves it open which
// hooks there are.
func (l *layer) points(file *yamlfile.File, path string) []point {
	root, ok := file.Read(path, l.named, maxFileBytes)
	if !ok {
		return nil
	}
	if root.Kind != yaml.MappingNode {
		file.Errorf(root.Line, "not a %s file: write hooks: with the hook points below it", l.kind)
		return nil
	}
	top := file.Mapping("", root, topKeys)
	if name := top.Value("name"); name != nil && safename.Is(name.Value, 60) {
		l.name = name.Value
	}
	l.disableGlobal = top.Boolean("disable_global_hooks", false)
	node := top.Value("hooks")
	if node == nil {
		return nil
	}
	hooks, ok := file.Resolve(node)
	if ok && hooks.Kind != yaml.MappingNode {
		file.Errorf(hooks.Line, "hooks is %s: write the hook points below it, such as on_stage_complete: with a list of actions", yamlfile.Kind(hooks))
	}
	if file.Broken() {
		return nil
	}
	return pointsOf(file, hooks)
}

func pointsOf(file *yamlfile.File, hooks *yaml.Node) []point {
	var points []point
	seen := make(map[string]bool)
	for i := 0; i+1 < len(hooks.Content); i += 2 {
		name, list := hooks.Content[i], hooks.Content[i+1]
		switch {
		case !slices.Contains(Points, name.Value):
			file.Add(name.Line, hook.Error, "there is no hook point %s: write %s", wording.Quote(name.Value), nearestPoint(name.Value)) // breaks nothing: no event is of that name
		case seen[name.Value]:
			file.Errorf(name.Line, "%s is here a second time: put all its actions into one list", name.Value)
		case list.ShortTag() == "!!null":
		case list.Kind != yaml.SequenceNode:
			file.Errorf(list.Line, "%s is %s: write a list of actions, each such as - type: shell", name.Value, yamlfile.Kind(list))
		default:
			points = append(points, point{name.Value, list.Content})
		}
		seen[name.Value] = true
	}
	return points
}

func nearestPoint(name string) string {
	if near, ok := wording.Nearest(name, Points); ok {
		return near
	}
	return strings.Join(Points, ", ")
}

// readPoint reads the actions of one hook point. A wrong one is told, and the
// others are hooks.
func (f *Format) readPoint(l *layer, file *yamlfile.File, p point) []dialect.Hook {
	var hooks []dialect.Hook
	for i, item := range p.actions {
		d, ok := readDefinition(file, item, p.name)
		if !ok {
			continue
		}
		id := fmt.Sprintf("%s-%s-%d", l.title(), p.name, i+1)
		hooks = append(hooks, &listed{format: f, definition: d, info: dialect.Info{
			Hook: hook.Hook{
				ID: fileName(id), Name: id, Dialect: Name, Event: hook.Event(p.name), File: l.shown,
				Action: hook.Action{RunAs: hook.AsUser, Timeout: d.timeout},
			},
			Kind: d.kind, Line: d.line, Command: d.describe(), Limit: d.limit(),
		}})
	}
	return hooks
}

// Defaults of the document's tables.
var defaults = map[string]struct {
	await   bool
	timeout time.Duration
	retries int
}{
	kindShell:   {false, 300 * time.Second, 3},
	kindWebhook: {false, 3600 * time.Second, 3},
	kindSpawn:   {true, 3600 * time.Second, 0},
}

var kindKeys = map[string][]string{
	kindShell:   {"command"},
	kindWebhook: {"url", "method", "headers", "body", "callback_port", "on_timeout"},
	kindSpawn:   {"pipeline", "inputs"},
}

var commonKeys = []string{"type", "await", "when", "timeout", "on_failure", "retries", "retry_delay"}

// readDefinition reads one item of a list; when it is not ok, a problem says
// why.
func readDefinition(file *yamlfile.File, n *yaml.Node, point string) (definition, bool) {
	if n.Kind != yaml.MappingNode {
		file.Errorf(n.Line, "%s has %s as an action: write - type: shell, webhook or spawn", point, yamlfile.Kind(n))
		return definition{}, false
	}
	before := file.Errors()
	kind := kindOf(n)
	if _, ok := kindKeys[kind]; !ok {
		is := "is missing"
		if kind != "" {
			is = "is " + wording.Quote(kind)
		}
		file.Errorf(n.Line, "type %s: write type: shell, webhook or spawn", is)
		return definition{}, false
	}
	in := file.Mapping("", n, yamlfile.Keys{Known: append(slices.Clone(commonKeys), kindKeys[kind]...), Elsewhere: elsewhere(kind)})
	d := common(in, kind, n.Line)
	switch kind {
	case kindShell:
		d.command = required(in, "command", "./scripts/check.sh")
	case kindWebhook:
		d.request = readRequest(in)
	case kindSpawn:
		d.child = childOf(in)
	}
	lint(in, d)
	return d, file.Errors() == before
}

// kindOf is the type of an action, by which its other keys are known.
func kindOf(n *yaml.Node) string {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "type" {
			return n.Content[i+1].Value
		}
	}
	return ""
}

// elsewhere are names that people know for the keys of a kind.
func elsewhere(kind string) map[string]string {
	names := map[string]string{"condition": "when", "if": "when", "wait": "await", "delay": "retry_delay", "retry": "retries"}
	switch kind {
	case kindShell:
		names["run"], names["script"], names["cmd"] = "command", "command", "command"
	case kindWebhook:
		names["port"], names["json"], names["payload"], names["uri"] = "callback_port", "body", "body", "url"
	case kindSpawn:
		names["input"], names["name"] = "inputs", "pipeline"
	}
	return names
}

// common reads the keys that all kinds have.
func common(in yamlfile.Mapping, kind string, line int) definition {
	standard := defaults[kind]
	d := definition{
		kind: kind, line: line,
		await:     in.Boolean("await", standard.await),
		timeout:   seconds(in, "timeout", standard.timeout, maxTimeout),
		onFailure: oneOf(in, "on_failure", onward, abort, again),
		retries:   whole(in, "retries", standard.retries, 100),
		delay:     seconds(in, "retry_delay", 5*time.Second, time.Hour),
	}
	d.written = in.Text("when")
	d.when, d.wrong = condition(in)
	return d
}

// condition reads when. A wrong one is an error of the file, but the hook
// stays, to be skipped: the pipeline goes on, and says so.
func condition(in yamlfile.Mapping) (*cond.Expr, string) {
	n := in.Value("when")
	if n == nil {
		return nil, ""
	}
	expr, err := cond.Parse(in.Text("when"), seventeen)
	if err != nil {
		in.Add(n.Line, hook.Error, "when: %v", err) // breaks nothing: the hook is told of at each event
		return nil, err.Error()
	}
	return expr, ""
}
