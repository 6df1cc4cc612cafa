package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"discobot-hooks/agenthost"
	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/workspace"
	"discobot-hooks/run"
	"discobot-hooks/turn"
)

const (
	// agentMargin is how long before the agent's limit hooks end: TERM, five
	// seconds, KILL, one second for what is in the pipe, and time to answer.
	agentMargin = 10 * time.Second
	// answerMargin is how long before it everything else has to end.
	answerMargin = 2 * time.Second
	// payloadLimit is how long we wait for the payload. Agents write it at once.
	payloadLimit = 10 * time.Second
)

// agentFlags are the options of a coding agent's hook.
type agentFlags struct {
	agent      string
	timeout    time.Duration
	background bool
}

// autoAgent leaves it to the payload which agent asks.
const autoAgent = "auto"

func (f agentFlags) check(json bool) error {
	if json {
		return errors.New("read --json: with --agent stdout has the agent's own form")
	}
	if f.timeout < agenthost.MinTimeout {
		return fmt.Errorf("read --timeout: %v is less than %v, which it takes to end a hook that will not", f.timeout, agenthost.MinTimeout)
	}
	if f.agent == autoAgent {
		return nil
	}
	host, err := agenthost.Find(f.agent)
	if err == nil && f.background && !host.Background {
		err = fmt.Errorf("read --background: %s has no such hooks", host.Title)
	}
	return err
}

// evalAgentTurn is one evaluation for a coding agent. Whatever goes wrong with us
// is a note on stderr, and the agent may stop: some agents take an exit code of 2
// and more for a re-prompt, and would come back for ever.
func (a *app) evalAgentTurn(cmd *cobra.Command, asked agentFlags, options turn.Options) error {
	started := time.Now()
	ctx, cancel := context.WithDeadlineCause(cmd.Context(), started.Add(asked.timeout-answerMargin),
		fmt.Errorf("%v are over, for which the agent waits", asked.timeout-answerMargin))
	defer cancel()
	options.Deadline = started.Add(asked.timeout - agentMargin)
	if asked.background {
		a.flags.logLevel = zerolog.LevelErrorValue // stderr is the message
	}
	stop, err := a.readStop(ctx, asked)
	outcome := turn.Outcome{Verdict: hook.Proceed}
	switch {
	case err != nil:
	case stop.Defer != "":
		a.note(stop.Defer + ": nothing is examined now")
	case !a.off():
		outcome, err = a.evaluateStop(ctx, asked, stop, options)
	}
	if cmd.Context().Err() != nil {
		return context.Cause(cmd.Context()) // a signal: nobody reads the answer
	}
	if err != nil {
		// A re-prompt that could not be counted would be the first one for ever.
		outcome = turn.Outcome{Verdict: hook.Proceed}
		a.note(oneLine(err) + ": the agent may stop")
	}
	return a.answerAgent(asked, stop.Host, outcome)
}

// readStop reads the payload. Where it cannot be read the host is the one that was
// named, so that it still gets an answer in its form.
func (a *app) readStop(ctx context.Context, asked agentFlags) (agenthost.Stop, error) {
	var want *agenthost.Host
	if asked.agent != autoAgent {
		host, err := agenthost.Find(asked.agent)
		if err != nil {
			return agenthost.Stop{}, err
		}
		want = &host
	}
	stop, err := agenthost.Read(a.payload(ctx), want, a.getenv)
	if err != nil && want != nil {
		stop.Host = *want
	}
	return stop, err
}

func (a *app) evaluateStop(ctx context.Context, asked agentFlags, stop agenthost.Stop, options turn.Options) (turn.Outcome, error) {
	o, err := a.openFor(stop)
	if err != nil {
		return turn.Outcome{}, err
	}
	if options.Turn == turn.Unknown {
		options.Woken = stop.Woken
		if stop.ByUser {
			options.Turn = turn.ByUser
		}
	}
	options.Key, options.KeyRepeats = stop.Key, stop.KeyRepeats
	options.Agent, options.MaxMessage = stop.Host.Name, stop.Host.MaxMessage
	options.Registration = asked.agent + " " + stop.Form
	evaluator := a.evaluator(o)
	evaluator.Warn = a.note
	if asked.background {
		evaluator.Warn = func(string) {}
	}
	evaluator.Watch = func(hook.Hook) run.Watcher {
		a.catch()           // a hook runs now, and must be ended with us
		return run.Nobody() // no terminal, and some agents show our stderr
	}
	return evaluator.Evaluate(ctx, options)
}

// openFor is open, with the workspace and session that the agent says, unless
// the command line does.
func (a *app) openFor(stop agenthost.Stop) (opened, error) {
	if a.flags.dir == "" {
		a.flags.dir = workspace.OfAgent(stop.Dirs)
	}
	o, err := a.open()
	if err == nil && a.flags.session == "" && stop.Session != "" {
		o.ws, err = o.ws.InSession(stop.Session, "the agent's payload")
	}
	return o, err
}

// answerAgent writes the one document that the agent reads, or for an agent that
// does not wait, the message that wakes it.
func (a *app) answerAgent(asked agentFlags, host agenthost.Host, outcome turn.Outcome) error {
	if asked.background {
		if outcome.Verdict != hook.Reprompt {
			return nil
		}
		fmt.Fprintln(a.err, outcome.Message)
		return exitCode(exitBlocked)
	}
	if answer := host.Answer(outcome.Message, plaintext.Line(outcome.Note)); len(answer) > 0 {
		_, _ = a.out.Write(answer) // the writer keeps its error for the end
	}
	return nil
}

// note tells people one line on stderr, which agents show or keep in a log.
func (a *app) note(text string) {
	fmt.Fprintf(a.talk, "discobot-hooks: %s: %s\n", a.command, plaintext.Line(text))
}
