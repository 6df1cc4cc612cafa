package main

import (
	"fmt"
	"io"
	"maps"
	"strings"

	"discobot-hooks/dialect"
	"discobot-hooks/event"
	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
)

// showRan passes on what a hook says to people as soon as it has ended.
func (a *app) showRan(ran event.Ran) {
	a.showText(a.people(), ran.Judgement.Out)
	if ran.Cut {
		fmt.Fprintf(a.people(), "(more of it in %s)\n", plaintext.Path(ran.Result.Output.Path))
	}
	a.showText(a.err, ran.Judgement.Err)
	if ran.Result.Status == hook.Invalid {
		a.warn(fmt.Sprintf("hook %s did not run: %s", ran.Info.ID, ran.Judgement.Reason))
	}
}

// people is where text for people goes: stdout, unless that is the document.
func (a *app) people() io.Writer {
	if a.flags.json {
		return a.err
	}
	return a.out
}

func (a *app) showText(to io.Writer, text string) {
	if text = strings.TrimRight(plaintext.Clean(text), "\n"); text != "" {
		_, _ = fmt.Fprintln(to, text) // stdout keeps its error for the end; without stderr there is nobody to tell
	}
}

// reportEvent prints the verdict and turns it into the exit code.
func (a *app) reportEvent(ev *dialect.Event, spoken dialect.Dialect, report event.Report) error {
	if a.flags.json {
		hooks := make([]map[string]any, 0, len(report.Hooks))
		for _, ran := range report.Hooks {
			hooks = append(hooks, ranDocument(ran))
		}
		document := eventDocument(ev, spoken, hooks)
		document.Blocked, document.Reason = report.Blocked, report.Reason
		if report.Result != nil {
			document.Result = report.Result
		}
		a.printJSON(document)
	}
	if !report.Blocked {
		return nil
	}
	a.showText(a.err, fmt.Sprintf("discobot-hooks: %s is blocked: %s", ev.Name, report.Reason))
	return exitCode(exitBlocked)
}

// eventJSON is emit's document. Left is a dry run's alone.
type eventJSON struct {
	Event   string           `json:"event"`
	Dialect string           `json:"dialect"`
	Session string           `json:"session"`
	DryRun  bool             `json:"dry_run,omitempty"`
	Blocked bool             `json:"blocked"`
	Reason  string           `json:"reason"`
	Hooks   []map[string]any `json:"hooks"`
	Left    *[]leftJSON      `json:"not_run,omitempty"`
	Result  map[string]any   `json:"result"`
}

type leftJSON struct {
	ID     string     `json:"id"`
	Event  hook.Event `json:"event"`
	Reason string     `json:"reason"`
}

func eventDocument(ev *dialect.Event, spoken dialect.Dialect, hooks []map[string]any) eventJSON {
	return eventJSON{
		Event: ev.Name, Dialect: spoken.Description().Name, Session: ev.Session, DryRun: ev.DryRun,
		Hooks: hooks, Result: map[string]any{},
	}
}

// ranDocument is one hook of emit's document: the engine's keys, and the
// dialect's own beside them.
func ranDocument(ran event.Ran) map[string]any {
	document := maps.Clone(ran.Judgement.Fields)
	if document == nil {
		document = make(map[string]any)
	}
	maps.Copy(document, infoDocument(ran.Info))
	document["status"] = ran.Result.Status
	document["exit_code"] = ran.Result.ExitCode
	document["duration_ms"] = ran.Result.Duration.Milliseconds()
	document["output_path"] = ran.Result.Output.Path
	document["reason"] = ran.Result.Reason
	return document
}

func infoDocument(info dialect.Info) map[string]any {
	return map[string]any{"id": info.ID, "type": info.Kind, "name": info.Name, "file": info.File, "line": info.Line}
}

func (a *app) printPlan(ev *dialect.Event, spoken dialect.Dialect, plan event.Plan) {
	if a.flags.json {
		a.printJSON(planDocument(ev, spoken, plan))
		return
	}
	for _, p := range plan.Hooks {
		line := fmt.Sprintf("would run %s: %s", p.Info.ID, p.Info.Command)
		if p.Status != "" {
			line = fmt.Sprintf("%s %s: %s", p.Status, p.Info.ID, p.Reason)
		}
		a.showText(a.out, plaintext.Line(line))
	}
	for _, left := range plan.Left {
		a.showText(a.out, plaintext.Line(fmt.Sprintf("would not run %s: %s", left.Info.ID, left.Reason)))
	}
}

func planDocument(ev *dialect.Event, spoken dialect.Dialect, plan event.Plan) eventJSON {
	hooks := make([]map[string]any, 0, len(plan.Hooks))
	for _, p := range plan.Hooks {
		document := infoDocument(p.Info)
		document["command"] = p.Info.Command
		document["timeout_ms"] = p.Info.Action.Timeout.Milliseconds()
		if p.Status != "" {
			document["status"], document["reason"] = p.Status, p.Reason
		}
		hooks = append(hooks, document)
	}
	document := eventDocument(ev, spoken, hooks)
	rest := make([]leftJSON, 0, len(plan.Left))
	for _, left := range plan.Left {
		rest = append(rest, leftJSON{ID: left.Info.ID, Event: left.Info.Event, Reason: left.Reason})
	}
	document.Left = &rest
	return document
}
