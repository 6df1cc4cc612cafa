package gitinstall

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"discobot-hooks/internal/regular"
)

// adviceKey is where the owner of a repository names the agent whose advice
// hooks run at git's commands: in the repository's own configuration, which
// linked work trees share and which nothing that is fetched can write.
const adviceKey = "discobot-hooks.advice"

const (
	configLockWait  = time.Second // git writes its configuration in milliseconds
	configLockRetry = 20 * time.Millisecond
)

// Advice returns the agent that [Installer.SetAdvice] named; empty where there
// is none, and outside of a repository that git trusts. The user's and the
// machine's configuration do not count, nor do files that the repository's
// includes, nor git -c: none of them is the choice of this repository's owner.
// It takes one git call, and mostly none: every git hook asks.
func (in Installer) Advice(ctx context.Context) (string, error) {
	if in.adviceNotSet() {
		return "", nil
	}
	agent, _, err := in.readAdvice(ctx)
	if err == nil && !plain(agent) {
		return "", &Error{msg: fmt.Sprintf("%s is %q: not an agent in plain text", adviceKey, agent), hint: "set it again: discobot-hooks install --advice AGENT"}
	}
	return agent, err
}

// SetAdvice names the agent whose advice hooks run; an empty one removes the
// setting. It installs no hook: [Installer.Install] does.
func (in Installer) SetAdvice(ctx context.Context, agent string) (changed bool, err error) {
	if !plain(agent) {
		return false, &Error{msg: fmt.Sprintf("agent %q: not plain text", agent), hint: "name it without line breaks and control characters"}
	}
	old, set, err := in.readAdvice(ctx)
	if err != nil || old == agent && set == (agent != "") {
		return false, err
	}
	// The reason, where git has no work tree here; a bare repository would
	// take the setting.
	if _, err := in.git(ctx, "rev-parse", "--show-toplevel"); err != nil {
		return false, in.explain(err)
	}
	if agent == "" {
		err = in.writeConfig(ctx, "--unset-all", "--", adviceKey)
		if exitCode(err) == 5 { // git-config(1): another process has just removed it
			return false, nil
		}
	} else {
		err = in.writeConfig(ctx, "--replace-all", "--", adviceKey, agent)
	}
	return err == nil, err
}

// adviceNotSet tells that the file where git would look does not even have the
// name of the key's section, which cannot be spelled otherwise but for case
// (git-config(1), syntax). Where it cannot tell, git can.
func (in Installer) adviceNotSet() bool {
	if getenv(in.Env, "GIT_COMMON_DIR") != "" {
		return false
	}
	dir := cmp.Or(getenv(in.Env, "GIT_DIR"), ".git")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(in.Workspace, dir)
	}
	// gitrepository-layout(5): a linked work tree has no configuration of its own.
	if common, err := readHead(filepath.Join(dir, "commondir"), maxPath); err == nil {
		common := strings.TrimSuffix(string(common), "\n")
		if !filepath.IsAbs(common) {
			common = filepath.Join(dir, common)
		}
		dir = common
	}
	config, err := regular.ReadAll(filepath.Join(dir, "config"), maxGitAnswer)
	section, _, _ := strings.Cut(adviceKey, ".")
	return err == nil && !bytes.Contains(bytes.ToLower(config), []byte(section))
}

func (in Installer) readAdvice(ctx context.Context) (agent string, set bool, err error) {
	out, err := in.git(ctx, "config", "--local", "--no-includes", "-z", "--get", adviceKey)
	if err == nil {
		return strings.TrimSuffix(string(out), "\x00"), true, nil
	}
	refused, ok := errors.AsType[*gitError](err)
	if exitCode(err) == 1 || ok && strings.Contains(refused.message, "can only be used inside a git repository") {
		return "", false, nil
	}
	return "", false, in.explain(err)
}

// writeConfig changes the repository's configuration. git does not wait for
// the lock of another git, so we do. The write itself is not ended with ctx:
// a git that is killed leaves its lock behind, and every later one fails.
func (in Installer) writeConfig(ctx context.Context, args ...string) error {
	args = append([]string{"config", "--local", "--no-includes"}, args...)
	for deadline := time.Now().Add(configLockWait); ; {
		_, err := in.git(context.WithoutCancel(ctx), args...)
		refused, ok := errors.AsType[*gitError](err)
		switch {
		case !ok || !strings.Contains(refused.message, "could not lock config file"):
			return err
		case strings.Contains(refused.message, "Permission denied"):
			return &Error{msg: err.Error(), hint: "run it as the user who owns the repository"}
		case !strings.Contains(refused.message, "File exists"):
			return err
		case !time.Now().Before(deadline):
			return in.lockHeld(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("lock configuration: %w", context.Cause(ctx))
		case <-time.After(configLockRetry):
		}
	}
}

func (in Installer) lockHeld(ctx context.Context) error {
	out, err := in.git(ctx, "rev-parse", "--path-format=absolute", "--git-path", "config.lock")
	if err != nil {
		return in.explain(err)
	}
	path := strings.TrimSuffix(string(out), "\n")
	return &Error{
		msg:  "another process has held " + path + " for " + configLockWait.String(),
		hint: "run it again when that process has ended; a lock left behind goes with: rm " + quote(path),
	}
}

// plain tells text that can be shown in a line.
func plain(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

// exitCode is git's exit code, -1 where err is not git's.
func exitCode(err error) int {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	return -1
}
