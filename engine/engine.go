// Package engine is the small local engine of pipelines (design 3): stages in
// order, each some iterations of one shell command, with the design's hook
// points between them.
//
// Start with [Run]. The hooks themselves are not here: Run tells each point to
// [Options.Emit] and obeys the answer. It does not ask a model, judge whether
// a stage is done (`termination`), resume a session, or run stages at once; a
// pipeline that needs these has an engine of its own.
//
// # The session directory
//
// The commands run in it, and talk with the engine through its files.
// progress.md and inputs.json are made where they are missing and kept.
// context.json holds the values of the moment, values/ those that are too long
// for a variable, output/STAGE-N.log what an iteration printed. Three more are
// the command's to write; they are removed before each iteration, so that what
// is in them is its own:
//
//   - status.json: a JSON object, whose `decision` may be "stop" (the stage is
//     done), "error" (the iteration failed, for its `reason`) or anything else.
//   - changed-files: the files that the iteration changed, one a line.
//   - output.json: the iteration's output, where it prints nothing. Else the
//     engine writes there what it printed.
package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"discobot-hooks/internal/filelock"
)

// The hook points, in the design's order.
const (
	onSessionStart      = "on_session_start"
	onIterationStart    = "on_iteration_start"
	onIterationComplete = "on_iteration_complete"
	onStageComplete     = "on_stage_complete"
	onSessionComplete   = "on_session_complete"
	onError             = "on_error"
)

// lockLimit is how long another engine in the same directory is waited for:
// one that just ends, not one at work.
const lockLimit = 500 * time.Millisecond

// Options say what to run, and where.
type Options struct {
	Workspace  string // absolute; the pipeline's files lie in it
	SessionDir string // made at need, for us alone; no two engines run in one
	Pipeline   string // a name, or the path of a file, which ends in .yaml, relative to the workspace
	Inputs     string // a file for the commands; empty: inputs.json of the session directory
	Name       string // of the session; empty: the base name of SessionDir
	Env        []string
	Timeout    time.Duration // of one iteration; zero: none

	// Emit takes a hook point to its hooks. data is for this call alone: the
	// design's variables with names in lower case, and session_dir, stage_file
	// and pipeline_file, absolute paths of which the latter two are empty where
	// there is no file. iteration and max_iterations are ints, changed_files a
	// []any of strings, stage_outputs the text of a JSON array, and the rest
	// strings, or what a Result had. An error ends the pipeline.
	Emit func(ctx context.Context, point string, data map[string]any) (Reply, error)

	// Log gets what people want to see: a line for each iteration, and what
	// the commands print, made safe for a terminal.
	Log io.Writer
}

// A Reply is what the hooks of a point said.
type Reply struct {
	Blocked bool
	Reason  string

	// Result may have last_hook_status, hook_response and spawn_output, which
	// the next points and commands then get.
	Result map[string]any
}

// An Outcome is how a pipeline ended: done, blocked or failed.
type Outcome struct {
	Session string
	Stages  []Stage // those that began

	// Output is that of the last iteration: JSON where it printed JSON, else a
	// JSON string. Nil where there was none.
	Output json.RawMessage

	Blocked bool   // a hook point, Point, ended the pipeline
	Failed  bool   // an iteration did, whatever the hooks of on_error said
	Reason  string // why it is blocked or failed
	Point   string
}

// A Stage is what became of a stage.
type Stage struct {
	Name       string
	Iterations int    // that ended
	Decision   string // of the last of them
}

// Run runs a pipeline to its end. The error is ours or about the pipeline's
// files ([*NameError], [*FileError], [*NotFoundError]); what commands and hooks
// do is in the outcome. When ctx is done, the running command's process group
// is ended, as package run does, and the error is ctx's cause.
func Run(ctx context.Context, o Options) (Outcome, error) {
	plan, err := load(o.Workspace, o.Pipeline)
	if err != nil {
		return Outcome{}, err
	}
	dir, err := openFolder(o.SessionDir)
	if err != nil {
		return Outcome{}, err
	}
	unlock, err := filelock.AcquireDir(ctx, string(dir), lockLimit)
	if errors.Is(err, filelock.ErrLocked) {
		return Outcome{}, &busyError{dir}
	}
	if err != nil {
		return Outcome{}, fmt.Errorf("lock session directory: %w", err)
	}
	defer unlock()
	s, err := newSession(o, dir, plan)
	if err != nil {
		return Outcome{}, err
	}
	if err := s.run(ctx); !errors.Is(err, errEnded) {
		return s.outcome, err
	}
	return s.outcome, nil
}

// busyError is about a session directory in which an engine runs.
type busyError struct{ dir folder }

func (e *busyError) Error() string {
	return fmt.Sprintf("lock session directory: another engine runs in %s", string(e.dir))
}

// Hint says what to do.
func (*busyError) Hint() string { return "give each run a --session-dir of its own" }

// openFolder makes the session directory.
func openFolder(path string) (folder, error) {
	dir, err := filepath.Abs(path)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return "", fmt.Errorf("make session directory: %w", err)
	}
	return folder(dir), nil
}

// inputsFile is the absolute path of the inputs, made at need.
func inputsFile(dir folder, given string) (string, error) {
	if given == "" {
		return dir.path("inputs.json"), dir.makeMissing("inputs.json", "{}\n")
	}
	path, err := filepath.Abs(given)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		return "", fmt.Errorf("read inputs: %w", err)
	}
	return path, nil
}
