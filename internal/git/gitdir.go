package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"discobot-hooks/internal/regular"
)

// gitDirs are where a work tree's repository lies. Linked work trees have a
// directory of their own for what differs between them, HEAD above all, and
// share the common one; for all others the two are the same.
type gitDirs struct {
	own, common string
}

// findDirs finds the git directory of a work tree: `.git` itself, or the one
// that the file `.git` names in linked work trees and submodules. It makes
// sure that git would take it for one.
func findDirs(top string) (gitDirs, error) {
	own := filepath.Join(top, ".git")
	info, err := os.Stat(own) // git follows a link here, too
	if err != nil {
		return gitDirs{}, err
	}
	if !info.IsDir() {
		if own, err = pathIn(own, "gitdir: ", top); err != nil {
			return gitDirs{}, err
		}
	}
	common, err := pathIn(filepath.Join(own, "commondir"), "", own)
	if errors.Is(err, fs.ErrNotExist) {
		common, err = own, nil
	}
	if err != nil {
		return gitDirs{}, err
	}
	dirs := gitDirs{own, common}
	return dirs, dirs.check()
}

// check tells whether git would take the directories for a repository, as its
// is_git_directory does; the caller reads HEAD. If not, git looks for one
// further up.
func (d gitDirs) check() error {
	for _, name := range []string{"objects", "refs"} {
		if _, err := os.Stat(d.common + "/" + name + "/."); err != nil { // the dot: it can be searched
			return fmt.Errorf("check repository: %w", err)
		}
	}
	return nil
}

// maxPathFile is far above the longest path that a system call takes.
const maxPathFile = 16 << 10 // bytes

// pathIn reads the path that a file holds behind a prefix, seen from base. An
// [fs.ErrNotExist] means that there is no such file.
func pathIn(file, prefix, base string) (string, error) {
	content, err := regular.ReadAll(file, maxPathFile)
	if err != nil {
		return "", err
	}
	line, ok := oneLine(content)
	path, prefixed := strings.CutPrefix(line, prefix)
	if !ok || !prefixed || path == "" {
		return "", fmt.Errorf("read %s: no path in it", file)
	}
	if !filepath.IsAbs(path) {
		path = base + "/" + path // not Join: `..` leaves what a link leads to, not the link
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("follow %s: %v", file, err) // not %w: the file itself is there
	}
	return real, nil
}

// oneLine is the only line of a file, without its end, which may be missing.
// It is not certain where there are more, or control characters: git keeps
// some and cuts others off.
func oneLine(content []byte) (line string, certain bool) {
	line = strings.TrimSuffix(string(content), "\n")
	return line, !strings.ContainsFunc(line, isControl)
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }
