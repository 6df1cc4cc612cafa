package agenthost

import (
	"fmt"
	"strings"
	"time"
)

// examineEvents looks at the entries of a document that the host reads.
func (a *agent) examineEvents(path string, content []byte) (findings []Finding) {
	running := false
	for _, e := range a.events() {
		own, others := a.split(content, e)
		where := a.short(path) + ": " + e.name
		for i, entry := range own {
			findings = append(findings, a.examineEntry(where, e, entry, i+1))
		}
		for _, other := range others {
			if other.kind == compound {
				findings = append(findings, Finding{Warning, where + " runs `" + other.line + "`, which does not answer in the agent's form", a.byHand(e, other)})
			}
		}
		switch {
		case e.word == evalTurn:
			running = len(own) > 0
			for _, other := range others {
				if other.kind == compound {
					continue // said above
				}
				findings = append(findings, Finding{OK, where + " runs `" + other.line + "` too", ""})
			}
		case running && len(own) == 0:
			findings = append(findings, Finding{Warning, where + " runs no session hooks", "discobot-hooks connect " + a.Name})
		}
	}
	return findings
}

// split parts the entries at an event that count for this agent, ours before those
// that do more, from all others.
func (a *agent) split(content []byte, e event) (own, others []found) {
	var more []found
	for _, entry := range a.entries(content, e) {
		switch {
		case entry.kind == ours:
			own = append(own, entry)
		case a.checks(entry, e):
			more = append(more, entry)
		default:
			others = append(others, entry)
		}
	}
	return append(own, more...), others
}

// byHand is the way out for an entry that no edit of ours may touch.
func (a *agent) byHand(e event, entry found) string {
	limit := e.limit(entry.line)
	if e.word == sessionWord {
		limit = StartTimeout
	}
	return fmt.Sprintf("edit it by hand: --agent %s in the command, and %q: %d", a.Name, a.timeout, limit/a.unit)
}

// examineEntry looks at one entry of ours; nth counts those of the event.
func (a *agent) examineEntry(where string, e event, entry found, nth int) Finding {
	again := "discobot-hooks connect " + a.Name
	line := entry.line
	if entry.kind == compound { // connect leaves it as it is
		again = a.byHand(e, entry)
	}
	limit, there := a.timeoutOf(entry)
	own := e.limit(line)
	switch {
	case nth > 1 && entry.kind == compound:
		return Finding{Warning, fmt.Sprintf("%s runs us %d times, once by `%s`", where, nth, line), "take discobot-hooks out of that hook by hand"}
	case nth > 1:
		return Finding{Warning, fmt.Sprintf("%s runs us %d times", where, nth), again}
	case there && a.unit == time.Millisecond && limit < time.Second:
		return Finding{Problem, fmt.Sprintf("%s: the time-out is %v: %s counts milliseconds", where, limit, a.Title), again}
	case !there:
		return Finding{Warning, where + " has no time-out: the agent's own may end us before we can answer", again}
	case limit < own && limit >= MinTimeout && entry.kind == ours: // less is refused
		again += " --timeout " + limit.Round(time.Second).String()
		fallthrough
	case limit < own:
		return Finding{Problem, fmt.Sprintf("%s: the agent ends `%s` after %v, which takes itself %v", where, line, limit, own), again}
	case entry.kind == compound:
		return Finding{Warning, fmt.Sprintf("%s runs more than us: `%s`", where, line), ""}
	case !strings.Contains(line, "--agent "):
		return Finding{Problem, fmt.Sprintf("%s runs `%s`, which answers in no agent's form", where, line), again}
	case !e.standard(line):
		return Finding{Warning, fmt.Sprintf("%s runs `%s`, not `%s`", where, line, e.command()), again}
	}
	return Finding{OK, fmt.Sprintf("%s runs `%s`, for %v at most", where, line, limit), ""}
}

// timeoutOf is how long the host lets the entry run, if it says so.
func (r *registration) timeoutOf(entry found) (limit time.Duration, there bool) {
	given, there := entry.object[r.timeout].(float64)
	return time.Duration(given * float64(r.unit)), there
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
