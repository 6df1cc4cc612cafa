package pipeline

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
	"discobot-hooks/internal/approval"
	"discobot-hooks/internal/expand"
	"discobot-hooks/internal/variables"
)

// ask is an awaited webhook: it asks people, and waits for what they say.
type ask struct {
	hook   *listed
	values values
	event  string

	answered   bool
	answer     approval.Answer
	unanswered bool // nobody answered in time, or could: on_timeout says what that means
}

// Run implements [dialect.Action]. A question that an earlier process asked
// and nobody has answered is not asked again.
func (a *ask) Run(ctx context.Context, exec dialect.Exec) dialect.Outcome {
	if a.hook.request.explicit || a.hook.format.options.CallbackBaseURL != "" {
		for _, earlier := range a.hook.format.used { // which may have this very port
			earlier.Leave()
		}
	}
	wait, err := a.open(ctx, exec)
	if err != nil {
		a.unanswered = true // also where people have been asked before
		return ended(ctx, err)
	}
	outcome := a.await(ctx, exec, wait)
	if a.answered {
		a.hook.format.used = append(a.hook.format.used, wait) // done with once the event has its verdict
	} else if err := wait.Close(); err != nil { // what is pending stays so for the next emit
		say(exec, "%v", err)
	}
	return outcome
}

// open waits for the port of a question that people have been asked, until its
// deadline: their links lead nowhere else.
func (a *ask) open(ctx context.Context, exec dialect.Exec) (*approval.Wait, error) {
	for told := false; ; told = true {
		wait, err := approval.Open(ctx, a.options(), a.key())
		busy, ok := errors.AsType[*approval.BusyError](err)
		if !ok || !time.Now().Before(busy.Deadline) {
			return wait, err
		}
		if !told {
			say(exec, "%v; waiting for that", err)
		}
		if !pause(ctx, time.Second) {
			return nil, err
		}
	}
}

func (a *ask) await(ctx context.Context, exec dialect.Exec, wait *approval.Wait) dialect.Outcome {
	if wait.Resumed() {
		say(exec, "asked before: waiting for the answer to that")
	} else if err := a.ask(ctx, exec, wait); err != nil {
		switch canceled := wait.Cancel(); {
		case errors.Is(canceled, approval.ErrAnswered): // which counts, whatever the receiver says
		case canceled != nil:
			say(exec, "%v", canceled)
			fallthrough
		default:
			return ended(ctx, err)
		}
	}
	deadline := wait.Question().Deadline
	say(exec, "waiting for an answer until %s", deadline.Format(time.RFC3339))
	answer, err := wait.Answer(ctx)
	switch {
	case errors.Is(err, approval.ErrDeadline):
		a.unanswered = true
		return dialect.Outcome{Result: hook.Result{Status: hook.TimedOut, ExitCode: hook.ExitTimeout, Reason: "nobody answered by " + deadline.Format(time.RFC3339)}}
	case err != nil:
		a.unanswered = true
		return ended(ctx, err)
	}
	a.answered, a.answer = true, answer
	say(exec, "answered: %s", answer.Action)
	return dialect.Outcome{Result: hook.Result{Status: hook.OK}}
}

// ask makes the question and sends it. Somebody may answer before the receiver
// has said that it has the message, or although it says that it has not: then
// that counts, and nothing is sent again.
func (a *ask) ask(ctx context.Context, exec dialect.Exec, wait *approval.Wait) error {
	a.values.set("CALLBACK_URL", wait.URL())
	request, err := a.hook.format.fill(a.hook.definition, a.values)
	if err != nil {
		return err
	}
	if err := wait.Ask(a.question()); err != nil {
		a.unanswered = true
		return err
	}
	sending, stop := context.WithDeadline(ctx, wait.Question().Deadline)
	defer stop()
	go func() { // ends with the answer or with the sending
		select {
		case <-wait.Answered():
			stop()
		case <-sending.Done():
		}
	}()
	if err := request.Send(sending, exec.Log); err != nil {
		a.unanswered = errors.Is(sending.Err(), context.DeadlineExceeded) // nor was there time to
		return err
	}
	return wait.Sent()
}

// question is what the page shows.
func (a *ask) question() approval.Question {
	now := time.Now()
	return approval.Question{
		Hook: a.hook.info.ID, Event: a.event, File: a.hook.info.File,
		Session: a.values.get("SESSION"), Stage: a.values.get("STAGE"), Iteration: a.values.get("ITERATION"),
		Text: a.text(), Actions: a.hook.request.actions,
		Asked: now, Deadline: now.Add(a.hook.timeout),
	}
}

// text is what is asked: what the message says, where it says it in a usual
// place.
func (a *ask) text() string {
	body, _ := a.hook.request.body.(map[string]any)
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
	text, _ := expand.Expand(withoutLinks(template), func(name string) (string, bool) {
		switch {
		case isVariable(name):
			return a.values.get(name), true
		}
		return "…", true
	})
	return text
}

// withoutLinks takes out the links to the page itself.
func withoutLinks(template string) string {
	parts := strings.Split(template, "${CALLBACK_URL}")
	for i := 1; i < len(parts); i++ {
		parts[i] = parts[i][len(queryOf(parts[i])):]
	}
	return strings.Join(parts, "")
}

// key is what makes two questions the same: who asks what about which moment
// of which session.
func (a *ask) key() string {
	r := a.hook.request
	sum := sha256.Sum256(variables.JSON([]any{
		a.hook.info.ID, a.hook.info.File, a.event, a.hook.format.options.Workspace, a.hook.format.options.State,
		a.values.get("SESSION"), a.values.get("STAGE"), a.values.get("ITERATION"),
		r.method, r.url, r.headers, r.body,
	}))
	return fmt.Sprintf("%x", sum)
}

func (a *ask) options() approval.Options {
	o := a.hook.format.options
	return approval.Options{
		Dir:  o.Approvals,
		Port: a.hook.request.port, Explicit: a.hook.request.explicit,
		BaseURL: o.CallbackBaseURL, Warn: a.hook.format.warn, Linger: o.Linger,
	}
}
