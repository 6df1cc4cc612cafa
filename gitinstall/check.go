package gitinstall

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// State is what git would do now with the managed hooks.
type State struct {
	Dir       string      // where git looks for hooks; empty where an empty core.hooksPath leaves it none
	Running   []string    // the managed hooks that git runs, in the order of changes
	Config    bool        // it runs them from the configuration, see [Installer.Config]
	Displaced []Displaced // the managed hooks that git does not run, in that order
	Binary    string      // what the note beside the hooks names; empty without a note
}

// Displaced is a hook of ours that was installed, and that git does not run.
type Displaced struct {
	Hook    string
	Path    string // where ours lies, or what it kept
	Message string // what came in between
	Hint    string // the way out
	// Called says that another manager has moved ours to where it keeps the
	// hook that was there before, which it may well run.
	Called bool
}

// again puts a displaced hook back, or says what must be done first.
const again = "discobot-hooks install"

// Check looks whether git still runs what was installed: another manager may
// have moved our hook aside or pointed git elsewhere. It writes nothing, and
// takes two git calls; a third one asks for git's version where hooks are
// configured.
func (in Installer) Check(ctx context.Context) (State, error) {
	repo, err := in.ask(ctx)
	if err != nil {
		return State{}, err
	}
	version := Version{}
	if len(repo.configured) > 0 {
		if version, err = in.GitVersion(ctx); err != nil {
			return State{}, err
		}
	}
	s := State{Dir: repo.hooks, Binary: repo.noted()}
	for _, name := range managed {
		entry := repo.configured[name]
		switch found := repo.displaced(name); {
		case entry.runs() && version.RunsConfigured():
			s.Config = true
			s.Running = append(s.Running, name)
		case repo.runs(name):
			s.Running = append(s.Running, name)
		case entry.command != "":
			s.Displaced = append(s.Displaced, entry.displaced(name, version))
		case found != nil:
			s.Displaced = append(s.Displaced, *found)
		}
	}
	return s, nil
}

// runs tells whether git finds ours as name.
func (r repository) runs(name string) bool {
	if r.hooks == "" {
		return false
	}
	path := hooksDir(r.hooks).path(name)
	return isOurs(path) && executable(path)
}

// displaced looks for traces of a hook that git does not run; nil for none.
func (r repository) displaced(name string) *Displaced {
	if r.hooks != "" {
		if d := hooksDir(r.hooks).displaced(name); d != nil {
			return d
		}
	}
	standard := hooksDir(r.defaultHooks())
	if r.hooksPath == nil || string(standard) == r.hooks || !isOurs(standard.path(name)) {
		return nil
	}
	where := "runs none"
	if r.hooks != "" {
		where = "looks for hooks in " + r.hooks
	}
	message := fmt.Sprintf("%s: git %s, and ours is %s", r.hooksPath, where, standard.path(name))
	return &Displaced{Hook: name, Path: standard.path(name), Message: message, Hint: again}
}

// displaced looks in the directory that git uses, for a hook that does not run.
func (d hooksDir) displaced(name string) *Displaced {
	path := d.path(name)
	_, err := os.Lstat(path)
	gone := errors.Is(err, fs.ErrNotExist)
	instead := "another manager's hook has its place, " + path
	if gone {
		instead = "there is none at " + path
	}
	if ours := d.ours(name); len(ours) > 0 {
		aside := ours[0]
		if aside == path {
			return &Displaced{Hook: name, Path: path, Message: path + " is not executable, so git does not run it", Hint: again}
		}
		called := !gone && strings.HasSuffix(aside, legacy)
		return &Displaced{Hook: name, Path: aside, Message: instead + "; ours was moved to " + aside, Hint: again, Called: called}
	}
	if kept := d.firstKept(name); kept != "" && d.noted() != "" {
		return &Displaced{Hook: name, Path: kept, Message: instead + "; the hook that ours kept is " + kept, Hint: again}
	}
	return nil
}

// noted is what the note beside the hooks says, in the directory that git uses
// or in the repository's own.
func (r repository) noted() string {
	if r.hooks != "" {
		if binary := hooksDir(r.hooks).noted(); binary != "" {
			return binary
		}
	}
	return hooksDir(r.defaultHooks()).noted()
}

func (d hooksDir) noted() string {
	head, err := readHead(d.path(noteName), maxPath)
	if err != nil {
		return ""
	}
	return firstLine(string(head))
}

func executable(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&0o111 != 0
}

func (s setting) String() string {
	return fmt.Sprintf("core.hooksPath is set to %q in the %s configuration (%s)", s.value, s.scope, s.origin)
}
