package agenthost

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"discobot-hooks/internal/atomicfile"
	"discobot-hooks/internal/filelock"
	"discobot-hooks/internal/jsonedit"
	"discobot-hooks/internal/regular"
)

// A configFile is one file of a host's configuration, being edited.
type configFile struct {
	path    string // as the host names it
	target  string // where its bytes are: people link to their dotfiles
	content []byte
	mode    fs.FileMode
	missing bool
}

// maxLinks is more than anybody has, and ends a circle.
const maxLinks = 16

// openConfig reads the file, if it is there.
func openConfig(path string) (configFile, error) {
	f := configFile{path: path, target: path, mode: 0o644}
	for range maxLinks {
		info, err := os.Lstat(f.target)
		if errors.Is(err, fs.ErrNotExist) {
			f.missing = true
			return f, nil
		}
		if err != nil {
			return f, err
		}
		if info.Mode().Type() != fs.ModeSymlink {
			f.mode = info.Mode().Perm()
			f.content, err = regular.ReadAll(f.target, jsonedit.MaxBytes)
			return f, err
		}
		next, err := os.Readlink(f.target)
		if err != nil {
			return f, err
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(f.target), next)
		}
		f.target = next
	}
	return f, fmt.Errorf("open %s: more than %d symbolic links", path, maxLinks)
}

func (f configFile) dir() string { return filepath.Dir(f.target) }

// write replaces the content, in place of the link's target where path is a link,
// unless somebody has changed the file since it was read.
func (f configFile) write(ctx context.Context, content []byte) error {
	if err := os.MkdirAll(f.dir(), 0o755); err != nil {
		return err
	}
	return f.locked(ctx, func() error {
		atomicfile.Sweep(f.target)
		return atomicfile.Write(f.target, content, f.mode)
	})
}

// remove takes the file away. A link to it stays: it was there before us.
func (f configFile) remove(ctx context.Context) error {
	return f.locked(ctx, func() error { return os.Remove(f.target) })
}

// locked holds the directory's lock: a lock file would be in the way, since
// somebody would commit it.
func (f configFile) locked(ctx context.Context, change func() error) error {
	unlock, err := filelock.AcquireDir(ctx, f.dir(), lockLimit)
	if err != nil {
		return err
	}
	defer unlock()
	now, err := openConfig(f.path)
	if err != nil {
		return err
	}
	if now.missing != f.missing || !bytes.Equal(now.content, f.content) {
		return fmt.Errorf("write %s: somebody else is changing it", f.path)
	}
	return change()
}

// firstMissing is the outermost directory that making dir would make; empty:
// none.
func firstMissing(dir string) (missing string) {
	for {
		if _, err := os.Lstat(dir); err == nil || dir == filepath.Dir(dir) {
			return missing
		}
		missing, dir = dir, filepath.Dir(dir)
	}
}

// removeEmpty removes the directories from dir up to top, as far as they are
// empty. Nothing where top is not above dir.
func removeEmpty(dir, top string) {
	for top != "" && strings.HasPrefix(dir+"/", top+"/") && os.Remove(dir) == nil {
		dir = filepath.Dir(dir)
	}
}
