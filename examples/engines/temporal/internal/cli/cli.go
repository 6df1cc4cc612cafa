// Package cli is what the two programs' command lines have in common: the flags
// that say where Temporal is, and how problems are told. Start at [Server].
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"

	"discobot-hooks/examples/engines/temporal/internal/child"
)

// Exit codes; sysexits.h has the 64.
const (
	ExitDone   = 0
	ExitFailed = 1
	ExitUsage  = 64
)

// A UsageError is about the command line.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }
func (e UsageError) Unwrap() error { return e.Err }

// hinted is an error with a way out.
type hinted struct {
	error
	hint string
}

func (e hinted) Unwrap() error { return e.error }

// WithHint adds to an error what the reader can do about it.
func WithHint(err error, hint string) error { return hinted{err, hint} }

// Parse reads the command line, which has flags alone. An error is
// [flag.ErrHelp] or a [UsageError].
func Parse(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return UsageError{err}
	}
	if flags.NArg() > 0 {
		return UsageError{fmt.Errorf("unexpected argument %q", flags.Arg(0))}
	}
	return nil
}

// Complain tells people of an error, one line and perhaps a hint, and returns
// the exit code for it.
func Complain(stderr io.Writer, program string, err error) int {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return ExitDone
	}
	line := strings.ReplaceAll(err.Error(), "\n", "; ")
	fmt.Fprintf(stderr, "%s: %s\n", program, child.Plain(line))
	var way hinted
	if errors.As(err, &way) {
		fmt.Fprintf(stderr, "%s: hint: %s\n", program, way.hint)
	}
	if errors.As(err, new(UsageError)) {
		if way.hint == "" {
			fmt.Fprintf(stderr, "%s: hint: see %s --help\n", program, program)
		}
		return ExitUsage
	}
	return ExitFailed
}

// Server says where Temporal is.
type Server struct {
	Address   string
	Namespace string
	TaskQueue string
}

// Flags adds the flags for a server.
func (s *Server) Flags(flags *flag.FlagSet) {
	flags.StringVar(&s.Address, "address", "127.0.0.1:7233", "where Temporal's frontend listens, `HOST:PORT`")
	flags.StringVar(&s.Namespace, "namespace", "default", "Temporal's `NAMESPACE`")
	flags.StringVar(&s.TaskQueue, "task-queue", "discobot-hooks", "the `QUEUE` between engines and workers; one for each file system they share")
}

// Dial connects; the caller closes the client.
func (s *Server) Dial(ctx context.Context, logger log.Logger) (client.Client, error) {
	connection, err := client.DialContext(ctx, client.Options{HostPort: s.Address, Namespace: s.Namespace, Logger: logger})
	if err != nil {
		return nil, WithHint(fmt.Errorf("connect to Temporal: %w", err),
			"is a server at "+s.Address+"? name another with --address, or start one: temporal server start-dev")
	}
	return connection, nil
}
