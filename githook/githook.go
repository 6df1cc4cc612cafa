// Package githook is one run of a git hook: the workspace's own hooks of that
// name, after the user's hook, which the generated script has run already;
// reported so that people and LLMs know what failed and what to do.
//
// Start with [Run.Do].
package githook

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"discobot-hooks/hook"
	"discobot-hooks/internal/git"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/regular"
	"discobot-hooks/internal/workspace"
	"discobot-hooks/run"
)

const (
	// Limit is for all hooks of one commit or push together: coding agents end a
	// command after two minutes, and then nobody would learn which hook hung.
	Limit = 100 * time.Second

	maxTailLines = 40
	maxLineRunes = 1000 // of a shown line
	maxTailBytes = 256 << 10
)

// A Run knows what one run of a git hook works with.
type Run struct {
	Workspace workspace.Workspace
	Recorder  hook.Recorder
	Event     hook.Event
	Hooks     []hook.Hook // all of the event, in order
	Env       []string    // as git gave it
	Args      []string    // likewise
	Input     []byte      // what git gave on stdin; nil: nothing
	Original  int         // exit code of the user's own hook, which ran before; 0 if there is none
	Timeout   func(hook.Hook) time.Duration
	Deadline  time.Time // of all hooks together, [Limit] from the start
	Watch     func(hook.Hook) run.Watcher
	Out       io.Writer // for people and LLMs: git passes our stderr on
}

// Do runs every hook that the commit concerns, also after one has failed, so
// that one commit or push shows all there is to mend. It says nothing where all
// succeed on what is committed. The verdict is [hook.Block] where one failed, or
// the user's own had, and git can still be stopped; else [hook.Proceed], whatever
// failed. When ctx is done the running hook is ended and the error is ctx's.
func (r Run) Do(ctx context.Context) (hook.Verdict, []hook.Ran, error) {
	var ran []hook.Ran
	var failed, unseen []string
	staged, err := r.staged(ctx, r.Hooks...)
	if err != nil {
		return hook.Block, nil, err
	}
	for _, h := range r.Hooks {
		files, concerned, err := concerning(h, staged)
		if err != nil {
			return hook.Block, ran, err
		}
		if !concerned {
			continue
		}
		result, err := r.one(ctx, h, files)
		if err != nil {
			return hook.Block, ran, err
		}
		if result.Aborted {
			return hook.Block, ran, context.Cause(ctx)
		}
		ran = append(ran, hook.Ran{Hook: h, Result: result})
		unseen = edited(unseen, files)
		if !result.Success() {
			failed = append(failed, plaintext.Path(h.File))
			r.report(h, result)
		}
	}
	r.noteEdits(unseen)
	return r.verdict(failed), ran, nil
}

// verdict says the last line, if there is one.
func (r Run) verdict(failed []string) hook.Verdict {
	if r.Original != 0 {
		r.say("your own %s hook failed: exit %d", r.Event, r.Original)
		failed = append([]string{"your own " + string(r.Event) + " hook"}, failed...)
	}
	switch {
	case len(failed) == 0:
		return hook.Proceed
	case !r.Event.CanBlock():
		r.say("%s", stands(r.Event, failed...))
		return hook.Proceed
	}
	r.say("%s", Blocked(r.Event, failed...))
	return hook.Block
}

// RunOne runs one hook by hand, without a word on commits; a pre-commit hook on
// what is staged now and matches.
func (r Run) RunOne(ctx context.Context, h hook.Hook) (hook.Result, error) {
	staged, err := r.staged(ctx, h)
	if err != nil {
		return hook.Result{}, err
	}
	files, concerned, err := concerning(h, staged)
	if err != nil {
		return hook.Result{}, err
	}
	if !concerned {
		r.say("hook %s: no staged file matches its pattern: it runs with an empty list", h.ID)
	}
	return r.one(ctx, h, files)
}

// one runs a hook; files are what it is about.
func (r Run) one(ctx context.Context, h hook.Hook, files []git.Staged) (hook.Result, error) {
	if !r.Deadline.IsZero() && !time.Now().Before(r.Deadline) {
		reason := fmt.Sprintf("hook was not run: the %v that all %s hooks share were used up", Limit, h.Event)
		return run.Action{Hook: h, Watch: r.Watch}.Refuse(ctx, r.Recorder, reason)
	}
	list, cleanup, err := commands(run.Command{
		Path: h.Action.Path, Args: r.Args, Input: r.Input, Dir: r.Workspace.Dir,
		Env: append(Environ(r.Env), run.HookEnv(h, r.Workspace.Session, r.Workspace.Dir)...),
	}, h, files)
	if err != nil {
		return hook.Result{}, err
	}
	defer cleanup()
	return run.Action{
		Hook: h, Commands: list, Timeout: r.Timeout(h), Deadline: r.Deadline, Watch: r.Watch,
	}.Run(ctx, r.Recorder)
}

func (r Run) say(format string, args ...any) {
	_, _ = fmt.Fprintf(r.Out, "discobot-hooks: "+format+"\n", args...) // git may have gone; the verdict stands
}

// report names a failed hook and shows the end of what it printed.
func (r Run) report(h hook.Hook, result hook.Result) {
	r.say("%s hook \"%s\" (%s) failed: exit %d", h.Event, plaintext.Line(h.Name), plaintext.Path(h.File), result.ExitCode)
	shown := plaintext.Path(r.Workspace.Tilde(result.Output.Path))
	text, err := readTail(result.Output)
	if err != nil {
		r.say("read output: %v", err)
		return
	}
	lines := strings.Split(strings.TrimRight(plaintext.Clean(text), "\n"), "\n")
	lines = lines[max(0, len(lines)-maxTailLines):]
	switch {
	case result.Output.Bytes == 0:
		r.say("it printed nothing")
		return
	case int64(len(lines)) < result.Output.Lines:
		r.say("last %d of %d lines, all of them in %s:", len(lines), result.Output.Lines, shown)
	default:
		r.say("its output, also in %s:", shown)
	}
	for _, line := range lines {
		if runes := []rune(line); len(runes) > maxLineRunes {
			line = string(runes[:maxLineRunes]) + "…"
		}
		_, _ = fmt.Fprintln(r.Out, line) // as in say
	}
}

// readTail reads the end of a log, whole lines where it can.
func readTail(output hook.Output) (string, error) {
	content, err := regular.ReadTail(output.Path, maxTailBytes)
	if err != nil {
		return "", err
	}
	if output.Bytes > maxTailBytes {
		if _, whole, ok := bytes.Cut(content, []byte{'\n'}); ok {
			content = whole
		}
	}
	return string(content), nil
}
