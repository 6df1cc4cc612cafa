package turn

import (
	"context"
	"fmt"
	"slices"

	"discobot-hooks/filewatch"
	"discobot-hooks/hook"
	"discobot-hooks/internal/filelist"
	"discobot-hooks/internal/pattern"
	"discobot-hooks/run"
	"discobot-hooks/status"
)

// runPending runs the pending hooks in order, up to the first failure or, with
// keepGoing, all. A hook that succeeds, or that concerns no candidate any
// more, is pending no longer, and what is noted of it goes too.
func (e Evaluator) runPending(ctx context.Context, scan *filewatch.Scan, hooks []hook.Hook,
	noted map[string]pending, keepGoing bool) (ran []hook.Ran, failures []failure, err error) {
	for _, h := range hooks {
		files, err := e.candidates(ctx, scan, h, noted[h.ID].Origin)
		if err != nil {
			return ran, failures, err
		}
		if len(files) == 0 && !noted[h.ID].Unknown {
			if err := e.clear(ctx, h.ID); err != nil {
				return ran, failures, err
			}
			delete(noted, h.ID)
			continue
		}
		result, err := e.run(ctx, h, files)
		if err != nil {
			return ran, failures, err
		}
		if result.Aborted {
			return ran, failures, context.Cause(ctx)
		}
		ran = append(ran, hook.Ran{Hook: h, Result: result})
		if result.Success() {
			delete(noted, h.ID)
			continue
		}
		failures = append(failures, e.failure(h, result, files))
		if !keepGoing {
			break
		}
	}
	return ran, failures, nil
}

// candidates are the files since the hook became pending that it is about.
func (e Evaluator) candidates(ctx context.Context, scan *filewatch.Scan, h hook.Hook, origin filewatch.Origin) ([]filewatch.File, error) {
	matcher, err := compile(h)
	if err != nil {
		return nil, err
	}
	files, err := scan.Since(ctx, origin)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(files, func(f filewatch.File) bool { return !matcher.Match(f.Path) }), nil
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
// once, with an empty list.
func (e Evaluator) run(ctx context.Context, h hook.Hook, files []filewatch.File) (hook.Result, error) {
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
	return run.Action{Hook: h, Commands: commands, Timeout: e.Timeout(h), Watch: e.Watch}.Run(ctx, e.Store)
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
	before, err := readState(e.Store.Dir(), e.Warn)
	if err != nil {
		return hook.Result{}, err
	}
	scan, err := e.watch().Scan(ctx, before.Snapshot)
	if err != nil {
		return hook.Result{}, err
	}
	origin := scan.Origin
	if noted, ok := before.Pending[h.ID]; ok {
		origin = noted.Origin.Extend(scan)
	}
	files, err := e.candidates(ctx, scan, h, origin)
	if err != nil {
		return hook.Result{}, err
	}
	if len(files) == 0 {
		e.Warn(fmt.Sprintf("hook %s: no changed file matches its pattern: it runs with an empty list", h.ID))
	}
	return e.run(ctx, h, files)
}

func (e Evaluator) failure(h hook.Hook, result hook.Result, files []filewatch.File) failure {
	names := make([]string, 0, len(files))
	for _, f := range files {
		names = append(names, f.Path)
	}
	return failure{hook: h, result: result, files: names, shown: e.Workspace.Tilde(result.Output.Path)}
}
