package autoagent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/shtemplate"
)

const (
	exitBlocks    = 2
	defaultReason = "Blocked by hook"
)

// prepareCommand is the command of a hook for one event.
func (e *entry) prepareCommand(ev *dialect.Event, d data) (dialect.Action, error) {
	rewritten, err := shtemplate.Rewrite(e.command, d.lookup)
	if err != nil {
		return nil, err
	}
	line, err := d.line()
	if err != nil {
		return nil, err
	}
	process := dialect.Shell(rewritten.Command, rewritten.Env, line)
	return shell{Process: process, id: e.info.ID, warnings: rewritten.Warnings, warn: ev.Warn}, nil
}

// A shell is a command ready to run, and what to tell people when it does.
type shell struct {
	dialect.Process
	id       string
	warnings []string
	warn     func(string)
}

// Run implements [dialect.Action].
func (s shell) Run(ctx context.Context, exec dialect.Exec) dialect.Outcome {
	for _, warning := range s.warnings {
		s.warn(fmt.Sprintf("hook %s: %s", s.id, warning))
	}
	return s.Process.Run(ctx, exec)
}

// A decision is what a hook answers on stdout, if that is one JSON object and
// nothing else.
type decision struct {
	block            bool
	reason, feedback string
}

func readDecision(o dialect.Outcome) decision {
	stdout := bytes.TrimSpace(o.Stdout)
	if o.Cut || !bytes.HasPrefix(stdout, []byte("{")) {
		return decision{}
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(stdout, &object) != nil {
		return decision{}
	}
	return decision{
		block:    rawText(object["decision"]) == "block",
		reason:   trimmed(rawText(object["reason"])),
		feedback: trimmed(rawText(object["feedback"])),
	}
}

// rawText is a string's text, and any other value's JSON; null is none.
func rawText(raw json.RawMessage) string {
	var s *string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	if s == nil {
		return ""
	}
	return *s
}

func trimmed(foreign string) string { return strings.TrimSpace(plaintext.Clean(foreign)) }

// judgeCommand says what the end of a command means. Its stdout is shown
// always, its stderr where it failed.
func (e *entry) judgeCommand(o dialect.Outcome) dialect.Judgement {
	j := dialect.Judgement{Status: o.Status, Out: plaintext.Clean(string(o.Stdout))}
	answer := readDecision(o)
	if answer.feedback != "" {
		j.Fields = map[string]any{"feedback": answer.feedback}
	}
	stderr := trimmed(string(o.Stderr))
	byCode := o.Status == hook.Failed && o.ExitCode == exitBlocks
	switch wants := o.Status != hook.TimedOut && (byCode || answer.block); {
	case wants && canBlock(e.info.Event):
		if byCode {
			j.Reason = stderr
		}
		j.Reason = cmp.Or(j.Reason, answer.reason, defaultReason)
		j.Status, j.Block, j.Err = hook.Blocked, true, answer.feedback
		if !e.blocking {
			j.Status, j.Block = hook.Failed, false
			j.Err = lines(fmt.Sprintf("Hook error: %s: %s", e.info.Name, j.Reason), answer.feedback)
		}
	case !o.Success():
		why := cmp.Or(o.Reason, fmt.Sprintf("exit %d", o.ExitCode))
		j.Err = lines(fmt.Sprintf("Hook error: %s: %s", e.info.Name, why), stderr)
	case answer.block:
		j.Err = fmt.Sprintf("hook %s: a decision to block means nothing at %s", e.info.Name, e.info.Event)
	}
	return j
}

func lines(text ...string) string {
	var kept []string
	for _, t := range text {
		if t != "" {
			kept = append(kept, t)
		}
	}
	return strings.Join(kept, "\n")
}
