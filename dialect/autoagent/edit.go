package autoagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"discobot-hooks/internal/atomicfile"
	"discobot-hooks/internal/filelock"
	"discobot-hooks/internal/jsonedit"
	"discobot-hooks/internal/regular"
)

// What the two switches add.
const (
	commitHook = `{"type": "git-commit", "message": "Complete issue #{{issueNumber}}: {{issueTitle}}"}`
	pushHook   = `{"type": "git-push", "remote": "origin", "branch": "current"}`
)

const lockLimit = 10 * time.Second

var list = []string{"hooks", postExecutionEnd}

// SetAutoCommit adds a git-commit hook to PostExecutionEnd in the file at path
// or removes all that are there, and tells whether the file changed. What it
// adds comes before a git-push. All other bytes of the file stay, and so does
// its mode; switching on creates the file at need.
func SetAutoCommit(ctx context.Context, path string, on bool) (changed bool, err error) {
	return set(ctx, path, on, "set auto-commit", gitCommit, func(content []byte, types []string) ([]byte, error) {
		if i := slices.Index(types, gitPush); i >= 0 {
			return jsonedit.Insert(content, list, i, []byte(commitHook))
		}
		return jsonedit.Append(content, list, []byte(commitHook))
	})
}

// SetAutoPush is [SetAutoCommit] for a git-push hook, which is added at the
// end.
func SetAutoPush(ctx context.Context, path string, on bool) (changed bool, err error) {
	return set(ctx, path, on, "set auto-push", gitPush, func(content []byte, _ []string) ([]byte, error) {
		return jsonedit.Append(content, list, []byte(pushHook))
	})
}

// An addition adds a hook to a list of hooks of these types.
type addition func(content []byte, types []string) ([]byte, error)

// set edits the file under a lock.
func set(ctx context.Context, path string, on bool, doing, typ string, add addition) (changed bool, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", doing, err)
		}
	}()
	dir := filepath.Dir(path)
	if on {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return false, err
		}
	}
	// A lock file would be in the way: git-commit adds all files.
	unlock, err := filelock.AcquireDir(ctx, dir, lockLimit)
	if errors.Is(err, fs.ErrNotExist) && !on {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer unlock()
	content, mode, err := readForEdit(path)
	if err != nil {
		return false, err
	}
	edited, err := edit(content, on, typ, add)
	if err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	if string(edited) == string(content) {
		return false, nil
	}
	atomicfile.Sweep(path)
	return true, atomicfile.Write(path, edited, mode)
}

// edit is the new content. add gets the types of the hooks that are there.
func edit(content []byte, on bool, typ string, add addition) ([]byte, error) {
	var types []string
	without, removed, err := jsonedit.Remove(content, list, func(element []byte) bool {
		types = append(types, typeOf(element))
		return types[len(types)-1] == typ
	})
	switch {
	case err != nil:
		return nil, err
	case !on:
		return without, nil
	case removed > 0:
		return content, nil
	}
	return add(content, types)
}

// readForEdit reads the file, or nothing where there is none. A link is left
// to whoever made it: writing through it could change a file of another
// repository, and replacing it would part the two.
func readForEdit(path string) ([]byte, fs.FileMode, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0o644, nil
	}
	if err != nil {
		return nil, 0, err
	}
	if info.Mode().Type() == fs.ModeSymlink {
		target, err := os.Readlink(path)
		if err != nil {
			return nil, 0, err
		}
		return nil, 0, fmt.Errorf("%s is a symbolic link: edit %s instead", path, target)
	}
	content, err := regular.ReadAll(path, jsonedit.MaxBytes)
	return content, info.Mode().Perm(), err
}

// typeOf is an element's type; empty: none that could be ours.
func typeOf(element []byte) string {
	var keys map[string]json.RawMessage
	var typ string
	if json.Unmarshal(element, &keys) != nil || json.Unmarshal(keys["type"], &typ) != nil {
		return ""
	}
	return typ
}
