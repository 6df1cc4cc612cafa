// Package turn evaluates the end of one LLM turn: it finds what changed, notes
// which hooks are pending, runs them in order, words the message that sends
// the LLM back to work, and guards against doing so for ever.
//
// Start with [Evaluator.Evaluate]. Its promise in the face of a kill at any
// moment: pending hooks are durable before the marker moves, and the marker
// moves before hooks run. So a hook runs at least once for each change;
// killed between a hook's end and its record, it runs again.
package turn

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"discobot-hooks/filewatch"
	"discobot-hooks/hook"
	"discobot-hooks/internal/workspace"
	"discobot-hooks/run"
	"discobot-hooks/status"
)

// maxReprompts is how often in a row the LLM is sent back to work before we
// let it stop.
const maxReprompts = 3

// maxUnbroken is how often an agent is sent back without one stop in between that we
// let pass, whatever it says of who began the turns: a version of it that names
// each continuation anew, or whose flag is wrong, would go on for ever.
const maxUnbroken = 3 * maxReprompts

// An Evaluator knows what an evaluation works with. Its caller sets all
// fields.
type Evaluator struct {
	Workspace workspace.Workspace
	Store     *status.Store
	Hooks     []hook.Hook     // the file hooks, in the order they run
	Broken    map[string]bool // ids of hook files that cannot run as they are now
	Env       []string        // what hooks inherit
	Timeout   func(hook.Hook) time.Duration
	Watch     func(hook.Hook) run.Watcher
	Warn      func(string) // one line for people
}

// Options vary one evaluation. The zero value is what a caller asks that knows
// nothing of the turn.
type Options struct {
	Turn      Turn
	KeepGoing bool // run all pending hooks and report every failure

	// Key is the agent's own name of the user's turn: as long as it is the same,
	// re-prompts are counted on. KeyRepeats tells that two turns can have one name,
	// say the prompt's text; it then counts only where we asked for a re-prompt.
	Key        string
	KeyRepeats bool
	// Woken tells that the agent itself began the turn, whatever the rest says. It
	// is asked where re-prompts are on record. Nil: nobody knows.
	Woken func() bool
	// Registration names how the agent came to ask. The same stop asked about
	// through another one gets the same answer. Empty: each call is a new stop.
	Registration string
	Agent        string // who asks; noted for people
	// Deadline is when hooks must have ended, since the caller waits no longer.
	// Zero: no such time.
	Deadline time.Time
	// MaxMessage bounds the message, in bytes; 0: its parts have their own limits.
	MaxMessage int
}

// An Outcome is what an evaluation found.
type Outcome struct {
	Verdict hook.Verdict // Proceed or Reprompt
	Message string       // for the LLM; empty unless the verdict is Reprompt
	Attempt int          // which re-prompt this is, from 1; 0 unless it is one
	Note    string       // what people should know though the LLM may stop; one line
	Changed []string     // in byte order
	Results []hook.Ran   // in the order they ran
}

// Evaluate runs one evaluation. Another one of the same session is waited
// for. When ctx is done the running hook is ended and stays pending; the
// error is then ctx's.
func (e Evaluator) Evaluate(ctx context.Context, o Options) (Outcome, error) {
	unlock, err := e.Store.LockTurn(ctx)
	if err != nil {
		return Outcome{}, err
	}
	defer unlock()
	before, err := readState(e.Store.Dir(), e.root(), e.Warn)
	if err != nil {
		return Outcome{}, err
	}
	scan, err := e.watch().Scan(ctx, before.Snapshot)
	if err != nil {
		return Outcome{}, err
	}
	if before.repeats(o, scan, time.Now()) {
		return e.repeat(before, o)
	}
	foreign, err := e.disown(ctx, scan, before)
	if err != nil {
		return Outcome{}, err
	}
	if before.settled(scan, foreign, o) {
		if noted, err := e.noteEvaluation(ctx); noted || err != nil {
			return newOutcome(scan, nil), err
		}
	}
	sweep(e.Store.Dir())
	now := before.next(scan, o)
	now.Workspace, now.Agent, now.EvaluatedAt, now.Foreign, now.Answer = e.root(), o.Agent, time.Now(), foreign, nil
	return e.evaluate(ctx, now, scan, o)
}

// settled tells that nothing happened since the last evaluation, that it left
// nothing to do, and that the count of re-prompts stays as it is.
func (s state) settled(scan *filewatch.Scan, foreign filewatch.Seen, o Options) bool {
	counted := s.Attempt == 0 || !s.byUser(o)
	return s.Snapshot != nil && scan.Next.Settled(*s.Snapshot) && len(scan.Changed) == 0 && len(s.Pending) == 0 &&
		counted && !s.Reprompted && maps.Equal(foreign, s.Foreign) && s.Agent == o.Agent
}

// noteEvaluation notes that there was one, unless a hook is pending after all:
// status.json is everybody's to edit.
func (e Evaluator) noteEvaluation(ctx context.Context) (noted bool, err error) {
	if noted, err = e.Store.Evaluated(ctx, time.Now()); !noted || err != nil {
		return false, err
	}
	return true, filewatch.RefreshMarker(e.Store.Dir())
}

// evaluate makes hooks pending and runs them.
func (e Evaluator) evaluate(ctx context.Context, now state, scan *filewatch.Scan, o Options) (Outcome, error) {
	if err := e.addPending(ctx, &now, scan.Changed); err != nil {
		return Outcome{}, err
	}
	pending, err := e.pending(now)
	if err != nil {
		return Outcome{}, err
	}
	if len(pending) == 0 && now.quiet() {
		return newOutcome(scan, nil), nil // the state on disk is right
	}
	ran, failures, late, err := e.runPending(ctx, scan, pending, now, o)
	outcome := newOutcome(scan, ran)
	if err != nil {
		return outcome, err
	}
	if err := e.decide(&now, failures, late, o, &outcome); err != nil {
		return outcome, err
	}
	now.Answer = answered(o, outcome, e.tree(ctx, scan, len(ran) > 0))
	return outcome, now.write(e.Store.Dir())
}

// tree is what the workspace is now. Hooks may have rewritten files.
func (e Evaluator) tree(ctx context.Context, scan *filewatch.Scan, ran bool) string {
	if ran {
		again, err := e.watch().Scan(ctx, &scan.Next)
		if err != nil {
			return "" // like no tree: a second registration then evaluates anew
		}
		scan = again
	}
	return scan.Next.Fingerprint()
}

func newOutcome(scan *filewatch.Scan, ran []hook.Ran) Outcome {
	outcome := Outcome{Verdict: hook.Proceed, Changed: []string{}, Results: ran}
	for _, file := range scan.Changed {
		outcome.Changed = append(outcome.Changed, file.Path)
	}
	return outcome
}

func (e Evaluator) watch() filewatch.Watch {
	return filewatch.Watch{Workspace: e.Workspace.Dir, StateRoot: e.Workspace.StateRoot, Env: e.Env}
}

// decide turns failures into verdict and message, and counts the re-prompt.
// late are hooks that did not get to run in time.
func (e Evaluator) decide(now *state, failures []failure, late []string, o Options, outcome *Outcome) error {
	unbroken := now.Unbroken
	now.Reprompted, now.Unbroken = false, 0
	if len(failures) == 0 && now.Key == "" {
		now.Attempt = 0 // with a key its end is known: when another comes
	}
	if len(late) > 0 {
		outcome.Note = fmt.Sprintf("no time was left for %s: pending until the next turn", plural(late))
		e.Warn(outcome.Note) // not every agent shows a note
	}
	notify := slices.IndexFunc(failures, func(f failure) bool { return f.hook.NotifyLLM })
	if notify < 0 {
		return nil // a failure stays pending, and nobody is told: that is what notify_llm: false asks for
	}
	if now.Attempt >= failures[notify].reprompts() {
		outcome.Note = fmt.Sprintf("%s after %s: the LLM may stop; pending until the user's next turn: %s",
			failures[notify].still(), reprompts(now.Attempt), strings.Join(slices.Sorted(maps.Keys(now.Pending)), ", "))
		e.Warn(outcome.Note)
		return nil
	}
	if unbroken >= maxUnbroken && o.Registration != "" {
		outcome.Note = fmt.Sprintf("%d re-prompts in a row, of several turns by what the agent says: it may stop this once; pending: %s",
			unbroken, strings.Join(slices.Sorted(maps.Keys(now.Pending)), ", "))
		e.Warn(outcome.Note)
		return nil
	}
	message, err := words(failures, now.Attempt+1, o.MaxMessage)
	if err != nil {
		return err
	}
	now.Attempt++
	now.Reprompted, now.Unbroken = true, unbroken+1
	outcome.Verdict, outcome.Attempt, outcome.Message = hook.Reprompt, now.Attempt, message
	return nil
}
