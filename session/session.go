// Package session runs a workspace's session hooks in order, as root or as
// the user, each recorded, before the agent starts.
//
// Start with [Stage.Run]. Where we are root and the user is not, root's
// identity never opens a file below the user's home: whatever reads the
// workspace or writes the session's state is a child of this same binary with
// the user's identity ([Serve]), so that the kernel's own permission check is
// the wall, and a link that the user put somewhere leads nowhere the user
// could not go anyway.
package session

import (
	"context"
	"errors"
	"fmt"
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

	// Watch follows each hook for people. Nil means that its lines are logged.
	Watch func(hook.Hook) run.Watcher
}

// A Summary counts what happened.
type Summary struct {
	Run    int // hooks that ran or were refused
	Failed int
}

// Run runs the hooks that block, installs the git hook, calls ready, and runs
// the hooks that do not block. A hook that fails is logged and recorded, and
// the next one runs. The error is ctx's, or says why no hook could be found
// out at all.
func (s Stage) Run(ctx context.Context, ready func()) (Summary, error) {
	agent := s.userSide()
	found, err := agent.load(ctx)
	if err != nil {
		ready()
		return Summary{}, err
	}
	for _, problem := range found.Problems {
		if problem.Severity == hook.Error {
			s.Log.Warn().Msg(plaintext.Line(problem.String()))
		}
	}
	scripts, err := s.copyRootHooks(found)
	if err != nil {
		s.Log.Error().Err(err).Msg("root hooks cannot run")
	}
	defer scripts.remove()
	var summary Summary
	runAll := func(blocking bool) error {
		for _, h := range found.Hooks {
			if h.Event != hook.Session || h.Blocking != blocking {
				continue
			}
			result, err := s.one(ctx, h, found, scripts, agent)
			if result.Aborted || ctx.Err() != nil {
				return context.Cause(ctx)
			}
			summary.Run++
			if !result.Success() {
				summary.Failed++
			}
			if err != nil {
				s.Log.Error().Err(err).Str("hook", h.ID).Msg("hook is not recorded")
			}
		}
		return nil
	}
	if err := runAll(true); err != nil {
		return summary, err
	}
	if found.Git && !s.NoInstall {
		if err := agent.install(ctx); err != nil {
			s.Log.Warn().Err(err).Msg("git hook is not installed")
		}
	}
	ready()
	err = runAll(false)
	s.Log.Info().Int("run", summary.Run).Int("failed", summary.Failed).Msg("session hooks done")
	return summary, err
}

// one runs a single hook, or records why it must not run.
func (s Stage) one(ctx context.Context, h hook.Hook, found loaded, scripts rootScripts, recorder hook.Recorder) (hook.Result, error) {
	watch := s.watch(h)
	action := run.Action{Hook: h, Timeout: s.Timeout(h), Watch: watch}
	asRoot := h.Action.RunAs == hook.AsRoot
	if asRoot {
		if reason := s.refusal(h, found); reason != "" {
			result, err := action.Refuse(ctx, recorder, reason)
			watch.Done(result)
			return result, err
		}
	}
	command := run.Command{Path: h.Action.Path, Dir: s.Workspace.Dir}
	as, home := s.User, s.Workspace.Home
	switch {
	case asRoot:
		as, home = account.Root(), account.Root().Home
		if s.drops() {
			command.Path, command.Args = scripts.argv(h)
		}
	case s.drops():
		command.User = &s.User
	}
	command.Env = run.SessionEnv(s.Env, as, home, h.Action.PassEnv)
	command.Env = append(command.Env, run.HookEnv(h, s.Workspace.Session, s.Workspace.Dir)...)
	command.Env = append(command.Env, "DISCOBOT_HOOK_FILE="+h.Action.Path)
	action.Commands = []run.Command{command}
	return action.Run(ctx, recorder)
}

// RunOne runs one session hook by hand, as the stage would.
func (s Stage) RunOne(ctx context.Context, id string) (hook.Result, error) {
	agent := s.userSide()
	found, err := agent.load(ctx)
	if err != nil {
		return hook.Result{}, err
	}
	scripts, err := s.copyRootHooks(found)
	defer scripts.remove()
	if err != nil {
		return hook.Result{}, err
	}
	for _, h := range found.Hooks {
		if h.ID == id {
			return s.one(ctx, h, found, scripts, agent)
		}
	}
	return hook.Result{}, fmt.Errorf("run hook %s: it is gone", id)
}

func (s Stage) watch(h hook.Hook) run.Watcher {
	if s.Watch != nil {
		return s.Watch(h)
	}
	return newLineLog(s.Log, h)
}

// drops tells whether user hooks need another identity than ours.
func (s Stage) drops() bool { return s.Root && s.User.UID != 0 }

// refusal is why a root hook must not run, or nothing.
func (s Stage) refusal(h hook.Hook, found loaded) string {
	if !s.Root {
		return "run_as: root, but we do not run as root"
	}
	script, ok := found.Scripts[h.ID]
	if !ok {
		return "run_as: root, but its file could not be read"
	}
	s.Log.Info().Str("hook", h.ID).Str("sha256", script.SHA256).Bool("differs_from_head", !script.Committed).Msg("root hook")
	return s.RootHooks.refusal(script)
}

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

var errNoRecord = errors.New("the recording process ended early")
