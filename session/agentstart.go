package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/trust"
)

// An AgentStart is the beginning of an agent's session where no init of ours
// started the agent: outside of a container. Nothing says there that the
// workspace was meant to run programs, so only the user's hooks run, only those
// that are trusted, and each from a copy of the bytes that were checked.
type AgentStart struct {
	Stage // not as root
	Trust trust.Store

	// Background has [AgentStart.RunBackground] run in a process of its own.
	Background func() error
}

// Begun is what came of it.
type Begun struct {
	Summary
	Asked []Asked // in order
}

// Asked is a hook that did not run, since its user has to look at it first.
type Asked struct {
	File    string // its name alone
	Changed bool   // it was trusted with another content
	Unread  string // why nobody could look; empty otherwise
}

// Run runs the hooks that block, and has those that do not run behind us. Where
// the same has just been done for this session, or is being done, it does
// nothing: an agent may call us through two registrations.
func (s *AgentStart) Run(ctx context.Context) (Begun, error) {
	plan, err := s.plan()
	if err != nil || len(plan.run)+len(plan.asked) == 0 {
		return Begun{}, err
	}
	turn, err := claim(ctx, filepath.Join(s.Workspace.State, startName))
	if err != nil || turn == nil || turn.isAgain(plan.digest) {
		turn.release()
		return Begun{}, err
	}
	defer turn.release()
	begun := Begun{Asked: plan.asked}
	s.runSeen(ctx, plan.blocking(true), &begun.Summary)
	if background := plan.blocking(false); len(background) > 0 && ctx.Err() == nil {
		if err := s.Background(); err != nil {
			s.warn(plaintext.Line(fmt.Sprintf("start background session hooks: %v", err)))
		}
	}
	if ctx.Err() != nil {
		return begun, context.Cause(ctx)
	}
	if begun.NotRun > 0 {
		s.Log.Warn().Int("not_run", begun.NotRun).Msg("session hooks: the agent's time limit leaves no time for all")
		return begun, nil // what is not done may be done by the next
	}
	return begun, turn.note(plan.digest)
}

// RunBackground runs the hooks that do not block, unless another process is at
// it for this session. It reads and checks them anew.
func (s *AgentStart) RunBackground(ctx context.Context) error {
	plan, err := s.plan()
	if err != nil {
		return err
	}
	turn, err := claim(ctx, filepath.Join(s.Workspace.State, backgroundName))
	if err != nil || turn == nil {
		return err
	}
	defer turn.release()
	s.runSeen(ctx, plan.blocking(false), new(Summary))
	return context.Cause(ctx)
}

// startPlan is what there is to do.
type startPlan struct {
	run    []*Seen
	asked  []Asked
	digest string // another one where any of it differs
}

func (p *startPlan) blocking(wanted bool) []*Seen {
	var out []*Seen
	for _, one := range p.run {
		if one.Hook.Blocking == wanted {
			out = append(out, one)
		}
	}
	return out
}

// plan reads the hooks once and decides on each. Hooks for root are for
// containers, and nobody's business here.
func (s *AgentStart) plan() (*startPlan, error) {
	plan := new(startPlan)
	seen, problems, err := Look(s.Workspace)
	if err != nil {
		return nil, err
	}
	s.report(loaded{Problems: problems})
	if len(seen) == 0 {
		return plan, nil
	}
	trusted, err := s.Trust.Of(s.Workspace.Dir)
	if err != nil {
		return nil, err
	}
	all := sha256.New()
	for _, one := range seen {
		if one.Hook.Action.RunAs == hook.AsRoot {
			s.Log.Info().Str("hook", one.Hook.ID).Msg("not run: run_as: root is for containers")
			continue
		}
		name := filepath.Base(one.Hook.File)
		is, known := trusted.Has(name, one.Sum)
		if is {
			plan.run = append(plan.run, one)
		} else {
			plan.asked = append(plan.asked, Asked{File: name, Changed: known, Unread: one.Unread})
		}
		fmt.Fprintf(all, "%q %s %v\n", name, one.Sum, is)
	}
	plan.digest = hex.EncodeToString(all.Sum(nil))
	return plan, nil
}

// runSeen runs hooks from copies that lie in the session's state, where only
// their user can write: no other place is both that and out of the reach of an
// agent in a sandbox.
func (s *AgentStart) runSeen(ctx context.Context, seen []*Seen, summary *Summary) {
	if len(seen) == 0 {
		return
	}
	name := startName
	if !seen[0].Hook.Blocking {
		name = backgroundName
	}
	dir := filepath.Join(s.Workspace.State, name+".d")
	defer os.RemoveAll(dir) // the next start tries again
	scripts := newCopies(func() (string, error) {
		_ = os.RemoveAll(dir) // what a process that was killed has left: we hold the lock
		return dir, os.Mkdir(dir, 0o700)
	})
	var hooks []hook.Hook
	for _, one := range seen {
		if err := scripts.add(one.Hook, one.Content); err != nil {
			scripts.refused[one.Hook.ID] = fmt.Sprintf("copy hook: %v", err)
		}
		hooks = append(hooks, one.Hook)
	}
	s.all(ctx, hooks, scripts, s.userSide(), summary)
}
