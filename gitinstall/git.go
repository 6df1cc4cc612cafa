package gitinstall

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	gitTimeout   = 10 * time.Second
	maxGitAnswer = 1 << 20 // a path is 4 KiB at most; more of a listing is not needed
)

// git runs one query in the workspace and returns its stdout. The repository's
// configuration must not run code in it: no fsmonitor, no prompt, no pager.
func (in Installer) git(ctx context.Context, args ...string) ([]byte, error) {
	path, err := in.lookGit()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, gitTimeout, fmt.Errorf("no answer within %s", gitTimeout))
	defer cancel()
	cmd := exec.CommandContext(ctx, path, append([]string{"-c", "core.fsmonitor=false", "--no-optional-locks", "--literal-pathspecs"}, args...)...)
	cmd.Dir = in.Workspace
	cmd.Env = append(in.env(), "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	stdout, stderr := &bounded{}, &bounded{}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	switch {
	case err == nil:
		return stdout.Bytes(), nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git %s: %w", args[0], context.Cause(ctx))
	}
	return nil, &gitError{command: args[0], message: firstLine(stderr.String()), err: err}
}

// env is the caller's environment without what belongs to the one git command
// that may have started us: a prefix is of its directory, not of the workspace;
// GIT_CONFIG moves git config to another file, and no other command.
func (in Installer) env() []string {
	env := make([]string, 0, len(in.Env)+2)
	for _, v := range in.Env {
		switch key, _, _ := strings.Cut(v, "="); key {
		case "GIT_PREFIX", "GIT_CONFIG", "LC_ALL":
		default:
			env = append(env, v)
		}
	}
	return env
}

// lookGit finds git along Env's PATH, not this process's. A relative entry is
// skipped: it could name a program of the workspace (as exec.ErrDot).
func (in Installer) lookGit() (string, error) {
	for _, dir := range filepath.SplitList(getenv(in.Env, "PATH")) {
		path := filepath.Join(dir, "git")
		if info, err := os.Stat(path); filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", &Error{msg: "git not found in PATH", hint: "install git, or add its directory to PATH"}
}

// getenv returns the last value of key, as os/exec lets the last one win.
func getenv(env []string, key string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if k, v, _ := strings.Cut(env[i], "="); k == key {
			return v
		}
	}
	return ""
}

// gitError is git's own refusal, with the first line that it wrote.
type gitError struct {
	command, message string
	err              error
}

func (e *gitError) Error() string {
	if e.message == "" {
		return "git " + e.command + ": " + e.err.Error()
	}
	return "git " + e.command + ": " + e.message
}

func (e *gitError) Unwrap() error { return e.err }

// explain adds the way out to the refusals that have one.
func (in Installer) explain(err error) error {
	refused, ok := errors.AsType[*gitError](err)
	if !ok {
		return err
	}
	msg := refused.message
	switch {
	case strings.Contains(msg, "not a git repository") && getenv(in.Env, "GIT_DIR") != "":
		return &Error{msg: "GIT_DIR: " + msg, hint: "GIT_DIR is set: run it with env -u GIT_DIR, or correct it"}
	case strings.Contains(msg, "not a git repository"):
		return &Error{msg: "not a git repository", hint: "run it inside the workspace, or pass --dir DIR"}
	case strings.Contains(msg, "dubious ownership"):
		return &Error{msg: err.Error(), hint: "run it as the user who owns the repository"}
	case strings.Contains(msg, "must be run in a work tree"):
		return &Error{msg: "no work tree here: a bare repository, or inside of a git directory", hint: "run it in a work tree of the repository, or pass --dir DIR"}
	}
	return err
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimPrefix(strings.TrimPrefix(line, "fatal: "), "error: ")
}

// bounded keeps the beginning of what is written and drops the rest.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), maxGitAnswer-b.Len())])
	return len(p), nil
}
