package autoagent

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tailscale/hujson"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/shtemplate"
	"discobot-hooks/internal/wording"
)

// The types of hooks.
const (
	command   = "command"
	gitCommit = "git-commit"
	gitPush   = "git-push"
)

// keysOf are the keys of each type.
var keysOf = map[string][]string{
	command:   {"type", "command", "timeout", "blocking"},
	gitCommit: {"type", "message", "noVerify", "timeout", "blocking"},
	gitPush:   {"type", "remote", "branch", "timeout", "blocking"},
}

const (
	// maxTimeoutMS is the longest time that Node.js can wait for, which is
	// what the format was made for.
	maxTimeoutMS = 1<<31 - 1

	maxNameRunes = 60
)

// An entry is one hook of a list; see [dialect.Hook].
type entry struct {
	fields
	info    dialect.Info
	format  *Format
	refused string // why it cannot run; empty: it can
	at      hujson.Value
}

// fields are the values of a hook's keys.
type fields struct {
	typ, command, message, remote, branch string

	noVerify bool
	blocking bool // false: what would block is a mere failure
}

// entry reads the index-th hook of a point, counted from 1. A broken one is a
// hook too: it is refused when its event comes.
func (l *loader) entry(point string, index int, at hujson.Value, object *hujson.Object) *entry {
	line, _ := l.position(at.StartOffset)
	e := &entry{format: l.format, at: at, fields: fields{remote: "origin", branch: "current", blocking: true}}
	e.info = dialect.Info{Line: line, Hook: hook.Hook{
		ID: fmt.Sprintf("%s-%d", point, index), Dialect: name, Event: hook.Event(point), File: l.file,
		Action: hook.Action{Timeout: DefaultTimeout},
	}}
	if !isPoint(point) {
		e.info.Off = "never fired"
	}
	members := l.members(object)
	for _, m := range members {
		l.field(e, m)
	}
	l.complete(e, members)
	e.describe()
	return e
}

// field reads one key. Null is as good as none.
func (l *loader) field(e *entry, m hujson.ObjectMember) {
	if isNull(m.Value) {
		return
	}
	switch key(m) {
	case "type":
		l.text(e, m, &e.typ)
	case "command":
		l.text(e, m, &e.command)
	case "message":
		l.text(e, m, &e.message)
	case "remote":
		l.text(e, m, &e.remote)
	case "branch":
		l.text(e, m, &e.branch)
	case "noVerify":
		l.boolean(e, m, &e.noVerify)
	case "blocking":
		l.boolean(e, m, &e.blocking)
	case "timeout":
		l.timeout(e, m)
	}
}

func (l *loader) text(e *entry, m hujson.ObjectMember, to *string) {
	if m.Value.Value.Kind() != '"' {
		l.refuse(e, m.Value, "%s is not a string: put it in quotes", key(m))
		return
	}
	*to = m.Value.Value.(hujson.Literal).String()
}

func (l *loader) boolean(e *entry, m hujson.ObjectMember, to *bool) {
	kind := m.Value.Value.Kind()
	if kind != 't' && kind != 'f' {
		l.refuse(e, m.Value, "%s is neither true nor false: write one of them, without quotes", key(m))
		return
	}
	*to = kind == 't'
}

func (l *loader) timeout(e *entry, m hujson.ObjectMember) {
	literal, _ := m.Value.Value.(hujson.Literal)
	ms, err := strconv.ParseFloat(string(literal), 64) // a string's literal has quotes
	limit := time.Duration(ms * float64(time.Millisecond))
	if err != nil || ms > maxTimeoutMS || limit <= 0 {
		l.refuse(e, m.Value, "timeout is not a number of milliseconds from 1 to %d: write 60000 for one minute", maxTimeoutMS)
		return
	}
	if limit < time.Second {
		l.warn(m.Value, "timeout is in milliseconds, and this is %v: write 60000 for one minute", limit)
	}
	e.info.Action.Timeout = limit
}

// refuse reports what keeps a hook from running.
func (l *loader) refuse(e *entry, at hujson.Value, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	l.report(hook.Error, at, message)
	if e.refused == "" {
		e.refused = message
	}
}

// complete looks at the fields together.
func (l *loader) complete(e *entry, members []hujson.ObjectMember) {
	at := func(name string) hujson.Value {
		i := slices.IndexFunc(members, func(m hujson.ObjectMember) bool { return key(m) == name })
		if i < 0 {
			return e.at
		}
		return members[i].Value
	}
	keys, known := keysOf[e.typ]
	switch {
	case known:
	case e.typ == "" && e.refused == "":
		l.refuse(e, e.at, "hook has no type: write command, git-commit or git-push")
	case e.typ != "":
		e.refused = fmt.Sprintf("unknown hook type %s", wording.Quote(e.typ))
		l.warn(at("type"), "%s, which does nothing: write command, git-commit or git-push", e.refused)
	}
	for _, m := range members {
		if known && !slices.Contains(keys, key(m)) {
			l.warn(m.Name, "unknown key %s, which does nothing: a %s hook has %s", wording.Quote(key(m)), e.typ, strings.Join(keys, ", "))
		}
	}
	switch e.typ {
	case command:
		l.command(e, at("command"))
		return
	case gitPush:
		if e.branch != "current" {
			l.warn(at("branch"), `branch %s does nothing: the current branch is pushed; write "current"`, wording.Quote(e.branch))
		}
	case gitCommit:
	default:
		return
	}
	if e.info.Event != postExecutionEnd {
		l.refuse(e, at("type"), "%s is for PostExecutionEnd alone: move it there", e.typ)
	}
}

// command looks at the command and each {{name}} in it.
func (l *loader) command(e *entry, at hujson.Value) {
	if e.command == "" {
		if e.refused == "" {
			e.refused = "Hook error: Command hook missing command field"
		}
		l.report(hook.Error, at, `command hook has no command: write "command": "…"`)
		return
	}
	for _, spot := range shtemplate.Check(e.command) {
		message := fmt.Sprintf("command, line %d, column %d: %s", spot.Line, spot.Column, spot.Message)
		if spot.Severity == hook.Error {
			l.refuse(e, at, "%s", message)
		} else {
			l.warn(at, "%s", message)
		}
	}
}

// describe words the hook for people.
func (e *entry) describe() {
	e.info.Kind, e.info.Name = e.typ, e.typ
	switch e.typ {
	case command:
		e.info.Command = e.command
		e.info.Name = plaintext.Line(e.command)
		if runes := []rune(e.info.Name); len(runes) > maxNameRunes {
			e.info.Name = string(runes[:maxNameRunes])
		}
	case gitCommit:
		e.info.Command = "git add -A; git commit"
	case gitPush:
		e.info.Command = "git push " + e.remote
	}
	if e.info.Name == "" {
		e.info.Name = e.info.ID
	}
}

// Info implements [dialect.Hook].
func (e *entry) Info() dialect.Info { return e.info }

// Match implements [dialect.Hook]: the format has no conditions.
func (e *entry) Match(*dialect.Event) string { return "" }

// Prepare implements [dialect.Hook].
func (e *entry) Prepare(ev *dialect.Event) (dialect.Action, error) {
	if e.refused != "" {
		return nil, errors.New(e.refused)
	}
	data := e.format.input(ev)
	switch e.typ {
	case gitCommit:
		return newCommit(e.fields, data)
	case gitPush:
		return push{remote: e.remote}, nil
	}
	return e.prepareCommand(ev, data)
}

// Judge implements [dialect.Hook].
func (e *entry) Judge(_ *dialect.Event, o dialect.Outcome) dialect.Judgement {
	if e.typ == command {
		return e.judgeCommand(o)
	}
	return judgeBuiltin(o)
}
