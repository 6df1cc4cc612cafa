// Command discobot-hooks is the hook runtime for coding agents. This package
// parses arguments, wires the packages and maps errors to exit codes; one
// cmd_*.go a command, none with logic of its own.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"discobot-hooks/internal/lossy"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/workspace"
)

func main() {
	os.Exit(execute(os.Args[1:], stdio{in: os.Stdin, out: &resultWriter{to: os.Stdout}, err: os.Stderr}, os.Environ()))
}

// stdio is where a command reads and writes.
type stdio struct {
	in  *os.File
	out *resultWriter
	err *os.File
}

// resultWriter is stdout: an error of any write is kept, since a result that
// did not get out, to a full disk say, is a failure of ours.
type resultWriter struct {
	to  io.Writer
	err error
}

func (w *resultWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// Exit codes of our own; sysexits.h has the 64. Hooks' and agents' codes are
// passed on as they are.
const (
	exitProceed = 0
	exitFailed  = 1
	exitBlocked = 2
	exitUsage   = 64
)

// An exitCode ends a command with that status and nothing more to say.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// execute runs one command line. All exit codes are decided here.
func execute(args []string, edges stdio, env []string) int {
	a := &app{stdio: edges, env: env, stop: func() {}, talk: &lossy.Writer{File: edges.err}}
	root := a.rootCommand(args)
	root.SetArgs(args)
	err := a.executeRoot(root)
	if edges.out.err != nil {
		err = fmt.Errorf("write stdout: %w", edges.out.err)
	}
	if err == nil {
		return exitProceed
	}
	var code exitCode
	var caught signalError
	var session *workspace.SessionError
	a.flags.json = a.flags.json || jsonAsked(args)
	switch {
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &caught):
		a.jsonError(err)
		return caught.exitCode()
	}
	if cmd, _, findErr := root.Find(args); findErr == nil && cmd != root {
		a.command = nameOf(cmd) // an error in the command line comes before anybody noted it
	}
	a.complain(err)
	usage := !a.started || errors.As(err, &session) || errors.As(err, new(usageError))
	if usage && !forAgent(args) {
		return exitUsage
	}
	return exitFailed
}

// forAgent tells that a coding agent reads the exit code. Gemini CLI takes each of 2
// and more for a re-prompt: a line in its configuration that we do not understand,
// since another version of us wrote it, would send it back for ever.
func forAgent(args []string) bool {
	return slices.Contains(args, evalTurnName) && slices.ContainsFunc(args, func(arg string) bool {
		return arg == "--agent" || strings.HasPrefix(arg, "--agent=")
	})
}

// jsonAsked looks for --json where the command line was not parsed that far.
// The arguments of init and git-hook may be somebody else's.
func jsonAsked(args []string) bool {
	if slices.Contains(args, initName) || slices.Contains(args, gitHookName) {
		return false
	}
	return slices.Contains(args, "--json")
}

// executeRoot runs the command. A panic is a failure of ours like any other: Go
// would exit with 2, which callers read as a re-prompt.
func (a *app) executeRoot(root *cobra.Command) (err error) {
	defer func() {
		cause := recover()
		if err == nil && cause == nil {
			return // at our end all signals are given back; one by one takes a quarter of a millisecond
		}
		a.stop()
		if cause != nil {
			fmt.Fprintf(a.err, "%s\n", debug.Stack())
			err = fmt.Errorf("internal error: %v", cause)
		}
	}()
	return root.ExecuteContext(context.Background())
}

// usageError is about the command line.
type usageError struct{ error }

// Unwrap lets the cause's hint be found.
func (e usageError) Unwrap() error { return e.error }

// complain prints an error for people, and the way out where one is known.
func (a *app) complain(err error) {
	prefix := "discobot-hooks: "
	if a.command != "" {
		prefix += a.command + ": "
	}
	fmt.Fprintf(a.talk, "%s%s\n", prefix, oneLine(err))
	if hint := hintOf(err); hint != "" {
		fmt.Fprintf(a.talk, "discobot-hooks: hint: %s\n", hint)
	} else if !a.started {
		fmt.Fprintf(a.talk, "discobot-hooks: hint: see discobot-hooks %s--help\n", spaced(a.command))
	}
	a.jsonError(err)
}

// hintOf is the way out of an error, where one is known.
func hintOf(err error) string {
	var known interface{ Hint() string }
	if errors.As(err, &known) {
		return known.Hint()
	}
	return ""
}

// jsonError keeps stdout one JSON document, come what may.
func (a *app) jsonError(err error) {
	if a.flags.json && a.out.err == nil {
		a.printJSON(map[string]string{"error": err.Error()})
	}
}

// oneLine is an error, or several joined ones, on one line.
func oneLine(err error) string {
	return plaintext.Line(strings.ReplaceAll(err.Error(), "\n", "; "))
}

func spaced(command string) string {
	if command == "" {
		return ""
	}
	return command + " "
}
