// Package run runs one action to its end: credentials, environment, process
// tree, time limit and output. It never decides what comes next.
//
// Start with [Command.Run].
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"discobot-hooks/hook"
	"discobot-hooks/internal/account"
)

// DefaultTimeout limits session and file hooks.
const DefaultTimeout = 5 * time.Minute

const (
	// grace is what a process group has between TERM and KILL.
	grace = 5 * time.Second

	// drainLimit bounds how long a child that kept stdout open can hold us
	// up once the hook itself has ended. What the hook wrote is in the pipe
	// by then, so this is for helpers such as tee that end right after it.
	drainLimit = time.Second
)

// A Command is one action ready to run. The zero value of a field means what
// its comment says.
type Command struct {
	Path    string           // absolute
	Args    []string         // after argv[0], which is Path
	Dir     string           // working directory; must be set
	Env     []string         // the whole environment; nothing is added but PWD
	User    *account.Account // nil: whose process we are
	Input   []byte           // for stdin, whether it is read or not; nil: none
	Output  io.Writer        // stdout and stderr, in order of arrival; nil: dropped
	Timeout time.Duration    // zero: no limit but ctx

	// Stdout and Stderr get what comes on that stream alone, beside Output.
	// Where one is set, the order in Output is only nearly that of arrival.
	Stdout, Stderr io.Writer

	Stated time.Duration // what to call Timeout where it is the rest of a longer limit
}

// Run starts the command in a session of its own, waits for it and returns
// what happened. When the time limit passes or ctx is done, its process group
// gets TERM and, five seconds later, KILL. A process that the command leaves
// behind is not waited for, even where it holds stdout open.
//
// An action that cannot start is a [hook.Result] with
// [hook.ExitCannotStart], and says why in Reason and on Output: the cause
// lies in the hook's file (execve(2): ENOENT also names a missing
// interpreter), not with us.
func (c Command) Run(ctx context.Context) hook.Result {
	var lines *lineStarts
	if c.Output != nil {
		lines = &lineStarts{to: c.Output, atStart: true}
		c.Output = lines
	}
	started := time.Now()
	result := c.run(ctx)
	result.Started = started
	result.Duration = time.Since(started)
	if result.Reason != "" && lines != nil {
		// Whoever reads only the log, an LLM above all, must learn why.
		lines.say(result.Reason)
	}
	return result
}

func (c Command) run(ctx context.Context) hook.Result {
	cmd := c.prepare()
	in, err := startInput(cmd, c.Input)
	if err != nil {
		return cannotStart(err)
	}
	defer in.finish()
	out, err := startOutput(cmd, c)
	if err != nil {
		return cannotStart(err)
	}
	if err := cmd.Start(); err != nil {
		out.finish()
		return cannotStart(err)
	}
	in.closeReader()
	out.closeWriters()

	limit := ctx
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		limit, cancel = context.WithTimeout(ctx, c.Timeout)
		defer cancel()
	}

	exited := make(chan struct{})
	go func() { // ends with the process, which terminateGroup sees to where it can
		defer close(exited)
		_ = cmd.Wait() // ProcessState says it all
	}()
	ended, survived := false, false
	select {
	case <-exited:
	case <-limit.Done():
		ended = true
		survived = !terminateGroup(cmd.Process.Pid, exited)
	}
	out.finish()

	how := "was killed"
	if survived {
		how = "could not be killed: it runs on as another user"
	}
	switch {
	case ended && ctx.Err() != nil:
		return hook.Result{Status: hook.Failed, ExitCode: hook.ExitForSignal(int(syscall.SIGTERM)), Aborted: true, Reason: "hook was stopped before it ended"}
	case ended:
		return hook.Result{
			Status: hook.TimedOut, ExitCode: hook.ExitTimeout,
			Reason: fmt.Sprintf("hook timed out after %v and %s", rounded(max(c.Stated, c.Timeout)), how),
		}
	}
	return finished(exitCode(cmd))
}

// rounded is a limit as people would say it.
func rounded(limit time.Duration) time.Duration {
	if limit > 10*time.Second {
		return limit.Round(time.Second)
	}
	return limit.Round(time.Millisecond)
}

func (c Command) prepare() *exec.Cmd {
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir = c.Dir
	cmd.Env = append(c.Env[:len(c.Env):len(c.Env)], "PWD="+c.Dir)
	cmd.SysProcAttr = ownSession(c.User)
	return cmd
}

func finished(code int) hook.Result {
	if code == 0 {
		return hook.Result{Status: hook.OK}
	}
	return hook.Result{Status: hook.Failed, ExitCode: code}
}

// cannotStart words the reason: for a script the kernel's ENOENT is about the
// interpreter, which "no such file" alone would hide.
func cannotStart(err error) hook.Result {
	reason := fmt.Sprintf("hook could not start: %v", err)
	if errors.Is(err, os.ErrNotExist) {
		reason += " (is the interpreter of its first line installed?)"
	}
	if errors.Is(err, os.ErrPermission) {
		reason += " (is it executable?)"
	}
	return hook.Result{Status: hook.Failed, ExitCode: hook.ExitCannotStart, Reason: reason}
}
