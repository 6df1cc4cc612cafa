// Package session runs a workspace's session hooks in order, as root or as
// the user, each recorded, before the agent starts.
//
// Start with [Stage.Run]. Where we are root and the user is not, root's
// identity never opens a file below the user's home: whatever reads the
// workspace or writes the session's state is a child of this same binary with
// the user's identity ([Serve]), so that the kernel's own permission check is
// the wall, and a link that the user put somewhere leads nowhere the user
// could not go anyway. What such a child answers is the user's word: root
// believes it no more than it believes the workspace.
package session

import (
	"context"
	"fmt"
	"path"
	"time"

	"github.com/rs/zerolog"

	"discobot-hooks/hook"
	"discobot-hooks/internal/account"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/workspace"
	"discobot-hooks/run"
)

// A Stage knows what the session hooks of one container start work with.
type Stage struct {
	Workspace workspace.Workspace
	User      account.Account // whom user hooks run as
	Root      bool            // we are root
	Self      string          // path of this binary, for children
	Env       []string        // the container's
	Timeout   func(hook.Hook) time.Duration
	RootHooks RootPolicy
	NoInstall bool
	Log       zerolog.Logger

	// Deadline bounds all hooks together. Zero: only their own limits do.
	Deadline time.Time

	// Watch follows each hook for people. Nil means that its lines are logged.
	Watch func(hook.Hook) run.Watcher
}

// A Summary counts what happened.
type Summary struct {
	Run    int // hooks that ran, were refused or were stopped
	Failed int
	NotRun int // because the stage was stopped before, or its time was up
	// Failures are the files' names and how each ended, of those that failed.
	Failures []string
}

// Run runs the hooks that block, installs the git hook, calls ready, and runs
// the hooks that do not block. A hook that fails is logged and recorded, and
// the next one runs. The error is ctx's, or says why no hook could be found
// out at all.
func (s Stage) Run(ctx context.Context, ready func()) (Summary, error) {
	side := s.userSide()
	found, err := side.load(ctx)
	if err != nil {
		return Summary{}, err
	}
	s.report(found)
	scripts := s.copyRootHooks(found)
	defer scripts.remove()
	blocking, background := split(found.Hooks)
	var summary Summary
	s.all(ctx, blocking, scripts, side, &summary)
	s.Log.Info().Int("run", summary.Run).Int("failed", summary.Failed).Int("not_run", summary.NotRun).Msg("session hooks done")
	if ctx.Err() != nil {
		return summary, context.Cause(ctx)
	}
	if found.Git && !s.NoInstall {
		if err := side.install(ctx); err != nil {
			s.Log.Warn().Msg(plaintext.Line(err.Error()))
		}
	}
	ready()
	if len(background) == 0 {
		return summary, nil
	}
	s.all(ctx, background, scripts, side, &summary)
	s.Log.Info().Int("run", summary.Run).Int("failed", summary.Failed).Int("not_run", summary.NotRun).Msg("background session hooks done")
	return summary, context.Cause(ctx)
}

// RunOne runs one session hook by hand, as the stage would.
func (s Stage) RunOne(ctx context.Context, id string) (hook.Result, error) {
	side := s.userSide()
	found, err := side.load(ctx)
	if err != nil {
		return hook.Result{}, err
	}
	scripts := s.copyRootHooks(found)
	defer scripts.remove()
	for _, h := range found.Hooks {
		if h.ID == id {
			return s.one(ctx, h, scripts, side)
		}
	}
	return hook.Result{}, fmt.Errorf("run hook %s: it is gone", id)
}

// report says what a user should know of the hooks that cannot run.
func (s Stage) report(found loaded) {
	for _, problem := range found.Problems {
		if problem.Severity == hook.Error {
			s.Log.Warn().Msg(plaintext.Line(problem.String()))
		}
	}
}

func split(hooks []hook.Hook) (blocking, background []hook.Hook) {
	for _, h := range hooks {
		switch {
		case h.Event != hook.Session:
		case h.Blocking:
			blocking = append(blocking, h)
		default:
			background = append(background, h)
		}
	}
	return blocking, background
}

// all runs the hooks one after the other and counts.
func (s Stage) all(ctx context.Context, hooks []hook.Hook, scripts copies, side userSide, summary *Summary) {
	for _, h := range hooks {
		if ctx.Err() != nil || s.late() {
			summary.NotRun++
			continue
		}
		result, err := s.one(ctx, h, scripts, side)
		summary.Run++
		if !result.Success() {
			summary.Failed++
			summary.Failures = append(summary.Failures, fmt.Sprintf("%s (exit %d)", path.Base(h.File), result.ExitCode))
		}
		if err != nil {
			s.Log.Error().Str("hook", h.ID).Msg("not recorded: " + plaintext.Line(err.Error()))
		}
	}
}

// one runs a single hook, or records why it must not run.
func (s Stage) one(ctx context.Context, h hook.Hook, scripts copies, recorder hook.Recorder) (hook.Result, error) {
	action := run.Action{Hook: h, Timeout: s.Timeout(h), Deadline: s.Deadline, Watch: s.watch}
	if reason := scripts.refused[h.ID]; reason != "" {
		return action.Refuse(ctx, recorder, reason)
	}
	command := run.Command{Dir: s.Workspace.Dir}
	command.Path, command.Args = scripts.argv(h)
	as, home, asRoot := s.User, s.Workspace.Home, h.Action.RunAs == hook.AsRoot
	switch {
	case asRoot:
		as, home = account.Root(), account.Root().Home
	case s.drops():
		command.User = &s.User
	}
	command.Env = run.SessionEnv(s.Env, as, home, asRoot, h.Action.PassEnv)
	command.Env = append(command.Env, run.HookEnv(h, s.Workspace.Session, s.Workspace.Dir)...)
	command.Env = append(command.Env, "DISCOBOT_HOOK_FILE="+h.Action.Path)
	action.Commands = []run.Command{command}
	return action.Run(ctx, stoppedIsFailed{recorder})
}

func (s Stage) watch(h hook.Hook) run.Watcher {
	if s.Watch != nil {
		return s.Watch(h)
	}
	return newLineLog(s.Log, h)
}

func (s Stage) late() bool { return !s.Deadline.IsZero() && !time.Now().Before(s.Deadline) }

// drops tells whether user hooks need another identity than ours.
func (s Stage) drops() bool { return s.Root && s.User.UID != 0 }

// userSide is who reads the workspace and writes the state.
func (s Stage) userSide() userSide {
	if s.drops() {
		return childSide{stage: s}
	}
	return ownSide{stage: s}
}

// A userSide does what needs the user's identity.
type userSide interface {
	hook.Recorder
	load(context.Context) (loaded, error)
	install(context.Context) error
}

// stoppedIsFailed records a hook that was stopped with the stage: unlike a
// pending file hook it does not run again by itself, so people must find out.
type stoppedIsFailed struct{ hook.Recorder }

func (r stoppedIsFailed) Begin(h hook.Hook) (hook.Recording, error) {
	recording, err := r.Recorder.Begin(h)
	return stoppedRecording{recording}, err
}

type stoppedRecording struct{ hook.Recording }

func (r stoppedRecording) End(ctx context.Context, result hook.Result) (hook.Result, error) {
	result.Aborted = false
	return r.Recording.End(context.WithoutCancel(ctx), result)
}
