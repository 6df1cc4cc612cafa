package gitinstall

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// repository is git's own answer about the workspace; nothing in it is guessed.
type repository struct {
	in        Installer
	hooks     string // where git looks for hooks, absolute; empty where git has no answer
	common    string // the git directory that linked worktrees share
	top       string // the work tree
	hooksPath *setting
	// configured are our hooks in the repository's configuration, by git's name
	// for them.
	configured map[string]entry
}

// setting is a core.hooksPath: its value, the scope it is set in and where
// (git-config(1), --show-scope and --show-origin).
type setting struct{ scope, origin, value string }

func (r repository) defaultHooks() string { return filepath.Join(r.common, "hooks") }

// ask takes two git calls. rev-parse prints an argument that it does not know
// as it is, so one divides the answers: a path may contain a newline.
func (in Installer) ask(ctx context.Context) (repository, error) {
	r := repository{in: in}
	if err := r.askConfig(ctx); err != nil {
		return r, err
	}
	const divider = "--discobot-divider"
	args := []string{"rev-parse", "--path-format=absolute", "--git-common-dir", divider, "--show-toplevel"}
	if r.hooksPath == nil || r.hooksPath.value != "" { // git dies of the empty one
		args = append(args, divider, "--git-path", "hooks")
	}
	out, err := in.git(ctx, args...)
	if err != nil {
		return r, in.explain(err)
	}
	answer := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"+divider+"\n")
	if len(answer) < 2 {
		return r, fmt.Errorf("git rev-parse: unexpected answer %q", out)
	}
	r.common, r.top = answer[0], answer[1]
	if len(answer) > 2 {
		r.hooks = answer[2]
	}
	return r, nil
}

// askConfig reads core.hooksPath and our hooks. Of what is set twice the last
// one counts, as for git.
func (r *repository) askConfig(ctx context.Context) error {
	out, err := r.in.git(ctx, "config", "--show-scope", "--show-origin", "-z", "--get-regexp", `^(core\.hookspath|hook\.`+configPrefix+`.*)$`)
	if exitCode(err) == 1 {
		return nil // git-config(1): not set
	}
	if err != nil {
		return r.in.explain(err)
	}
	field := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(field)%3 != 0 {
		return fmt.Errorf("git config: unexpected answer %q", out)
	}
	for ; len(field) > 0; field = field[3:] {
		key, value, _ := strings.Cut(field[2], "\n")
		if key == "core.hookspath" {
			r.hooksPath = &setting{scope: field[0], origin: field[1], value: value}
		} else {
			r.configure(field[0], key, value)
		}
	}
	return nil
}

// accept refuses a hooks directory that is not this repository's alone, or
// whose files are under version control; names are the hooks to be put there,
// for the hint. A third git call is made only where the directory is neither
// git's own nor outside.
func (r repository) accept(ctx context.Context, names []string) error {
	s := r.hooksPath
	if s != nil {
		set := s.String()
		switch {
		case s.value == "":
			return &Error{msg: set + ", where git runs no hook", hint: "to remove it, run: " + r.config(s.scope, "--unset-all", "core.hooksPath")}
		case s.scope == "command":
			return &Error{msg: set + ", for this command only", hint: "run it without git -c and GIT_CONFIG_COUNT"}
		case s.scope != "local" && s.scope != "worktree":
			return &Error{msg: set + ", so its hooks serve other repositories too", hint: r.ownHooks("local")}
		}
	}
	dir, err := realPath(r.hooks)
	if err != nil {
		return fmt.Errorf("hooks directory: %w", err)
	}
	if inside(r.common, dir) {
		return nil
	}
	scope, what := "local", "the hooks directory "+r.hooks+" is a symbolic link to "+dir
	if s != nil {
		scope, what = s.scope, fmt.Sprintf("core.hooksPath is set to %q (%s)", s.value, s.origin)
	}
	if !inside(r.top, dir) {
		return &Error{msg: what + ", outside of the repository", hint: r.ownHooks(scope)}
	}
	out, err := r.in.git(ctx, "ls-files", "-z", "--", dir)
	if err != nil {
		return r.in.explain(err)
	}
	if len(out) > 0 {
		return &Error{msg: what + ", a directory with files under version control", hint: r.byHand(names)}
	}
	return nil
}

// byHand is what to do in a directory that only a commit may change.
func (r repository) byHand(names []string) string {
	if len(names) == 0 {
		return "remove the managed hooks there yourself, and commit that"
	}
	commands := make([]string, 0, len(names))
	for _, name := range names {
		commands = append(commands, fmt.Sprintf(`to %s: discobot-hooks git-hook %s "$@"`, quote(filepath.Join(r.hooks, name)), name))
	}
	return "add this command, and commit it, " + strings.Join(commands, "; and ")
}

// ownHooks is the command that gives the repository its own hooks back.
func (r repository) ownHooks(scope string) string {
	return "to use this repository's own hooks instead of those, run: " + r.config(scope, "core.hooksPath", quote(r.defaultHooks()))
}

func (r repository) config(scope string, args ...string) string {
	return "git -C " + quote(r.top) + " config --" + scope + " " + strings.Join(args, " ")
}

// inside tells whether dir, a real path, is parent or below it.
func inside(parent, dir string) bool {
	parent, err := realPath(parent)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(parent, dir)
	return err == nil && filepath.IsLocal(rel)
}

// realPath resolves the symbolic links of a path whose end need not exist yet.
func realPath(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if target, err := os.Readlink(path); err == nil {
		return "", fmt.Errorf("%s: a symbolic link to %s, which does not exist", path, target)
	}
	parent, err := realPath(filepath.Dir(path))
	return filepath.Join(parent, filepath.Base(path)), err
}
