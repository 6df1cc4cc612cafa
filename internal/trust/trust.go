// Package trust remembers which session hooks of a workspace its user has
// looked at: name and SHA-256 of each file, by the workspace's real path.
//
// Start with [Store.Of]. The record lies beside the sessions' state, outside
// of every workspace: whoever may only write to a workspace can add no trust.
// It is no wall against programs of the user's own, which can write to it.
package trust

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"discobot-hooks/internal/account"
	"discobot-hooks/internal/atomicfile"
	"discobot-hooks/internal/filelock"
	"discobot-hooks/internal/regular"
)

const (
	// fileName begins with a dot, as no session's id can: the sessions' own
	// directories are beside it.
	fileName = ".trust.json"
	lockName = ".trust.lock"

	// maxFileBytes is room for some 80,000 hooks.
	maxFileBytes = 8 << 20

	lockLimit = 10 * time.Second
)

// Hooks are the trusted files of a workspace: the SHA-256 of each, in hex, by
// the file's name without its directory.
type Hooks map[string]string

// Sum is the SHA-256 of a file's content as [Hooks] has it.
func Sum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Has tells whether the file of this name and SHA-256 is trusted; known tells
// whether the name is, with whatever content.
func (h Hooks) Has(name, sum string) (trusted, known bool) {
	have, known := h[key(name)]
	return known && have == sum, known
}

// Add trusts a file.
func (h Hooks) Add(name, sum string) { h[key(name)] = sum }

// A Store is the record of one user. Root is the directory that has the states
// of all sessions.
type Store struct{ Root string }

// document is the file.
type document struct {
	Workspaces map[string]Hooks `json:"workspaces"` // by real path
}

// Of gives the trusted hooks of a workspace, never nil: one that was moved has
// none.
func (s Store) Of(workspace string) (Hooks, error) {
	place, err := s.place(workspace)
	if err != nil {
		return Hooks{}, err
	}
	record, err := s.read()
	if err != nil || record.Workspaces[place] == nil {
		return Hooks{}, err
	}
	return record.Workspaces[place], nil
}

// Set makes these the trusted hooks of a workspace, and no others. With none
// the workspace is forgotten. It returns those there were before.
func (s Store) Set(ctx context.Context, workspace string, hooks Hooks) (before Hooks, err error) {
	if err := os.MkdirAll(s.Root, 0o700); err != nil {
		return nil, fmt.Errorf("keep trust: %w", err)
	}
	place, err := s.place(workspace)
	if err != nil {
		return nil, err
	}
	unlock, err := filelock.Acquire(ctx, filepath.Join(s.Root, lockName), lockLimit)
	if err != nil {
		return nil, fmt.Errorf("keep trust: lock: %w", err)
	}
	defer unlock()
	record, err := s.read()
	if err != nil {
		return nil, err
	}
	before = record.Workspaces[place]
	if record.Workspaces == nil {
		record.Workspaces = make(map[string]Hooks)
	}
	record.Workspaces[place] = hooks
	if len(hooks) == 0 {
		delete(record.Workspaces, place)
	}
	content, err := json.MarshalIndent(record, "", "  ")
	if err == nil {
		err = atomicfile.Write(s.path(), append(content, '\n'), 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("keep trust: %w", err)
	}
	return before, nil
}

func (s Store) path() string { return filepath.Join(s.Root, fileName) }

// place is the workspace as the record has it: its real path, so that no link
// and no `..` makes another one of it.
func (s Store) place(workspace string) (string, error) {
	workspace, err := filepath.Abs(workspace)
	if err == nil {
		workspace, err = filepath.EvalSymlinks(workspace)
	}
	if err != nil {
		return "", fmt.Errorf("find workspace: %w", err)
	}
	root, err := filepath.EvalSymlinks(s.Root)
	if err == nil && within(root, workspace) {
		return "", &insideError{s.Root}
	}
	return key(workspace), nil
}

// within tells whether path is dir or in it. Both are absolute and clean.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// read reads the record. It is believed only where nobody else can have
// written it.
func (s Store) read() (record document, err error) {
	f, err := regular.Open(s.path())
	if errors.Is(err, fs.ErrNotExist) {
		return document{}, nil
	}
	if err != nil {
		return document{}, fmt.Errorf("read trust: %w", err)
	}
	defer f.Close() // read only
	if !account.OnlyOwnerWrites(f, os.Geteuid()) {
		return document{}, &fileError{s.path(), errors.New("somebody else owns it or may write to it")}
	}
	content, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err == nil && len(content) > maxFileBytes {
		err = fmt.Errorf("more than %d bytes", maxFileBytes)
	}
	if err == nil {
		err = json.Unmarshal(content, &record)
	}
	if err != nil {
		return document{}, &fileError{s.path(), err}
	}
	return record, nil
}

// key is a path or name as a JSON string can hold it: itself, or quoted as in
// Go where JSON would make two different ones the same.
func key(name string) string {
	if utf8.ValidString(name) && !strings.HasPrefix(name, `"`) {
		return name
	}
	return strconv.Quote(name)
}

// fileError is about a record that cannot be believed.
type fileError struct {
	path string
	err  error
}

func (e *fileError) Error() string { return fmt.Sprintf("read trust: %s: %v", e.path, e.err) }

func (e *fileError) Unwrap() error { return e.err }

// Hint says how to begin again.
func (e *fileError) Hint() string {
	return "remove the file and trust each workspace's hooks again"
}

// insideError is about a record that the workspace itself could hold.
type insideError struct{ root string }

func (e *insideError) Error() string {
	return fmt.Sprintf("read trust: %s is in the workspace, which must not say whom to trust", e.root)
}

// Hint says how else to do it.
func (e *insideError) Hint() string {
	return "let DISCOBOT_STATE_DIR name a directory outside of the workspace"
}
