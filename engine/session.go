package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/variables"
	"discobot-hooks/run"
)

// errEnded unwinds a pipeline whose outcome says why it ended.
var errEnded = errors.New("pipeline ended")

// session is one run of a pipeline.
type session struct {
	Options
	bash    string // absolute
	plan    plan
	dir     folder
	values  values
	outcome Outcome
}

func newSession(o Options, dir folder, p plan) (*session, error) {
	s := &session{Options: o, plan: p, dir: dir}
	if s.bash = run.LookPath("bash", o.Env); !filepath.IsAbs(s.bash) {
		return nil, noBash{}
	}
	var err error
	if s.Inputs, err = inputsFile(dir, o.Inputs); err != nil {
		return nil, err
	}
	s.values.session = cmp.Or(o.Name, filepath.Base(string(dir)))
	s.values.pipelineFile = p.file
	s.outcome.Session = s.values.session
	return s, errors.Join(dir.makeMissing(progressFile, ""), dir.clear())
}

type noBash struct{}

func (noBash) Error() string { return "find bash: not installed, or not in PATH" }

// Hint says what to do.
func (noBash) Hint() string { return "install bash: the commands of stages are written for it" }

func (s *session) run(ctx context.Context) error {
	s.enter(0)
	if err := s.point(ctx, onSessionStart); err != nil {
		return err
	}
	for i := range s.plan.stages {
		if err := s.stage(ctx, i); err != nil {
			return err
		}
	}
	return s.point(ctx, onSessionComplete)
}

// enter makes the values those of a stage's beginning.
func (s *session) enter(i int) {
	st := s.plan.stages[i]
	s.values.stage, s.values.stageFile, s.values.maxIterations = st.name, st.file, st.most
	s.values.nextStage = ""
	if i+1 < len(s.plan.stages) {
		s.values.nextStage = s.plan.stages[i+1].name
	}
	s.values.iteration, s.values.lastDecision = 0, ""
	s.values.changed, s.values.outputs = nil, outputs{}
}

func (s *session) stage(ctx context.Context, i int) error {
	s.enter(i)
	s.outcome.Stages = append(s.outcome.Stages, Stage{Name: s.values.stage})
	for s.values.iteration < s.values.maxIterations && s.values.lastDecision != "stop" {
		s.values.iteration++
		if err := s.iteration(ctx, s.plan.stages[i]); err != nil {
			return err
		}
	}
	return s.point(ctx, onStageComplete)
}

// iteration runs the stage's command once, between its points.
func (s *session) iteration(ctx context.Context, st stage) error {
	s.say("stage %s: iteration %d of %d", st.name, s.values.iteration, st.most)
	s.values.changed = nil
	if err := s.point(ctx, onIterationStart); err != nil {
		return err
	}
	trouble, err := s.command(ctx, st)
	if err != nil {
		return err
	}
	if trouble == "" {
		return s.point(ctx, onIterationComplete)
	}
	trouble = fmt.Sprintf("stage %s: iteration %d: %s", st.name, s.values.iteration, trouble)
	s.outcome.Failed, s.outcome.Reason = true, trouble
	s.values.err = trouble
	if err := s.point(ctx, onError); err != nil {
		return fmt.Errorf("%s; then %w", trouble, err)
	}
	return errEnded
}

// point tells a hook point. Where its hooks block, the pipeline ends; one that
// failed does so anyway, for its own reason.
func (s *session) point(ctx context.Context, name string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := s.writeContext(); err != nil {
		return err
	}
	reply, err := s.Emit(ctx, name, s.values.data(s.dir))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	s.values.carry(reply.Result)
	if !reply.Blocked || s.outcome.Failed {
		return nil
	}
	s.outcome.Blocked, s.outcome.Reason, s.outcome.Point = true, reply.Reason, name
	return errEnded
}

// writeContext makes context.json say how things are.
func (s *session) writeContext() error {
	return s.dir.replace(contextFile, append(variables.JSON(s.values.data(s.dir)), '\n'))
}

// say tells people one line.
func (s *session) say(format string, args ...any) {
	_, _ = fmt.Fprintf(s.Log, "discobot-hooks: %s\n", plaintext.Line(fmt.Sprintf(format, args...))) // nobody left to tell
}
