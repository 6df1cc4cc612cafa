package advice

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
)

// sift tells hooks from guidance and from what only looks like a hook.
func sift(in issues, file string) loaded {
	out := loaded{file: file, problems: in.problems}
	for _, a := range slices.SortedFunc(maps.Values(in.last), order) {
		if a.IssueType == issueType && a.Status == statusOpen {
			out.open = append(out.open, a)
		}
		problems := inspect(a)
		broken := slices.ContainsFunc(problems, func(p hook.Problem) bool { return p.Severity == hook.Error })
		if !broken && a.runs() {
			out.runnable = append(out.runnable, a)
			problems = append(problems, tooLong(a)...)
		}
		for _, p := range problems {
			p.File, p.Line = file, a.Line
			p.Message = fmt.Sprintf("%s: %s", plaintext.Path(a.ID), plaintext.Line(p.Message))
			out.problems = append(out.problems, p)
		}
	}
	slices.SortStableFunc(out.problems, func(a, b hook.Problem) int { return cmp.Compare(a.Line, b.Line) })
	return out
}

// order is that in which hooks run. Nothing is more specific than another:
// who wants an order says so by priorities.
func order(a, b *Advice) int {
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
}

// runs tells whether an advice is a hook, if nothing is wrong with it. One
// with an event and no command is guidance.
func (a *Advice) runs() bool {
	return a.IssueType == issueType && a.Status == statusOpen && a.HookCommand != "" && a.HookTrigger != ""
}

// inspect finds what is wrong with the last line of an id.
func inspect(a *Advice) []hook.Problem {
	gone := a.Status == "closed" || a.Status == "tombstone"
	switch {
	case gone:
		return nil
	case a.IssueType != issueType:
		return warn("hook fields belong to advice, and this is of the type %.80q: write \"issue_type\": \"advice\", or take them out", a.IssueType)
	case a.Status != statusOpen && a.hooked():
		return append(errs(a.wrong), warn("only open advice runs, and this has the status %.80q: write \"status\": \"open\", or close it", a.Status)...)
	case a.Status != statusOpen:
		return errs(a.wrong)
	}
	return append(errs(a.wrong), inspectHook(a)...)
}

func inspectHook(a *Advice) []hook.Problem {
	var messages []string
	note := func(err error) {
		if err != nil {
			messages = append(messages, err.Error())
		}
	}
	note(checkTrigger(a.HookTrigger))
	note(checkOnFailure(a.HookOnFailure))
	note(checkCommand(a.HookCommand))
	if a.HookTimeout < 0 {
		note(checkTimeout(a.HookTimeout))
	}
	if a.HookCommand != "" {
		note(checkID(a.ID))
		if a.HookTrigger == "" && !slices.ContainsFunc(a.wrong, func(m string) bool { return strings.HasPrefix(m, "advice_hook_trigger ") }) {
			messages = append(messages, "advice_hook_command never runs without advice_hook_trigger: write one of "+strings.Join(ValidAdviceHookTriggers, ", "))
		}
	}
	return errs(messages)
}

// tooLong is about a limit that is longer than allowed. The hook runs all the
// same, with the longest: its work may matter more than its minutes.
func tooLong(a *Advice) []hook.Problem {
	if a.HookTimeout <= AdviceHookTimeoutMax {
		return nil
	}
	return errs([]string{fmt.Sprintf("advice_hook_timeout is %d, and the hook gets %d seconds: write that, or less", a.HookTimeout, AdviceHookTimeoutMax)})
}

func errs(messages []string) []hook.Problem {
	var problems []hook.Problem
	for _, m := range messages {
		problems = append(problems, hook.Problem{Severity: hook.Error, Message: m})
	}
	return problems
}

func warn(format string, args ...any) []hook.Problem {
	return []hook.Problem{{Severity: hook.Warning, Message: fmt.Sprintf(format, args...)}}
}
