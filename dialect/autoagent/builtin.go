package autoagent

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/shtemplate"
)

const (
	commitFailed = "Failed to create commit: "
	pushFailed   = "Failed to push: "
)

// runGit runs git in the workspace. It asks nobody for a password: nobody is
// there.
func runGit(exec dialect.Exec, args ...string) dialect.Outcome {
	return exec.Process(dialect.Process{Argv: append([]string{"git"}, args...), Env: []string{"GIT_TERMINAL_PROMPT=0"}})
}

// A commit is the action of a git-commit.
type commit struct {
	message  string
	noVerify bool
}

func newCommit(f fields, d data) (dialect.Action, error) {
	message := shtemplate.Fill(f.message, d.lookup)
	if strings.TrimSpace(message) == "" {
		message = DefaultCommitMessage
	}
	if strings.ContainsRune(message, 0) {
		return nil, errors.New("commit message has a NUL byte: take the value that brings it out of the message")
	}
	return commit{message: message, noVerify: f.noVerify}, nil
}

// Run stages everything in the workspace and commits what is staged. In a
// workspace that is a directory of a larger work tree, the rest of that is
// left alone, but what somebody has staged there goes into the commit too.
func (c commit) Run(_ context.Context, exec dialect.Exec) dialect.Outcome {
	if o := runGit(exec, "add", "-A", "--", "."); !o.Success() {
		return failed(commitFailed, o)
	}
	staged := runGit(exec, "diff", "--cached", "--quiet", "--no-ext-diff")
	switch {
	case staged.Success():
		return said("No changes to commit.", staged)
	case staged.ExitCode != 1 || staged.Reason != "": // 1: there is a difference
		return failed(commitFailed, staged)
	}
	// Without a shell and behind -m, a message is text whatever it holds.
	args := []string{"commit", "-m", c.message}
	if c.noVerify {
		args = append(args, "--no-verify")
	}
	o := runGit(exec, args...)
	if !o.Success() {
		return failed(commitFailed, o)
	}
	id := runGit(exec, "rev-parse", "--short", "HEAD")
	if !id.Success() {
		return failed("Commit created, but not found: ", id)
	}
	return said("Commit created: "+string(bytes.TrimSpace(id.Stdout)), o)
}

// A push is the action of a git-push.
type push struct{ remote string }

// Run pushes the current branch to the remote, and follows it from then on.
// The remote must be one that the repository's configuration names: git takes
// a URL or a path too, and some of those run programs.
func (p push) Run(_ context.Context, exec dialect.Exec) dialect.Outcome {
	head := runGit(exec, "symbolic-ref", "--quiet", "HEAD")
	switch {
	case head.ExitCode == 1 && head.Reason == "":
		return said(pushFailed+"HEAD is detached, not on a branch", head)
	case !head.Success():
		return failed(pushFailed, head)
	}
	// The full name cannot be mistaken for that of a tag, or an option.
	ref := string(bytes.TrimSpace(head.Stdout))
	remotes := runGit(exec, "remote")
	if !remotes.Success() {
		return failed(pushFailed, remotes)
	}
	if !slices.Contains(strings.Split(string(remotes.Stdout), "\n"), p.remote) || p.remote == "" {
		remotes.Status, remotes.ExitCode = hook.Failed, 1
		return said(fmt.Sprintf("%sno remote is named %q", pushFailed, p.remote), remotes)
	}
	o := runGit(exec, "push", "--set-upstream", "--", p.remote, ref)
	if !o.Success() {
		return failed(pushFailed, o)
	}
	return said(fmt.Sprintf("Pushed %s to %s", strings.TrimPrefix(ref, "refs/heads/"), p.remote), o)
}

// said is an outcome in one line. What git printed is in the log.
func said(line string, o dialect.Outcome) dialect.Outcome {
	o.Stdout, o.Stderr, o.Cut = []byte(plaintext.Line(line)), nil, false
	return o
}

// failed says why a step of git's failed.
func failed(what string, o dialect.Outcome) dialect.Outcome {
	why := cmp.Or(o.Reason, telling(string(o.Stderr)), telling(string(o.Stdout)), fmt.Sprintf("git exited with %d", o.ExitCode))
	return said(what+why, o)
}

// telling is the line that says why: the first of the most telling kind.
// Advice and progress come before it, and the hooks of the repository.
func telling(output string) string {
	var all []string
	for line := range strings.Lines(output) {
		line = plaintext.Line(line)
		if line != "" && !strings.HasPrefix(line, "hint:") && !strings.HasPrefix(line, "warning:") {
			all = append(all, line)
		}
	}
	for _, mark := range []string{"fatal:", "! [", "error:", ""} {
		if i := slices.IndexFunc(all, func(line string) bool { return strings.HasPrefix(line, mark) }); i >= 0 {
			return all[i]
		}
	}
	return ""
}

// judgeBuiltin shows the one line. Whatever happens, the event goes on.
func judgeBuiltin(o dialect.Outcome) dialect.Judgement {
	message := string(o.Stdout)
	j := dialect.Judgement{Status: o.Status, Fields: map[string]any{"message": message}}
	if o.Success() {
		j.Out = message
	} else {
		j.Err, j.Reason = message, message
	}
	return j
}
