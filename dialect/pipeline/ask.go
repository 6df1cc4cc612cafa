package pipeline

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
	"discobot-hooks/internal/approval"
	"discobot-hooks/internal/expand"
)

// ask is an awaited kindWebhook: it asks people, and waits for what they say.
type ask struct {
	action *action
	values values
	event  string

	answered   bool
	answer     approval.Answer
	unanswered bool // nobody answered in time, or could any more
}

func (a *ask) wire() (wire, error) { return wire{}, errors.New("an awaited action is not handed over") }

// Run implements [dialect.Action]. A question that an earlier process asked
// and nobody has answered is not asked again.
func (a *ask) Run(ctx context.Context, exec dialect.Exec) dialect.Outcome {
	if a.action.request.explicit {
		for _, earlier := range a.action.format.used { // which may have this very port
			earlier.Leave()
		}
	}
	wait, err := approval.Open(ctx, a.options(exec), a.key())
	if err != nil {
		return failure(err.Error())
	}
	outcome := a.await(ctx, exec, wait)
	if a.answered {
		a.action.format.used = append(a.action.format.used, wait) // done with once the event has its verdict
	} else if err := wait.Close(); err != nil { // what is pending stays so for the next emit
		say(exec, "%v", err)
	}
	return outcome
}

func (a *ask) await(ctx context.Context, exec dialect.Exec, wait *approval.Wait) dialect.Outcome {
	if wait.Resumed() {
		say(exec, "asked before: waiting for the answer to that")
	} else if err := a.ask(ctx, exec, wait); err != nil {
		return a.unsent(ctx, exec, wait, err)
	}
	deadline := wait.Question().Deadline
	say(exec, "waiting for an answer until %s", deadline.Format(time.RFC3339))
	answer, err := wait.Answer(ctx)
	switch {
	case errors.Is(err, approval.ErrDeadline):
		a.unanswered = true
		return dialect.Outcome{Result: hook.Result{Status: hook.TimedOut, ExitCode: hook.ExitTimeout, Reason: "nobody answered by " + deadline.Format(time.RFC3339)}}
	case err != nil && ctx.Err() != nil:
		a.unanswered = true
		return ended(ctx, err.Error())
	case err != nil:
		return failure(err.Error())
	}
	a.answered, a.answer = true, answer
	say(exec, "answered: %s", cmp.Or(answer.Action, "without an action"))
	return dialect.Outcome{Result: hook.Result{Status: hook.OK}}
}

// unsent ends a question that nobody was asked.
func (a *ask) unsent(ctx context.Context, exec dialect.Exec, wait *approval.Wait, cause error) dialect.Outcome {
	if err := wait.Cancel(); err != nil {
		say(exec, "%v", err)
	}
	if ctx.Err() != nil {
		return ended(ctx, cause.Error())
	}
	return failure(cause.Error())
}

// ask makes the question and sends it. It can be answered before the message
// is out.
func (a *ask) ask(ctx context.Context, exec dialect.Exec, wait *approval.Wait) error {
	a.values.set("CALLBACK_URL", wait.URL())
	request, err := a.action.format.fill(a.action.definition, a.values)
	if err != nil {
		return err
	}
	if err := wait.Ask(a.question()); err != nil {
		return err
	}
	if err := request.Send(ctx, exec.Log); err != nil {
		return err
	}
	return wait.Sent()
}

// question is what the page shows.
func (a *ask) question() approval.Question {
	now := time.Now()
	return approval.Question{
		Hook: a.action.info.ID, Event: a.event, File: a.action.info.File,
		Session: a.values.get("SESSION"), Stage: a.values.get("STAGE"), Iteration: a.values.get("ITERATION"),
		Text: a.text(), Actions: a.action.request.actions,
		Asked: now, Deadline: now.Add(a.action.timeout),
	}
}

// text is what is asked: what the message says, where it says it in a usual
// place.
func (a *ask) text() string {
	body, _ := a.action.request.body.(map[string]any)
	for _, key := range []string{"text", "message", "content", "summary", "title"} {
		if text, ok := body[key].(string); ok && strings.TrimSpace(text) != "" {
			return a.pageText(text)
		}
	}
	return ""
}

// pageText fills in the document's variables alone: the page is for more eyes
// than the message, and shows no secrets.
func (a *ask) pageText(template string) string {
	text, _ := expand.Expand(template, func(name string) (string, bool) {
		switch {
		case name == "CALLBACK_URL":
			return "", true
		case isVariable(name):
			return a.values.get(name), true
		}
		return "…", true
	})
	return text
}

// key is what makes two questions the same: who asks what about which moment
// of which session.
func (a *ask) key() string {
	r := a.action.request
	sum := sha256.Sum256(encode([]any{
		a.action.info.ID, a.action.info.File, a.event, a.action.format.options.Workspace,
		a.values.get("SESSION"), a.values.get("STAGE"), a.values.get("ITERATION"),
		r.method, r.url, r.headers, r.body,
	}))
	return fmt.Sprintf("%x", sum)
}

// Approvals is where questions wait in a session's state.
func Approvals(state string) string { return filepath.Join(state, "approvals") }

func (a *ask) options(exec dialect.Exec) approval.Options {
	o := a.action.format.options
	return approval.Options{
		Dir:  Approvals(o.State),
		Port: a.action.request.port, Explicit: a.action.request.explicit,
		BaseURL: o.CallbackBaseURL, Log: exec.Log, Linger: o.Linger,
	}
}
