// Package git asks git, always in the same careful way: answers NUL-separated
// where git can, a time limit, nothing of the environment that would point it
// at another repository, nothing of the repository's own that would run code.
//
// Start with [Open], then [Repo.Dirty]. What every turn needs, HEAD and which
// files are dirty, is found out in process where that is certain; what is not
// is asked of the git executable: SHA-256, reftable, partial clones, a split or
// sparse index, submodules, conflicts, names without case, a configuration that
// includes another, and whatever else is not known.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// commandLimit bounds one git command. A status of half a million files on a
// cold disk stays below it; a file system that hangs does not hold us for ever.
const commandLimit = 2 * time.Minute

// ErrNotInstalled tells that there is no git executable in PATH.
var ErrNotInstalled error = notInstalledError{}

type notInstalledError struct{}

func (notInstalledError) Error() string { return "find git: not installed, or not in PATH" }

// Hint says what to do.
func (notInstalledError) Hint() string {
	return "install git: the workspace is a git work tree, and git knows what changed in it"
}

// An Error is a git command that ended with a status other than zero.
type Error struct {
	Args   []string
	Code   int
	Stderr string // first line
}

func (e *Error) Error() string {
	return fmt.Sprintf("git %s: exit %d: %s", strings.Join(e.Args, " "), e.Code, e.Stderr)
}

// Hint says what to do where git tells why it will not.
func (e *Error) Hint() string {
	if strings.Contains(e.Stderr, "dubious ownership") {
		return "run it as the owner of the repository, or trust it: git config --global --add safe.directory DIR"
	}
	return ""
}

// redirecting are the variables that `git rev-parse --local-env-vars` names:
// git sets them for its hooks, and each would make another git work on that
// repository or index instead of the one around its directory.
var redirecting = map[string]bool{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES": true, "GIT_CONFIG": true, "GIT_CONFIG_PARAMETERS": true,
	"GIT_CONFIG_COUNT": true, "GIT_OBJECT_DIRECTORY": true, "GIT_DIR": true, "GIT_WORK_TREE": true,
	"GIT_IMPLICIT_WORK_TREE": true, "GIT_GRAFT_FILE": true, "GIT_INDEX_FILE": true,
	"GIT_NO_REPLACE_OBJECTS": true, "GIT_REPLACE_REF_BASE": true, "GIT_PREFIX": true,
	"GIT_SHALLOW_FILE": true, "GIT_COMMON_DIR": true, "GIT_INTERNAL_SUPER_PREFIX": true,
	"GIT_NAMESPACE": true, "GIT_QUARANTINE_PATH": true,
}

// Environ is env without the variables that redirect git.
func Environ(env []string) []string {
	kept := make([]string, 0, len(env))
	for _, entry := range env {
		if name, _, _ := strings.Cut(entry, "="); !redirecting[name] {
			kept = append(kept, entry)
		}
	}
	return kept
}

// Run runs git in dir and returns what it printed. env is cleaned by
// [Environ] first. No pager, prompt, file system monitor, transport or optional
// lock is used, so that a repository's configuration starts nothing but its
// own content filters, and a git of the agent's at the same moment is not
// disturbed.
func Run(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	return runIn(ctx, dir, Environ(env), args...)
}

// runIn is Run in an environment that may say which repository is meant.
func runIn(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	fixed := []string{"--no-optional-locks", "--no-pager", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never"}
	cmd := exec.CommandContext(ctx, "git", append(fixed, args...)...)
	cmd.Dir = dir
	cmd.Env = append(env[:len(env):len(env)], "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C")
	cmd.WaitDelay = time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err == nil {
		return out, nil
	}
	if errors.Is(err, exec.ErrNotFound) {
		return nil, ErrNotInstalled
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("git %s: %w", args[0], context.Cause(ctx))
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return nil, &Error{Args: args, Code: exit.ExitCode(), Stderr: first}
	}
	return nil, fmt.Errorf("git %s: %w", args[0], err)
}

// TopLevel is the work tree around dir: the nearest directory that holds a
// `.git` directory or file (linked work trees and submodules have a file). The
// path is followed as it is written and, where that leads nowhere, with its
// links resolved: a workspace may be a link into a repository.
func TopLevel(dir string) (string, bool) {
	if top, ok := upward(dir); ok {
		return top, true
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || real == dir {
		return "", false
	}
	return upward(real)
}

func upward(dir string) (string, bool) {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}

// SplitZ splits NUL-terminated fields. The fields share out's memory.
func SplitZ(out []byte) []string {
	text := strings.TrimSuffix(string(out), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}
