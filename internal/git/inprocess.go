package git

import (
	"errors"
	"slices"
	"strings"
)

// readInProcess reads HEAD and core.fileMode from the repository's own files,
// as every turn needs them and a git process takes a hundred times as long.
// It knows the common forms of gitrepository-layout(5) exactly and takes no
// other: any error means "ask git", which may know an answer.
func (r *Repo) readInProcess(top string) error {
	if slices.ContainsFunc(r.env, namesRefBackend) {
		return errors.New("the environment says where refs are")
	}
	dirs, err := findDirs(top)
	if err != nil {
		return err
	}
	text, cfg, err := dirs.config()
	if err != nil {
		return err
	}
	head, err := dirs.head()
	if err != nil {
		return err
	}
	r.Head, r.PlainModes = head, cfg.plainModes
	r.local = &local{top, dirs, text}
	return nil
}

// local is a repository whose own files we know how to read.
type local struct {
	top    string
	dirs   gitDirs
	config string // its text
}

// namesRefBackend finds a variable of git(1) that comes before the extension
// of the same purpose.
func namesRefBackend(entry string) bool { return strings.HasPrefix(entry, "GIT_REFERENCE_BACKEND=") }
