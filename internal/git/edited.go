package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"discobot-hooks/internal/gitindex"
	"discobot-hooks/internal/regular"
	"discobot-hooks/internal/worktree"
)

// edited are those of the suspects whose content is not the index's. Where
// attributes or the configuration change bytes on their way, git says which.
func (r *Repo) edited(ctx context.Context, set settings, index *gitindex.Index, suspects []worktree.Suspect) ([]string, error) {
	if len(suspects) == 0 {
		return nil, nil
	}
	plain := attributes{local: r.local, dirs: make(map[string]bool)}
	if err := plain.everywhere(set, index); err != nil {
		return nil, err
	}
	var edited, ask []string
	var clean []worktree.Seal
	fresh := 0
	for _, entry := range suspects {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		name := string(entry.Name)
		converted, err := plain.convert(name)
		if err != nil {
			return nil, err
		}
		if converted && entry.Mode() != gitindex.ModeSymlink {
			ask = append(ask, name)
			continue
		}
		if r.Known.Clean.Has(entry.Seal) {
			clean = append(clean, entry.Seal)
			continue
		}
		equal, err := hasContent(ctx, r.local.top+"/"+name, entry.Entry)
		if err != nil {
			return nil, err
		}
		switch {
		case !equal:
			edited = append(edited, name)
		case entry.Seal != 0:
			clean = append(clean, entry.Seal)
			fresh++
		}
	}
	r.Known.Clean = r.Known.Clean.Renew(clean, fresh)
	asked, err := r.editedByGit(ctx, ask)
	return append(edited, asked...), err
}

// editedByGit are those of the paths that git calls dirty.
func (r *Repo) editedByGit(ctx context.Context, paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	if len(paths) > maxPathArgs {
		return nil, errors.New("git is as quick with all files")
	}
	args := []string{"--literal-pathspecs", "status", "--porcelain=v1", "-z", "--untracked-files=no", "--no-renames", "--"}
	out, err := Run(ctx, r.local.top, r.env, append(args, paths...)...)
	if err != nil {
		return nil, err
	}
	var edited []string
	for _, entry := range SplitZ(out) {
		if len(entry) > 3 {
			edited = append(edited, entry[3:])
		}
	}
	return edited, nil
}

// hasContent tells whether a file's content is an entry's. A file that is gone
// has none.
func hasContent(ctx context.Context, full string, entry gitindex.Entry) (bool, error) {
	sum := sha1.New() // git's object ids
	if entry.Mode() == gitindex.ModeSymlink {
		target, err := os.Readlink(full)
		if err != nil {
			return false, ifThere(err)
		}
		fmt.Fprintf(sum, "blob %d\x00%s", len(target), target)
		return bytes.Equal(sum.Sum(nil), entry.ID()), nil
	}
	f, err := regular.Open(full)
	if err != nil {
		return false, ifThere(err)
	}
	defer f.Close() // read only
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	fmt.Fprintf(sum, "blob %d\x00", info.Size())
	if _, err := io.Copy(sum, untilDone{ctx, f}); err != nil {
		return false, err
	}
	return bytes.Equal(sum.Sum(nil), entry.ID()), nil
}

// untilDone reads until its context is done: a file can be of any size.
type untilDone struct {
	ctx context.Context // of the one read
	io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	return u.Reader.Read(p)
}

func ifThere(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// attributes tells where gitattributes(5) may change content on its way.
type attributes struct {
	*local
	all     bool            // everywhere
	tracked map[string]bool // directories whose attributes are in the index
	dirs    map[string]bool // whether a directory, or one above it, has any
}

// everywhere looks at what counts for all files.
func (a *attributes) everywhere(set settings, index *gitindex.Index) error {
	a.all = set.converts
	for _, file := range append(set.attributeFiles, a.local.dirs.common+"/info/attributes") {
		_, err := os.Stat(file)
		if err == nil {
			a.all = true
		} else if err := ifThere(err); err != nil {
			return err
		}
	}
	a.tracked = make(map[string]bool)
	suffix := []byte(attributesName)
	for _, entry := range index.Entries {
		if bytes.HasSuffix(entry.Name, suffix) && path.Base(string(entry.Name)) == attributesName {
			a.tracked[path.Dir(string(entry.Name))] = true
		}
	}
	return nil
}

const attributesName = ".gitattributes"

// convert tells whether git may convert a file.
func (a *attributes) convert(name string) (bool, error) {
	if a.all {
		return true, nil
	}
	return a.in(path.Dir(name))
}

// in tells whether attributes are in a directory or in one above it.
func (a *attributes) in(dir string) (bool, error) {
	if has, known := a.dirs[dir]; known {
		return has, nil
	}
	has := a.tracked[dir]
	if !has {
		_, err := os.Lstat(a.top + "/" + dir + "/" + attributesName)
		if has = err == nil; !has {
			if err := ifThere(err); err != nil {
				return false, err
			}
		}
	}
	if !has && dir != "." {
		var err error
		if has, err = a.in(path.Dir(dir)); err != nil {
			return false, err
		}
	}
	a.dirs[dir] = has
	return has, nil
}
