package engine

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"discobot-hooks/hook"
	"discobot-hooks/internal/progress"
	"discobot-hooks/run"
)

// command runs a stage's command and takes in what it leaves. The trouble is
// what makes the iteration a failed one; the error is ours.
func (s *session) command(ctx context.Context, st stage) (trouble string, err error) {
	env, log, err := s.prepare(st)
	if err != nil {
		return "", err
	}
	shown := &progress.Stream{To: s.Log}
	var printed kept
	var complaint tail
	both := &sink{log: log, people: shown}
	result := run.Command{
		Path: s.bash, Args: []string{"-c", st.command}, Dir: string(s.dir), Env: env,
		Stdout: io.MultiWriter(&printed, both), Stderr: io.MultiWriter(&complaint, both), Timeout: s.Timeout,
	}.Run(ctx)
	shown.Done(result)
	closeErr := log.Close()
	if result.Aborted {
		return "", context.Cause(ctx)
	}
	if both.err != nil || closeErr != nil {
		s.say("the log of stage %s is not whole: %v", st.name, cmp.Or(both.err, closeErr))
	}
	trouble = s.trouble(result, complaint.line())
	if err := s.takeOutput(&printed); err != nil {
		return "", err
	}
	return s.takeFiles(trouble), nil
}

// prepare makes the files of an iteration, and its environment. The caller
// closes the log.
func (s *session) prepare(st stage) (env []string, log *os.File, err error) {
	if err := s.dir.clear(); err != nil {
		return nil, nil, err
	}
	if err := s.writeContext(); err != nil { // the hooks may have left something
		return nil, nil, err
	}
	if env, err = s.environ(); err != nil {
		return nil, nil, err
	}
	log, err = s.dir.createLog(st.log, s.values.iteration)
	return env, log, err
}

// environ is the command's environment: the caller's, and over it the values.
func (s *session) environ() ([]string, error) {
	own, err := s.values.environ(s.dir)
	if err != nil {
		return nil, err
	}
	env := append(s.Env[:len(s.Env):len(s.Env)], own...)
	return append(env, "INPUTS="+s.Inputs, "DISCOBOT_WORKSPACE="+s.Workspace), nil
}

// trouble says how a command failed, with its last word on stderr; empty where
// it did not.
func (s *session) trouble(result hook.Result, complaint string) string {
	var text string
	switch {
	case result.Success():
		return ""
	case result.Status == hook.TimedOut:
		text = fmt.Sprintf("timed out after %v", s.Timeout)
	case result.Reason != "":
		return strings.TrimPrefix(result.Reason, "hook ")
	default:
		text = fmt.Sprintf("exit code %d", result.ExitCode)
	}
	if complaint != "" {
		text += ": " + complaint
	}
	return text
}

// takeOutput makes what the command printed its output; where it printed
// nothing, the output.json that it wrote.
func (s *session) takeOutput(printed *kept) error {
	if len(printed.bytes) == 0 {
		own, ok, err := s.dir.ownOutput()
		if err != nil {
			s.say("%v", err)
		}
		if ok {
			s.noteOutput(&own)
			return nil
		}
	}
	return s.dir.replace(outputFile, s.noteOutput(printed))
}

// noteOutput adds an output to the stage's.
func (s *session) noteOutput(k *kept) []byte {
	content := k.json()
	if k.cut {
		s.say("the output is over %d KiB: the rest is not used", maxOutputBytes>>10)
	}
	if s.values.outputs.add(content) {
		s.say("the stage's outputs are over %d MiB together: the oldest are dropped", maxStageBytes>>20)
	}
	s.outcome.Output = content
	return content
}

// takeFiles reads what the command wrote for us. It returns the trouble, to
// which a decision may add one.
func (s *session) takeFiles(trouble string) string {
	changed, err := s.dir.changed()
	if err != nil {
		s.say("%v", err)
	}
	said, err := s.dir.decision()
	if err != nil {
		s.say("%v", err)
	}
	s.values.changed, s.values.lastDecision = changed, said.word
	ended := &s.outcome.Stages[len(s.outcome.Stages)-1]
	ended.Iterations, ended.Decision = s.values.iteration, said.word
	if said.word == "error" && trouble == "" {
		trouble = "it decided on error"
		if said.reason != "" {
			trouble += ": " + said.reason
		}
	}
	return trouble
}
