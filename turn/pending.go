package turn

import (
	"context"
	"fmt"
	"slices"
	"time"

	"discobot-hooks/filewatch"
	"discobot-hooks/hook"
	"discobot-hooks/internal/filelist"
	"discobot-hooks/internal/pattern"
	"discobot-hooks/run"
	"discobot-hooks/status"
)

// runPending runs the pending hooks in order, up to the first failure or, with
// KeepGoing, all. A hook that succeeds, or that concerns no candidate any
// more, is pending no longer, and what is noted of it goes too. late are the
// ids of those for which the deadline left no time.
func (e Evaluator) runPending(ctx context.Context, scan *filewatch.Scan, hooks []hook.Hook, now state, o Options,
) (ran []hook.Ran, failures []failure, late []string, err error) {
	for _, h := range hooks {
		files, err := e.candidates(ctx, scan, h, now)
		if err != nil {
			return ran, failures, nil, err
		}
		if len(files) == 0 && !now.Pending[h.ID].Unknown {
			if err := e.clear(ctx, h.ID); err != nil {
				return ran, failures, nil, err
			}
			delete(now.Pending, h.ID)
			continue
		}
		if o.late() {
			late = append(late, h.ID)
			continue
		}
		cut := o.cuts(e.Timeout(h), h.Action.Retries)
		result, err := e.run(ctx, h, files, o.Deadline)
		if err != nil {
			return ran, failures, nil, err
		}
		if result.Aborted {
			return ran, failures, nil, context.Cause(ctx)
		}
		ran = append(ran, hook.Ran{Hook: h, Result: result})
		if result.Success() {
			delete(now.Pending, h.ID)
			continue
		}
		failed := e.failure(h, result, files)
		failed.cut = cut && result.Status == hook.TimedOut
		failures = append(failures, failed)
		if !o.KeepGoing {
			break
		}
	}
	return ran, failures, late, nil
}

// minRun is the least time before the deadline that a hook is started for.
const minRun = time.Second

// late tells that the deadline leaves no time for a hook.
func (o Options) late() bool { return !o.Deadline.IsZero() && time.Until(o.Deadline) < minRun }

// cuts tells that the deadline can come before a hook with that time limit has
// made all its attempts.
func (o Options) cuts(limit time.Duration, retries int) bool {
	return !o.Deadline.IsZero() && time.Until(o.Deadline) < limit*time.Duration(retries+1)
}

// candidates are the files since the hook became pending that it is about, less
// those that are another session's.
func (e Evaluator) candidates(ctx context.Context, scan *filewatch.Scan, h hook.Hook, now state) ([]filewatch.File, error) {
	matcher, err := compile(h)
	if err != nil {
		return nil, err
	}
	files, err := scan.Since(ctx, now.Pending[h.ID].Origin)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(notIn(now.Foreign, files), func(f filewatch.File) bool { return !matcher.Match(f.Path) }), nil
}

func compile(h hook.Hook) (*pattern.Matcher, error) {
	matcher, err := pattern.Compile(h.Match)
	if err != nil {
		return nil, fmt.Errorf("match hook %s: %w", h.ID, err)
	}
	return matcher, nil
}

// clear takes a hook off the pending list unrun: all its files are as they
// were committed.
func (e Evaluator) clear(ctx context.Context, id string) error {
	return e.Store.Update(ctx, func(f *status.File) error {
		f.RemovePending(id)
		return nil
	})
}

// run runs one hook on the files that exist. With deletions alone it runs
// once, with an empty list. No attempt of it outlasts the deadline; zero is none.
func (e Evaluator) run(ctx context.Context, h hook.Hook, files []filewatch.File, deadline time.Time) (hook.Result, error) {
	var paths []string
	for _, f := range files {
		if !f.Deleted {
			paths = append(paths, f.Path)
		}
	}
	base := run.Command{Path: h.Action.Path, Dir: e.Workspace.Dir, Env: append(run.InheritedEnv(e.Env),
		run.HookEnv(h, e.Workspace.Session, e.Workspace.Dir)...)}
	commands, cleanup, err := filelist.Commands(base, paths, e.Store.Dir())
	if err != nil {
		return hook.Result{}, err
	}
	defer cleanup()
	action := run.Action{Hook: h, Commands: commands, Timeout: e.Timeout(h), Deadline: deadline, Watch: e.Watch}
	return action.Run(ctx, e.Store)
}

// RunOne runs one file hook by hand, on what is dirty now and matches. It
// neither looks for changes nor counts as an evaluation; a hook that succeeds
// is pending no longer.
func (e Evaluator) RunOne(ctx context.Context, h hook.Hook) (hook.Result, error) {
	unlock, err := e.Store.LockTurn(ctx)
	if err != nil {
		return hook.Result{}, err
	}
	defer unlock()
	before, err := readState(e.Store.Dir(), e.root(), e.Warn)
	if err != nil {
		return hook.Result{}, err
	}
	scan, err := e.watch().Scan(ctx, before.Snapshot)
	if err != nil {
		return hook.Result{}, err
	}
	noted, ok := before.Pending[h.ID]
	if !ok {
		noted.Origin = scan.Origin
	}
	now := state{Pending: map[string]pending{h.ID: {Origin: noted.Origin.Extend(scan)}}}
	files, err := e.candidates(ctx, scan, h, now)
	if err != nil {
		return hook.Result{}, err
	}
	if len(files) == 0 {
		e.Warn(fmt.Sprintf("hook %s: no changed file matches its pattern: it runs with an empty list", h.ID))
	}
	return e.run(ctx, h, files, time.Time{})
}

func (e Evaluator) failure(h hook.Hook, result hook.Result, files []filewatch.File) failure {
	names := make([]string, 0, len(files))
	for _, f := range files {
		names = append(names, f.Path)
	}
	return failure{hook: h, result: result, files: names, shown: e.Workspace.Tilde(result.Output.Path)}
}
