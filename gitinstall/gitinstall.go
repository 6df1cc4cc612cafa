// Package gitinstall writes, refreshes and removes the managed git hook, and
// keeps the user's own.
//
// Start at [Installer]. The hook is one script, the same bytes in every
// repository and for every hook name (managed-hook.sh); it is ours where line 2
// is exactly "# discobot:managed", or where all of it is what discobot wrote
// before this program, and by nothing else. A foreign hook is kept
// beside it as NAME.original, then NAME.original.2 and so on, and the script
// runs it first. A kill at any moment leaves each hook whole under its own name
// or its kept one.
//
// What is not promised: that git runs the hook from then on. Another manager
// may move it aside, or point core.hooksPath elsewhere; installing again is
// cheap and puts it back where a hooks directory of this repository is in use.
// [Installer.Check] tells whether that is called for.
package gitinstall

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// What was done to a hook, in [Change.Action].
const (
	Installed = "installed" // there was none, or a foreign one that is now kept
	Refreshed = "refreshed" // ours was of another version, not executable, or named another binary
	Unchanged = "unchanged" // ours, byte for byte; nothing was written
	Removed   = "removed"   // ours went; there was nothing to give back
	Restored  = "restored"  // ours went; the first kept hook is back in its place
	Nothing   = "nothing"   // there was none of ours
)

// managed are the hooks that the script can stand in for (githooks(5)), in the
// order of changes. Hooks that answer git on stdout are not among them.
var managed = []string{
	"pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-commit",
	"pre-rebase", "post-checkout", "post-merge", "pre-push", "post-rewrite",
}

// Installer installs into the repository that git finds for Workspace. It holds
// no state; several may run at once, in several processes, on one repository.
type Installer struct {
	// Workspace is the directory git is asked in; empty means the current one.
	Workspace string
	// Binary is the absolute path of discobot-hooks, noted beside the hook.
	// Empty writes no note: the script then looks along PATH only.
	Binary string
	// Env is the environment for git, as in os/exec; PATH in it finds git, and
	// GIT_DIR and its kin are honoured. Nil is an empty environment.
	Env []string
	// Config makes [Installer.Install] write hooks to the repository's
	// configuration, which git 2.54 and later run beside those of every other
	// manager. They stay there at later installs without it, until an uninstall.
	Config bool
}

// Change is what happened to one hook.
type Change struct {
	Hook   string // its name; empty with Nothing
	Path   string // where it lies; with Nothing the hooks directory
	Action string
	// Preserved is where a foreign hook is kept: the one just put aside, else
	// the first there is; after Restored the first that stays aside.
	Preserved string
}

// Install makes the named hooks managed ones, and gives back or removes the
// managed ones that are not named, all of them without names. Running it again
// with nothing to do writes nothing. Changes made before an error are returned
// with it; refusals are an [*Error].
func (in Installer) Install(ctx context.Context, names []string) ([]Change, error) {
	if len(names) == 0 {
		return in.giveBack(ctx)
	}
	for _, name := range names {
		if !slices.Contains(managed, name) {
			return nil, &Error{msg: fmt.Sprintf("install %q: not a git hook that can be managed", name), hint: "it can be one of " + strings.Join(managed, ", ")}
		}
	}
	if in.Binary != "" && (!filepath.IsAbs(in.Binary) || strings.Contains(in.Binary, "\n")) {
		return nil, fmt.Errorf("binary %q: not an absolute path in one line", in.Binary)
	}
	repo, err := in.ask(ctx)
	if err != nil {
		return nil, err
	}
	if in.Config || len(repo.configured) > 0 {
		version, err := in.GitVersion(ctx)
		switch {
		case err != nil:
			return nil, err
		case version.RunsConfigured():
			return in.installConfig(ctx, repo, names)
		case in.Config:
			return nil, &Error{msg: fmt.Sprintf("git %s does not run hooks from its configuration: that begins with %s", version, firstConfigured), hint: "discobot-hooks install, without --config, writes the hook's file"}
		}
	}
	return repo.installFiles(ctx, names)
}

// installFiles writes the hooks where git looks for them. What is configured
// goes: a later git would run both.
func (r repository) installFiles(ctx context.Context, names []string) ([]Change, error) {
	if err := r.accept(ctx, names); err != nil {
		return nil, err
	}
	dir := hooksDir(r.hooks)
	if err := dir.make(r.hooksPath); err != nil {
		return nil, err
	}
	var changes []Change
	err := dir.locked(ctx, func() (err error) {
		changes, err = dir.install(names, r.in.Binary)
		return err
	})
	if err != nil {
		return changes, err
	}
	removed, err := r.unconfigure(ctx, nil)
	return append(changes, removed...), err
}

// Uninstall removes every managed hook and the note beside it, and gives back
// the first kept hook of each, byte for byte with its mode and times. With
// nothing of ours it writes nothing and answers one Change with [Nothing].
//
// What [Installer.SetAdvice] set goes before the hooks: an uninstall that ends
// in between must not be undone by the next install.
func (in Installer) Uninstall(ctx context.Context) ([]Change, error) {
	if _, err := in.SetAdvice(ctx, ""); err != nil {
		return nil, err
	}
	return in.giveBack(ctx)
}

// giveBack takes ours out of the configuration and the hooks directories.
func (in Installer) giveBack(ctx context.Context) ([]Change, error) {
	repo, err := in.ask(ctx)
	if err != nil {
		return nil, err
	}
	changes, err := repo.unconfigure(ctx, nil)
	if err != nil {
		return changes, err
	}
	restored, err := repo.giveBackFiles(ctx)
	changes = append(changes, restored...)
	if err == nil && len(changes) == 0 {
		path := repo.hooks
		if path == "" {
			path = repo.defaultHooks()
		}
		changes = []Change{{Path: path, Action: Nothing}}
	}
	return changes, err
}

// giveBackFiles looks in the directory that git uses and in the repository's
// default one, where ours stay behind when core.hooksPath is set later. The lock
// file stays: to unlink it would let two processes hold "the" lock.
func (r repository) giveBackFiles(ctx context.Context) (changes []Change, err error) {
	dirs := []hooksDir{hooksDir(r.defaultHooks())}
	if r.hooks != "" && r.hooks != r.defaultHooks() {
		dirs = append(dirs, hooksDir(r.hooks))
	}
	for _, dir := range dirs {
		if !dir.hasOurs() {
			continue
		}
		if string(dir) == r.hooks {
			if err := r.accept(ctx, nil); err != nil {
				return changes, err
			}
		}
		err := dir.locked(ctx, func() error {
			done, err := dir.uninstall()
			changes = append(changes, done...)
			return err
		})
		if err != nil {
			return changes, err
		}
	}
	return changes, nil
}
