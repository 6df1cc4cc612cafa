package git

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"discobot-hooks/internal/regular"
)

const (
	maxRefFile = 4 << 10 // bytes; Linux takes no longer path
	maxSymrefs = 5       // git's SYMREF_MAXDEPTH
	hashLength = 40      // SHA-1 in hex; another hash is an extension
)

// head is the commit that HEAD names, empty on a branch without a commit. HEAD
// holds a commit's id or the name of a ref, which may hold that of another.
func (d gitDirs) head() (string, error) {
	name, first := "HEAD", ""
	for range maxSymrefs {
		value, err := d.looseRef(name)
		if errors.Is(err, fs.ErrNotExist) && name != "HEAD" {
			// In this order: git writes packed-refs first and removes the loose
			// file then, so that one of the two always has it.
			return d.packedOrUnborn(name, first)
		}
		if err != nil {
			return "", err
		}
		if name == "HEAD" {
			first = value
		}
		next, symbolic := strings.CutPrefix(value, "ref: ")
		switch {
		case symbolic && certainRef(next):
			name = next
		case !symbolic && isHash(value):
			return value, nil
		default:
			return "", fmt.Errorf("read ref %s: %q is not certain", name, value)
		}
	}
	return "", fmt.Errorf("read ref %s: too many symbolic refs before it", name)
}

// packedOrUnborn is the id of a ref without a file of its own. A ref that is
// nowhere is no commit yet, if HEAD still holds what led there: else somebody
// has switched to another branch meanwhile, and removed this one.
func (d gitDirs) packedOrUnborn(name, head string) (string, error) {
	id, err := d.packedRef(name)
	if id != "" || err != nil {
		return id, err
	}
	if now, err := d.looseRef("HEAD"); err != nil || now != head {
		return "", fmt.Errorf("read ref %s: HEAD has moved", name)
	}
	return "", nil
}

// looseRef is the line that a ref's own file holds. A symbolic link, git's
// former kind of symbolic ref, is an error.
func (d gitDirs) looseRef(name string) (string, error) {
	dir := d.common
	if ownRef(name) {
		dir = d.own
	}
	content, err := regular.ReadAll(dir+"/"+name, maxRefFile)
	if err != nil {
		return "", err
	}
	line, ok := oneLine(content)
	if !ok {
		return "", fmt.Errorf("read ref %s: not one line", name)
	}
	return line, nil
}

// ownRef tells which refs each work tree has for itself: gitglossary(7),
// "per-worktree ref".
func ownRef(name string) bool {
	if name == "HEAD" {
		return true
	}
	for _, space := range []string{"refs/bisect/", "refs/worktree/", "refs/rewritten/"} {
		if strings.HasPrefix(name, space) {
			return true
		}
	}
	return false
}

// certainRef tells whether a name is surely one that git takes for a ref, by
// the rules of git-check-ref-format(1) and a little stricter. Such a name, as
// a path, stays below the directory.
func certainRef(name string) bool {
	if !strings.HasPrefix(name, "refs/") {
		return false
	}
	for component := range strings.SplitSeq(name, "/") {
		if component == "" || component[0] == '.' || strings.HasSuffix(component, ".") || strings.HasSuffix(component, ".lock") {
			return false
		}
	}
	return !strings.Contains(name, "..") && !strings.Contains(name, "@{") &&
		!strings.ContainsAny(name, " ~^:?*[\\") && !strings.ContainsFunc(name, isControl)
}

// isHash tells whether text is an id as git writes it. The zero id is none:
// git says with it that there is no object.
func isHash(text string) bool {
	if len(text) != hashLength || strings.Trim(text, "0") == "" {
		return false
	}
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
