package frontmatter

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"discobot-hooks/hook"
	"discobot-hooks/internal/wording"
)

const (
	maxRetries = 100
)

// keys are those of a header. The events are those of the hooks that use the
// key; none: all do.
var keys = map[string][]hook.Event{
	"name": nil, "type": nil, "description": nil, "notify_llm": nil, "timeout": nil, "retries": nil,
	"run_as":   {hook.Session},
	"blocking": {hook.Session},
	"pass_env": {hook.Session},
	"pattern":  {hook.File, hook.PreCommit},
	"ignore":   {hook.File, hook.PreCommit},
}

// fields holds the values of a header by their keys.
type fields struct {
	*file
	values map[string]value
	lines  map[string]int
}

// fields makes the hook of a header.
func (f *file) fields(h header) {
	in := fields{f, map[string]value{}, map[string]int{}}
	for _, e := range f.entries(h.lines) {
		if e.key == "" {
			continue
		}
		if _, ok := keys[e.key]; !ok {
			f.warnf(e.line, "unknown key %s%s", e.key, didYouMean(e.key))
			continue
		}
		in.lines[e.key] = e.line
		if v, ok := f.value(e); ok {
			in.values[e.key] = v
		}
	}
	f.hook = hook.Hook{
		Name:        in.name(),
		Description: in.text("description"),
		Event:       in.event(h.line),
		File:        f.path(),
		NotifyLLM:   in.boolean("notify_llm", true),
		Action:      hook.Action{RunAs: in.runAs(), Timeout: in.timeout(), Retries: in.retries()},
	}
	in.forEvent(h.line)
}

// forEvent reads what only some events use, and warns of what this one does
// not.
func (in fields) forEvent(number int) {
	h := &in.hook
	switch h.Event {
	case hook.Session:
		h.Blocking, h.Action.PassEnv = in.boolean("blocking", true), in.passEnv()
		if h.Action.RunAs == hook.AsRoot {
			in.checkRoot()
		}
	case hook.File:
		h.Match, h.Action.RunAs = in.match(), hook.AsUser
		in.checkPresence(number)
	case hook.PreCommit:
		h.Match, h.Action.RunAs = in.match(), hook.AsUser
	case hook.PrepareCommitMsg, hook.CommitMsg, hook.PostCommit, hook.PostMerge, hook.PostCheckout, hook.PrePush:
		h.Action.RunAs = hook.AsUser
	default: // for what is wrong with them
		in.boolean("blocking", true)
		in.passEnv()
		in.match()
		return
	}
	for key, number := range in.lines {
		if events := keys[key]; events != nil && !slices.Contains(events, h.Event) {
			in.warnf(number, "%s is not for type: %s and does nothing here: take it out", key, h.Event)
		}
	}
}

// checkRoot keeps what anyone else could swap from running as root.
func (in fields) checkRoot() {
	if in.linked {
		in.errorf(in.lines["run_as"], "run_as: root, but reached through a symbolic link: put the file itself in %s", hook.Dir)
	}
	if in.mode.Perm()&0o002 != 0 {
		in.errorf(in.lines["run_as"], "run_as: root, but everyone may write the file: run chmod o-w %s", wording.ShellWord(in.path()))
	}
}

func (in fields) checkPresence(number int) {
	if _, ok := in.lines["pattern"]; !ok {
		in.errorf(number, `no pattern: write which files the hook is for, such as pattern: "*.go"`)
	}
}

func (in fields) event(number int) hook.Event {
	s, ok := in.scalar("type")
	if !ok {
		if _, there := in.lines["type"]; !there {
			in.errorf(number, "no type: write type: session, type: file or type: pre-commit")
		}
		return ""
	}
	if e := hook.Event(s.text); slices.Contains(hook.Events(), e) {
		return e
	}
	in.errorf(s.line, "unknown type %s: write %s%s", wording.Quote(s.text), eventNames(), commentHint(s))
	return ""
}

func eventNames() string {
	var names []string
	for _, e := range hook.Events() {
		names = append(names, string(e))
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func (in fields) name() string {
	name := strings.TrimSpace(in.text("name"))
	if strings.ContainsFunc(name, unicode.IsControl) {
		in.errorf(in.lines["name"], "name has control characters: write one line of plain text")
	}
	if name == "" {
		return in.file.name
	}
	return name
}

func (in fields) runAs() hook.RunAs {
	s, ok := in.scalar("run_as")
	if !ok {
		return hook.AsUser
	}
	switch as := hook.RunAs(s.text); as {
	case hook.AsUser, hook.AsRoot:
		return as
	}
	in.errorf(s.line, "run_as is %s: write root or user%s", wording.Quote(s.text), commentHint(s))
	return hook.AsUser
}

func (in fields) timeout() time.Duration {
	s, ok := in.scalar("timeout")
	if !ok {
		return 0
	}
	d, err := wording.TimeLimit(s.text)
	if err != nil {
		in.errorf(s.line, "timeout: %v%s", err, commentHint(s))
	}
	return d
}

func (in fields) retries() int {
	s, ok := in.scalar("retries")
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(s.text)
	if err != nil || n < 0 || n > maxRetries || s.quoted || s.text[0] == '+' {
		in.errorf(s.line, "retries is %s: write a whole number from 0 to %d, without quotes%s", wording.Quote(s.text), maxRetries, commentHint(s))
		return 0
	}
	return n
}

func (in fields) boolean(key string, standard bool) bool {
	s, ok := in.scalar(key)
	if !ok {
		return standard
	}
	if !s.quoted {
		switch strings.ToLower(s.text) {
		case "true":
			return true
		case "false":
			return false
		}
	}
	in.errorf(s.line, "%s is %s: write true or false, without quotes%s", key, wording.Quote(s.text), commentHint(s))
	return standard
}

// text gives the value of a key that has one; empty if it has none.
func (in fields) text(key string) string {
	s, _ := in.scalar(key)
	return s.text
}

// scalar gives the value of a key that may not have several.
func (in fields) scalar(key string) (scalar, bool) {
	v, ok := in.values[key]
	if ok && v.list {
		in.errorf(in.lines[key], "%s is a list: write one value", key)
		return scalar{}, false
	}
	if !ok {
		return scalar{}, false
	}
	return v.scalars[0], true
}

// commentHint tells of the one thing that YAML does and we do not.
func commentHint(s scalar) string {
	if s.quoted || !strings.Contains(s.text, " #") {
		return ""
	}
	return "; a comment must stand in a line of its own"
}
