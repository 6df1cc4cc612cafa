package autoagent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
	"discobot-hooks/internal/wording"
)

// A loader turns one file into hooks and problems.
type loader struct {
	*config
	set    *dialect.Set
	format *Format
}

func (l *loader) warn(v hujson.Value, format string, args ...any) {
	l.report(hook.Warning, v, fmt.Sprintf(format, args...))
}

func (l *loader) report(severity hook.Severity, v hujson.Value, message string) {
	line, _ := l.position(v.StartOffset)
	l.set.Problems = append(l.set.Problems, hook.Problem{File: l.file, Line: line, Severity: severity, Message: message})
}

// removedKeys warns of the switches that hooks have replaced.
func (l *loader) removedKeys() {
	for _, removed := range []struct{ key, command string }{
		{"gitAutoCommit", "set-auto-commit"}, {"gitAutoPush", "set-auto-push"},
	} {
		m, ok := l.member(removed.key)
		switch {
		case !ok:
		case m.Value.Value.Kind() == 't':
			l.warn(m.Name, "%s was removed and does nothing: take it out and run discobot-hooks config %s true", removed.key, removed.command)
		default:
			l.warn(m.Name, "%s was removed and does nothing: take it out", removed.key)
		}
	}
}

// replaces warns that the home's hooks do not run, since this file has some,
// or an empty object in their place.
func (l *loader) replaces(global *config) {
	theirs, ok := global.member("hooks")
	if hooks, isObject := theirs.Value.Value.(*hujson.Object); !ok || !isObject || len(hooks.Members) == 0 {
		return
	}
	if ours, ok := l.member("hooks"); ok {
		l.warn(ours.Name, "these replace the hooks of %s, which do not run: copy here what you need of them", global.file)
	}
}

// points reads the `hooks` object.
func (l *loader) points() {
	m, ok := l.member("hooks")
	if !ok || isNull(m.Value) {
		return
	}
	object, ok := m.Value.Value.(*hujson.Object)
	if !ok {
		l.report(hook.Error, m.Value, `hooks is not an object: write {"PostExecutionEnd": [{"type": "command", "command": "…"}]}`)
		return
	}
	for _, point := range l.members(object) {
		switch name := key(point); {
		case slices.Contains(neverFired, name):
			l.warn(point.Name, "%s is accepted, but never fired: put its hooks under PostExecutionEnd, around git-commit", name)
			l.hooks(point)
		case isPoint(name):
			l.hooks(point)
		default:
			l.warn(point.Name, "there is no hook point %s: it can be %s", wording.Quote(name), strings.Join(Points, ", "))
		}
	}
}

// members are those of an object, each name once.
func (l *loader) members(object *hujson.Object) []hujson.ObjectMember {
	last := make(map[string]int)
	for i, m := range object.Members {
		last[key(m)] = i
	}
	var out []hujson.ObjectMember
	for i, m := range object.Members {
		if last[key(m)] == i {
			out = append(out, m)
		} else {
			l.warn(m.Name, "%s is there a second time, which is the one that counts: take this one out", wording.Quote(key(m)))
		}
	}
	return out
}

// hooks reads the list of one point.
func (l *loader) hooks(point hujson.ObjectMember) {
	name := key(point)
	if isNull(point.Value) {
		return
	}
	list, ok := point.Value.Value.(*hujson.Array)
	if !ok {
		l.report(hook.Error, point.Value, fmt.Sprintf(`%s is not a list: write "%s": [{"type": "command", "command": "…"}]`, name, name))
		return
	}
	var entries []*entry
	for i, element := range list.Elements {
		object, ok := element.Value.(*hujson.Object)
		if !ok {
			l.report(hook.Error, element, fmt.Sprintf(`%s: hook %d is not an object: write {"type": "command", "command": "…"}`, name, i+1))
			continue
		}
		entries = append(entries, l.entry(name, i+1, element, object))
	}
	for _, e := range l.pushAfterCommit(entries) {
		l.set.Hooks = append(l.set.Hooks, e)
	}
}

// pushAfterCommit moves each git-push that stands before the first git-commit
// behind it. Hooks run in the order in which they are written but for this: a
// push there would leave out the very commit that it is for, and whoever used
// set-auto-push of an AutoAgent before set-auto-commit has them that way round.
func (l *loader) pushAfterCommit(entries []*entry) []*entry {
	commit := slices.IndexFunc(entries, func(e *entry) bool { return e.info.Kind == gitCommit })
	if commit < 0 {
		return entries
	}
	var before, pushes []*entry
	for _, e := range entries[:commit] {
		if e.info.Kind == gitPush {
			pushes = append(pushes, e)
			l.warn(e.at, "git-push stands before git-commit, and runs after it: write it behind git-commit")
		} else {
			before = append(before, e)
		}
	}
	return slices.Concat(before, entries[commit:commit+1], pushes, entries[commit+1:])
}
