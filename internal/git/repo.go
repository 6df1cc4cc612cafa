package git

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Repo is a work tree seen from one of its directories.
type Repo struct {
	Dir    string // where we look from, absolute
	Prefix string // Dir relative to the work tree, with a slash at its end; empty at the top
	Head   string // commit id in hex; empty before the first commit

	// PlainModes tells that core.fileMode is false: the executable bit of
	// files means nothing here.
	PlainModes bool

	// Known is what an earlier Repo of the same work tree had learnt, where the
	// caller kept it, and after [Repo.Dirty] what this one has. It saves a
	// process; the zero value is no error.
	Known Known

	env   []string
	local *local // nil if git itself was asked for HEAD
}

// Open looks at the repository around dir. It returns nil and no error where
// there is none.
func Open(ctx context.Context, dir string, env []string) (*Repo, error) {
	top, ok := TopLevel(dir)
	if !ok {
		return nil, nil
	}
	repo := &Repo{Dir: dir, Prefix: prefix(top, dir), env: env}
	if repo.readInProcess(top) != nil {
		if err := repo.readByGit(ctx); err != nil {
			return nil, err
		}
	}
	return repo, nil
}

// prefix is dir relative to top, with a slash at its end; empty at the top.
func prefix(top, dir string) string {
	if dir == top {
		return ""
	}
	return strings.TrimPrefix(dir, strings.TrimSuffix(top, "/")+"/") + "/"
}

func (r *Repo) readByGit(ctx context.Context) error {
	mode, err := r.git(ctx, "config", "--type=bool", "--default=true", "core.fileMode")
	if err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	r.PlainModes = strings.TrimSpace(string(mode)) == "false"
	out, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "HEAD")
	var failed *Error
	if errors.As(err, &failed) && failed.Code == 1 {
		r.Head = ""
		return nil
	}
	if err != nil {
		return fmt.Errorf("read HEAD: %w", err)
	}
	r.Head = strings.TrimSpace(string(out))
	return nil
}

func (r *Repo) git(ctx context.Context, args ...string) ([]byte, error) {
	return Run(ctx, r.Dir, r.env, args...)
}

// tree names a commit for git's diff commands. The empty id, the state before
// the first commit, is the empty tree, whose id depends on the hash in use.
func (r *Repo) tree(ctx context.Context, commit string) (string, error) {
	if commit != "" {
		return commit, nil
	}
	out, err := r.git(ctx, "hash-object", "-t", "tree", "--stdin") // stdin is empty
	if err != nil {
		return "", fmt.Errorf("name the empty tree: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Committed lists the paths that differ between two commits, relative to
// Dir. `from` may be empty: before the first commit. A `to` that is empty
// holds nothing that `from` does not.
func (r *Repo) Committed(ctx context.Context, from, to string) ([]string, error) {
	if from == to {
		return nil, nil
	}
	old, err := r.tree(ctx, from)
	if err != nil {
		return nil, err
	}
	out, err := r.git(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", old, to, "--", ".")
	if err != nil {
		return nil, err
	}
	return r.relativeAll(SplitZ(out)), nil
}

// DiffersFrom lists the tracked paths whose content, mode or presence in the
// work tree differs from a commit, relative to Dir. A path that is in the
// commit but not in the index counts as absent, whatever the work tree holds.
func (r *Repo) DiffersFrom(ctx context.Context, commit string) ([]string, error) {
	old, err := r.tree(ctx, commit)
	if err != nil {
		return nil, err
	}
	out, err := r.git(ctx, "diff", "--no-ext-diff", "--name-only", "-z", "--no-renames", "--no-relative", old, "--", ".")
	if err != nil {
		return nil, err
	}
	return r.relativeAll(SplitZ(out)), nil
}

// IsAncestor tells whether HEAD contains commit. The state before the first
// commit is an ancestor of all; a commit that is gone is of none.
func (r *Repo) IsAncestor(ctx context.Context, commit string) (bool, error) {
	if commit == "" || commit == r.Head {
		return true, nil
	}
	if r.Head == "" {
		return false, nil
	}
	_, err := r.git(ctx, "merge-base", "--is-ancestor", commit, r.Head)
	var failed *Error
	if errors.As(err, &failed) { // 1: no; 128: no such commit here any more
		return false, nil
	}
	return err == nil, err
}

// maxReflog is how many steps of HEAD are looked at; a turn makes few.
const maxReflog = 200

// OnlyCommitsSince tells whether HEAD got from commit to where it is by
// commits alone, amended ones and picked ones too: then commit need not be an
// ancestor. Without a reflog the answer is no.
func (r *Repo) OnlyCommitsSince(ctx context.Context, commit string) (bool, error) {
	out, err := r.git(ctx, "log", "-g", "-z", "--format=%H %gs", "-n", strconv.Itoa(maxReflog), "HEAD", "--")
	var failed *Error
	if errors.As(err, &failed) {
		return false, nil
	}
	for _, step := range SplitZ(out) {
		id, action, _ := strings.Cut(step, " ")
		if id == commit {
			return true, nil
		}
		kind, _, _ := strings.Cut(action, ":")
		kind, _, _ = strings.Cut(kind, " ") // commit (amend)
		if kind != "commit" && kind != "cherry-pick" && kind != "revert" {
			return false, nil
		}
	}
	return false, err
}

// A Blob is what a commit holds for a path.
type Blob struct {
	Mode string // git's: 100644, 100755, 120000 for a symbolic link, 160000 for a submodule
	ID   string // in hex
}

// maxPathArgs keeps the command line short; above it the whole tree is read.
const maxPathArgs = 200

// Blobs returns what a commit holds for these paths, and perhaps others.
func (r *Repo) Blobs(ctx context.Context, commit string, paths []string) (map[string]Blob, error) {
	if commit == "" || len(paths) == 0 {
		return nil, nil
	}
	args := []string{"ls-tree", "-r", "-z", commit, "--"}
	if len(paths) <= maxPathArgs {
		args = append(args, paths...)
	} else {
		args = append(args, ".")
	}
	out, err := r.git(ctx, args...)
	if err != nil {
		return nil, err
	}
	blobs := make(map[string]Blob)
	for _, entry := range SplitZ(out) {
		meta, path, _ := strings.Cut(entry, "\t")
		if fields := strings.Fields(meta); len(fields) == 3 {
			blobs[path] = Blob{Mode: fields[0], ID: fields[2]}
		}
	}
	return blobs, nil
}

func (r *Repo) relative(path string) string {
	return strings.TrimSuffix(strings.TrimPrefix(path, r.Prefix), "/")
}

func (r *Repo) relativeAll(paths []string) []string {
	for i := range paths {
		paths[i] = r.relative(paths[i])
	}
	return paths
}
