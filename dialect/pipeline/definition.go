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
	if d.kind == kindWebhook { // its timeout is for the answer
		return d.timeout + n*sendLimit + (n-1)*d.delay
	}
	return n*(d.timeout+killGrace) + (n-1)*d.delay
}

// killGrace is what ending a process can take beyond its time limit: run gives
// it five seconds between TERM and KILL.
const killGrace = 10 * time.Second

var topKeys = yamlfile.Keys{Known: []string{"name", "disable_global_hooks", "hooks"}, Foreign: true}

// define reads the keys of a file that are ours. Others, such as stages and
// termination, are somebody else's.
func (f *Format) define(l *layer, file *yamlfile.File, root *yaml.Node) {
	top := file.Mapping("", root, topKeys)
	if name := top.Value("name"); name != nil && safename.Is(name.Value, 60) {
		l.name = name.Value
	}
	l.disableGlobal = top.Boolean("disable_global_hooks", false)
	node := top.Value("hooks")
	if node == nil {
		return
	}
	hooks, ok := file.Resolve(node)
	if !ok {
		return
	}
	if hooks.Kind != yaml.MappingNode {
		file.Errorf(hooks.Line, "hooks is %s: write the hook points below it, such as on_stage_complete: with a list of actions", yamlfile.Kind(hooks))
		return
	}
	for i := 0; i+1 < len(hooks.Content); i += 2 {
		f.point(l, file, hooks.Content[i], hooks.Content[i+1])
	}
}

// point reads the actions of one hook point.
func (f *Format) point(l *layer, file *yamlfile.File, name, list *yaml.Node) {
	switch {
	case !slices.Contains(Points, name.Value):
		instead := strings.Join(Points, ", ")
		if near, ok := wording.Nearest(name.Value, Points); ok {
			instead = near
		}
		file.Errorf(name.Line, "there is no hook point %s: write %s", wording.Quote(name.Value), instead)
		return
	case list.ShortTag() == "!!null":
		return
	case list.Kind != yaml.SequenceNode:
		file.Errorf(list.Line, "%s is %s: write a list of actions, each such as - type: shell", name.Value, yamlfile.Kind(list))
		return
	}
	for i, item := range list.Content {
		d, ok := f.action(file, item, name.Value)
		if !ok {
			continue
		}
		id := fmt.Sprintf("%s-%s-%d", l.title(), name.Value, i+1)
		l.hooks = append(l.hooks, &action{format: f, definition: d, info: dialect.Info{
			Hook: hook.Hook{
				ID: fileName(id), Name: id, Dialect: Name, Event: hook.Event(name.Value), File: l.shown,
				Action: hook.Action{RunAs: hook.AsUser, Timeout: d.timeout},
			},
			Kind: d.kind, Line: d.line, Command: d.describe(), Limit: d.limit(),
		}})
	}
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

// action reads one item of a list; when it is not ok, a problem says why.
func (f *Format) action(file *yamlfile.File, n *yaml.Node, point string) (definition, bool) {
	if n.Kind != yaml.MappingNode {
		file.Errorf(n.Line, "%s has %s as an action: write - type: shell, webhook or spawn", point, yamlfile.Kind(n))
		return definition{}, false
	}
	before := file.Errors()
	known := slices.Concat(commonKeys, slices.Concat(kindKeys[kindShell], kindKeys[kindWebhook], kindKeys[kindSpawn]))
	kind := file.Mapping("", n, yamlfile.Keys{Known: known, Foreign: true}).Text("type")
	if _, ok := kindKeys[kind]; !ok {
		file.Errorf(n.Line, "type is %s: write shell, webhook or spawn", wording.Quote(kind))
		return definition{}, false
	}
	in := file.Mapping("", n, yamlfile.Keys{Known: append(slices.Clone(commonKeys), kindKeys[kind]...), Elsewhere: elsewhere(kind)})
	d := f.common(in, kind, n.Line)
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
func (f *Format) common(in yamlfile.Mapping, kind string, line int) definition {
	standard := defaults[kind]
	d := definition{
		kind: kind, line: line,
		await:     in.Boolean("await", standard.await),
		timeout:   seconds(in, "timeout", standard.timeout, maxTimeout),
		onFailure: oneOf(in, "on_failure", onward, abort, again),
		retries:   whole(in, "retries", standard.retries, 100),
		delay:     seconds(in, "retry_delay", 5*time.Second, time.Hour),
	}
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
	expr, err := cond.Parse(in.Text("when"), variables)
	if err != nil {
		in.Add(n.Line, hook.Error, "when: %v", err) // breaks nothing: the hook is told of at each event
		return nil, err.Error()
	}
	return expr, ""
}
