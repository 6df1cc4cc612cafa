// Package workspace finds out which workspace and session a command is about,
// and where their state lies. Every command resolves them here, alike.
package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"discobot-hooks/hook"
	"discobot-hooks/internal/git"
	"discobot-hooks/internal/safename"
)

// A Workspace is a directory with hooks, seen by one session of an agent.
type Workspace struct {
	Dir     string // absolute
	Session string
	Home    string // of whom the state belongs to
	State   string // absolute: status.json, marker and logs of this session

	// StateRoot holds the states of all sessions, each in `<session>/hooks`.
	StateRoot string
}

// Options say what the caller knows. Empty fields are looked up.
type Options struct {
	Dir     string // --dir
	Session string // --session
	Home    string // must be set
	Getenv  func(string) string
}

// maxSessionBytes keeps a session id a possible directory name.
const maxSessionBytes = 128

// A SessionError is a session id that cannot be one.
type SessionError struct {
	ID     string
	Source string // the flag or variable that it came from
}

func (e *SessionError) Error() string {
	return fmt.Sprintf("read session id: %s: %q is not a session id", e.Source, e.ID)
}

// Hint says what a session id looks like.
func (e *SessionError) Hint() string {
	return "a session id has 1 to 128 letters, digits, dots, hyphens and underscores, and begins with a letter or digit"
}

// Resolve finds the workspace: the option, else DISCOBOT_WORKSPACE, else the
// git work tree around the current directory, else the current directory.
// The session: the option, else DISCOBOT_SESSION_ID, else SESSION_ID, else one
// made from the workspace's real path, so that it is the same every time. An
// id that is none is a [*SessionError].
func Resolve(o Options) (Workspace, error) {
	dir, err := Dir(o)
	if err != nil {
		return Workspace{}, err
	}
	session, err := resolveSession(o, dir)
	if err != nil {
		return Workspace{}, err
	}
	root := o.Getenv("DISCOBOT_STATE_DIR")
	if root == "" {
		root = filepath.Join(o.Home, ".discobot")
	}
	if root, err = filepath.Abs(root); err != nil {
		return Workspace{}, fmt.Errorf("find state directory: %w", err)
	}
	return Workspace{
		Dir: dir, Session: session, Home: o.Home,
		State: filepath.Join(root, session, "hooks"), StateRoot: root,
	}, nil
}

// InSession is the same workspace seen by another session, whose id came from
// source. An id that is none is a [*SessionError].
func (w Workspace) InSession(id, source string) (Workspace, error) {
	if !safename.Is(id, maxSessionBytes) {
		return Workspace{}, &SessionError{ID: id, Source: source}
	}
	w.Session, w.State = id, filepath.Join(w.StateRoot, id, "hooks")
	return w, nil
}

// Tilde writes a path below the home as `~/…`, as the shell would read it.
func (w Workspace) Tilde(path string) string {
	if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(w.Home, "/")+"/"); ok && w.Home != "" && w.Home != "/" {
		return "~/" + rest
	}
	return path
}

// Dir finds the workspace alone.
func Dir(o Options) (string, error) {
	dir := o.Dir
	if dir == "" {
		dir = o.Getenv("DISCOBOT_WORKSPACE")
	}
	given := dir != ""
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find workspace: %w", err)
	}
	if !given {
		if top, ok := git.TopLevel(dir); ok {
			return top, nil
		}
		return dir, nil
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s: not a directory", dir)
	}
	if err != nil {
		return "", &dirError{err}
	}
	return dir, nil
}

// Around is the workspace that a directory of an agent's belongs to: the nearest
// one at or above it that has hooks, within its git work tree; else that work
// tree, else the directory itself. It is empty where there is no such directory.
func Around(dir string) string {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	top, ok := git.TopLevel(dir)
	if !ok {
		return dir
	}
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		if HasHooks(at) {
			return at
		}
		if at == top {
			break
		}
	}
	return top
}

// HasHooks tells whether a directory has a place for hooks.
func HasHooks(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(hook.Dir)))
	return err == nil && info.IsDir()
}

// dirError is about a directory that somebody gave as the workspace.
type dirError struct{ err error }

func (e *dirError) Error() string { return fmt.Sprintf("find workspace: %v", e.err) }

func (e *dirError) Unwrap() error { return e.err }

// Hint says where the directory came from.
func (e *dirError) Hint() string { return "--dir or DISCOBOT_WORKSPACE names the workspace" }

func resolveSession(o Options, dir string) (string, error) {
	sources := []struct{ name, value string }{
		{"--session", o.Session},
		{"DISCOBOT_SESSION_ID", o.Getenv("DISCOBOT_SESSION_ID")},
		{"SESSION_ID", o.Getenv("SESSION_ID")},
	}
	for _, source := range sources {
		if source.value == "" {
			continue
		}
		if !safename.Is(source.value, maxSessionBytes) {
			return "", &SessionError{ID: source.value, Source: source.name}
		}
		return source.value, nil
	}
	realPath, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("find workspace: %w", err)
	}
	sum := sha256.Sum256([]byte(realPath))
	return "ws-" + hex.EncodeToString(sum[:])[:12], nil
}
