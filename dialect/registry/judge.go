package registry

import (
	"cmp"
	"fmt"
	"strings"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
)

// Of what a failed hook wrote to stderr, so much is shown.
const (
	maxErrLines = 20
	maxErrBytes = 4 << 10
)

// Judge implements [dialect.Hook]. What a failed hook returned counts as far
// as it can be read.
func (h *scriptHook) Judge(ev *dialect.Event, o dialect.Outcome) dialect.Judgement {
	a := read(o)
	j := dialect.Judgement{Status: hook.OK, Result: a.fields, Out: messages(a.fields)}
	var err []string
	if why := failure(o, a); why != "" {
		why = cmp.Or(strings.TrimSpace(plaintext.Clean(why)), "error")
		h.fail(ev, o, &j)
		j.Reason = cmp.Or(j.Out, withLast(why, o.Stderr, a))
		a.fields["error"] = why // also that of a hook which could not say so
		err = append(err, fmt.Sprintf("hook %s failed: %s", h.id, why))
		if a.unusable != "" && !o.Success() {
			err = append(err, lastLines(o.Stdout)...) // what a check prints, and no result
		}
		err = append(err, lastLines(o.Stderr)...)
	}
	for _, note := range a.shown() {
		err = append(err, fmt.Sprintf("hook %s: %s", h.id, note))
	}
	j.Err = strings.Join(err, "\n")
	return j
}

// withLast adds the last line of stderr to why a hook has failed that could not
// say so itself.
func withLast(why string, stderr []byte, a answer) string {
	lines := lastLines(stderr)
	if _, said := a.fields["error"]; said || len(lines) == 0 {
		return why
	}
	return why + ": " + lines[len(lines)-1]
}

// fail says what a failure means. After an ability's call there is nothing
// left to block.
func (h *scriptHook) fail(ev *dialect.Event, o dialect.Outcome, j *dialect.Judgement) {
	j.Block = h.blocking && ev.Name != postAbilityCall
	switch {
	case o.Status == hook.TimedOut:
		j.Status = hook.TimedOut
	case j.Block:
		j.Status = hook.Blocked
	default:
		j.Status = hook.Failed
	}
}

// failure says why the hook has failed; empty: it has not.
func failure(o dialect.Outcome, a answer) string {
	said, _ := a.fields["error"].(string)
	switch {
	case said != "":
		return said
	case !o.Success():
		return cmp.Or(o.Reason, fmt.Sprintf("exit %d", o.ExitCode))
	case a.unusable != "":
		return a.unusable
	case a.fields["block_execution"] == true:
		return "block_execution"
	}
	return ""
}

// messages are the lines for the user.
func messages(fields map[string]any) string {
	var lines []string
	list, _ := fields["messages_to_user"].([]any)
	for _, item := range list {
		if text, ok := item.(string); ok {
			lines = append(lines, plaintext.Clean(text))
		}
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

func lastLines(stderr []byte) []string {
	text := plaintext.Clean(string(stderr[max(0, len(stderr)-maxErrBytes):]))
	if text = strings.TrimRight(text, " \t\n"); text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	return lines[max(0, len(lines)-maxErrLines):]
}
