package agenthost

import (
	"fmt"
	"strings"
	"time"
)

// examineEvents looks at the entries of a document that the host reads.
func (h Host) examineEvents(r *registration, path string, content []byte, o Options) (findings []Finding) {
	events := r.events(h.Name, o)
	for _, e := range events {
		var own int
		var others []string
		for _, entry := range r.entries(content, e) {
			if entry.kind == foreign {
				others = append(others, "`"+entry.line(r)+"`")
				continue
			}
			own++
			findings = append(findings, h.examineEntry(r, o.short(path)+": "+e.name, e, entry, own))
		}
		if e.word == evalTurn && len(others) > 0 {
			findings = append(findings, Finding{OK, fmt.Sprintf("%s: %s runs %s too", o.short(path), e.name, strings.Join(others, ", ")), ""})
		}
		if e.word == sessionWord && own == 0 && len(h.ownAt(r, content, events[0])) > 0 {
			findings = append(findings, Finding{Warning, fmt.Sprintf("%s: %s runs no session hooks", o.short(path), e.name), "discobot-hooks connect " + h.Name})
		}
	}
	return findings
}

func (h Host) ownAt(r *registration, content []byte, e event) (own []found) {
	for _, entry := range r.entries(content, e) {
		if entry.kind != foreign {
			own = append(own, entry)
		}
	}
	return own
}

// line is the command of an entry, on one line.
func (f found) line(r *registration) string {
	for _, key := range append([]string{"command"}, r.commands...) {
		if line, ok := f.object[key].(string); ok {
			return strings.Join(strings.Fields(line), " ")
		}
	}
	return "a hook without a command"
}

// examineEntry looks at one entry of ours; nth counts those of the event.
func (h Host) examineEntry(r *registration, where string, e event, entry found, nth int) Finding {
	again := "discobot-hooks connect " + h.Name
	line := entry.line(r)
	given, there := entry.object[r.timeout].(float64)
	limit := time.Duration(given * float64(r.unit))
	own := e.limit(line)
	switch {
	case nth > 1:
		return Finding{Warning, fmt.Sprintf("%s runs us %d times", where, nth), again}
	case there && r.unit == time.Millisecond && limit < time.Second:
		return Finding{Problem, fmt.Sprintf("%s: the time-out %v is %v: %s counts milliseconds", where, given, limit, h.Title), again}
	case !there:
		return Finding{Warning, where + " has no time-out: the agent's own may end us before we can answer", again}
	case limit < own:
		return Finding{Problem, fmt.Sprintf("%s: the agent ends `%s` after %v, which takes itself %v", where, line, limit, own), again + " --timeout " + limit.Round(time.Second).String()}
	case entry.kind == compound:
		return Finding{Warning, fmt.Sprintf("%s runs more than us: `%s`", where, line), ""}
	case !strings.Contains(line, "--agent "):
		return Finding{Problem, fmt.Sprintf("%s runs `%s`, which answers in no agent's form", where, line), again}
	case !e.standard(line):
		return Finding{Warning, fmt.Sprintf("%s runs `%s`, not `%s`", where, line, e.command()), again}
	}
	return Finding{OK, fmt.Sprintf("%s runs `%s`, for %v at most", where, line, limit), ""}
}

// limit is how long the command line takes itself.
func (e event) limit(line string) time.Duration {
	if e.word == sessionWord {
		return 0
	}
	words := strings.Fields(strings.ReplaceAll(line, "=", " "))
	for i, word := range words[:max(len(words)-1, 0)] {
		if word == "--timeout" {
			if d, err := time.ParseDuration(words[i+1]); err == nil {
				return d
			}
		}
	}
	return DefaultTimeout
}

// command is the command line that is registered by default.
func (e event) command() string {
	for _, m := range e.entry {
		if text, ok := m.value.(string); ok && strings.HasPrefix(text, program+" ") {
			return text
		}
	}
	return ""
}

// standard tells whether connect would write the line, with some options.
func (e event) standard(line string) bool {
	if line == e.command() {
		return true
	}
	rest, ok := strings.CutPrefix(line, e.command())
	return ok && (strings.HasPrefix(rest, " --timeout ") || strings.HasPrefix(rest, " --background"))
}
