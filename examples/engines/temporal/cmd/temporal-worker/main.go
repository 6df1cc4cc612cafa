// Command temporal-worker runs the children that temporal-engine asks for, each
// with the local engine in a process group of its own, until it is told to stop.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"discobot-hooks/examples/engines/temporal/internal/cli"
	"discobot-hooks/examples/engines/temporal/internal/flow"
	"discobot-hooks/examples/engines/temporal/internal/supervise"
)

const name = "temporal-worker"

// superviseCommand makes this binary the supervisor of one engine. Nobody but
// a worker calls it.
const superviseCommand = "supervise"

func main() {
	os.Exit(run(os.Args[1:], os.Stderr))
}

func run(args []string, stderr io.Writer) int {
	if len(args) == 1 && args[0] == superviseCommand {
		return cli.Complain(stderr, name, supervise.Main(os.Stdin, os.Stdout))
	}
	return cli.Complain(stderr, name, work(args, stderr))
}

type options struct {
	server cli.Server
	engine string
	max    int
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	o.server.Flags(flags)
	flags.StringVar(&o.engine, "engine", flow.DefaultTemplate, "the local engine's `COMMAND`, split at white space, or a JSON list of words")
	flags.IntVar(&o.max, "max", 10, "how many children to run at a time, `N`")
	err := cli.Parse(flags, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(stderr, "Usage: %s [flags]\n\nRuns the children that temporal-engine starts.\n\n", name)
		flags.SetOutput(stderr)
		flags.PrintDefaults()
		fmt.Fprintf(stderr, "\nExample:\n  %s --max 4\n", name)
	}
	if err == nil && o.max < 1 {
		err = cli.UsageError{Err: errors.New("--max: less than one")}
	}
	return o, err
}

func work(args []string, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	template, err := flow.ParseTemplate(o.engine)
	if err != nil {
		return cli.WithHint(cli.UsageError{Err: err}, "put discobot-hooks in PATH, or name another engine with --engine")
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this binary: %w", err)
	}
	logger := log.NewStructuredLogger(slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	connection, err := o.server.Dial(context.Background(), logger)
	if err != nil {
		return err
	}
	defer connection.Close()
	engine := flow.Engine{Supervisor: []string{self, superviseCommand}, Template: template, Environ: os.Environ()}
	return newWorker(connection, o, engine).Run(worker.InterruptCh())
}

func newWorker(connection client.Client, o options, engine flow.Engine) worker.Worker {
	w := worker.New(connection, o.server.TaskQueue, worker.Options{
		MaxConcurrentActivityExecutionSize: o.max,
		WorkerStopTimeout:                  flow.StopWait,
	})
	w.RegisterWorkflowWithOptions(flow.Run, workflow.RegisterOptions{Name: flow.WorkflowName})
	w.RegisterActivityWithOptions(engine.Run, activity.RegisterOptions{Name: flow.ActivityName})
	return w
}
