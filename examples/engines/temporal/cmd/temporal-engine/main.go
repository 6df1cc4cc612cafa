// Command temporal-engine is an engine for spawn hooks that has Temporal run
// the child pipeline: it starts a workflow, or finds the one that is at it,
// waits for its result and leaves that in the session directory.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"go.temporal.io/sdk/log"

	"discobot-hooks/examples/engines/temporal/internal/child"
	"discobot-hooks/examples/engines/temporal/internal/cli"
)

const name = "temporal-engine"

func main() {
	os.Exit(cli.Complain(os.Stderr, name, run(os.Args[1:], os.Stderr)))
}

func run(args []string, stderr io.Writer) error {
	o, err := parse(args, os.Getenv("DISCOBOT_WORKSPACE"), stderr)
	if err != nil {
		return err
	}
	c, err := o.child()
	if err != nil {
		return err
	}
	ctx, unregister := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer unregister()
	connection, err := o.server.Dial(ctx, log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return err
	}
	defer connection.Close()
	w := &workflows{connection, o.server.TaskQueue}
	ending, err := w.run(ctx, c, func(workflow, run string) {
		if o.verbose {
			fmt.Fprintf(stderr, "%s: waiting for workflow %s, run %s\n", name, workflow, run)
		}
	})
	if err != nil {
		return fmt.Errorf("pipeline %s: %w", c.Pipeline, err)
	}
	if err := child.WriteOutput(c.SessionDir, ending.Output); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	if failure := ending.Failure(); failure != "" {
		return fmt.Errorf("pipeline %s: %s", c.Pipeline, failure)
	}
	return nil
}

type options struct {
	server                                  cli.Server
	sessionDir, pipeline, inputs, workspace string
	verbose                                 bool
	heartbeat, timeout                      time.Duration
}

func parse(args []string, workspace string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.sessionDir, "session-dir", "", "the child's own `DIR`, which gets output.json (required)")
	flags.StringVar(&o.pipeline, "pipeline", "", "the `NAME` of the pipeline to run (required)")
	flags.StringVar(&o.inputs, "inputs", "", "the `FILE` with the child's inputs, JSON (required)")
	flags.StringVar(&o.workspace, "dir", workspace, "the `WORKSPACE`; default is $DISCOBOT_WORKSPACE")
	flags.DurationVar(&o.heartbeat, "heartbeat-timeout", 10*time.Second, "how long a worker may be silent before another one starts over")
	flags.DurationVar(&o.timeout, "timeout", 24*time.Hour, "how long the child may take, all its attempts together")
	flags.BoolVar(&o.verbose, "verbose", false, "say which workflow is waited for")
	o.server.Flags(flags)
	err := cli.Parse(flags, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(stderr, "Usage: %s --session-dir DIR --pipeline NAME --inputs FILE [flags]\n\nRuns a child pipeline on Temporal and waits for its result.\n\n", name)
		flags.SetOutput(stderr)
		flags.PrintDefaults()
		fmt.Fprintf(stderr, "\nExample:\n  %s --session-dir s/children/1 --pipeline review --inputs s/children/1/inputs.json --dir .\n", name)
	}
	return o, err
}

// child reads what the options name.
func (o options) child() (child.Child, error) {
	if err := o.complete(); err != nil {
		return child.Child{}, cli.UsageError{Err: err}
	}
	sessionDir, err := realPath(o.sessionDir)
	if err != nil {
		return child.Child{}, fmt.Errorf("session directory: %w", err)
	}
	workspace, err := realPath(o.workspace)
	if err != nil {
		return child.Child{}, fmt.Errorf("workspace: %w", err)
	}
	inputs, err := child.ReadDocument(o.inputs)
	if err != nil {
		return child.Child{}, fmt.Errorf("inputs: %w", err)
	}
	c := child.Child{SessionDir: sessionDir, Pipeline: o.pipeline, Inputs: inputs, Workspace: workspace, Heartbeat: o.heartbeat, Timeout: o.timeout}
	if err := c.Check(); err != nil {
		return child.Child{}, cli.UsageError{Err: err}
	}
	return c, nil
}

// complete tells of the first option that is missing.
func (o options) complete() error {
	switch "" {
	case o.sessionDir:
		return errors.New("--session-dir is missing")
	case o.pipeline:
		return errors.New("--pipeline is missing")
	case o.inputs:
		return errors.New("--inputs is missing")
	case o.workspace:
		return cli.WithHint(errors.New("--dir is missing"), "pass --dir WORKSPACE, or set DISCOBOT_WORKSPACE")
	}
	return nil
}

func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}
