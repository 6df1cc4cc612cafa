package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Staged path differs between HEAD and the index: a commit touches it. Both
// names of a renamed file are such paths.
type Staged struct {
	Path   string // relative to the directory asked in
	File   bool   // there is a file to look at: not deleted, here or there, and no submodule
	Edited bool   // the work tree differs from the index
}

// StagedIn lists what a commit would touch below dir, in git's order. Unlike
// for [Run] env counts as it is: git tells its hooks there which repository
// and which index it commits from. It takes one git call; outside of a
// repository there is nothing.
func StagedIn(ctx context.Context, dir string, env []string) ([]Staged, error) {
	given := slices.ContainsFunc(env, func(entry string) bool { return strings.HasPrefix(entry, "GIT_DIR=") })
	top, ok := TopLevel(dir)
	if !ok && !given {
		return nil, nil
	}
	repo := Repo{Dir: dir}
	if ok {
		repo.Prefix = prefix(top, dir)
	}
	out, err := runIn(ctx, dir, env, "status", "--porcelain=v2", "-z", "--untracked-files=no", "--no-renames",
		"--ignore-submodules=dirty", "--", ".")
	if err != nil {
		return nil, fmt.Errorf("list staged files: %w", err)
	}
	var staged []Staged
	for _, entry := range SplitZ(out) {
		// git-status(1): 1 XY SUB MODE MODE MODE ID ID PATH, where X is the index
		// against HEAD and Y the work tree against the index.
		fields := strings.SplitN(entry, " ", 9)
		if len(fields) < 9 || fields[0] != "1" || len(fields[1]) != 2 || fields[2] == "" || fields[1][0] == '.' {
			continue // not staged, or in conflict: that cannot be committed
		}
		path, submodule := repo.relative(fields[8]), fields[2][0] == 'S'
		staged = append(staged, Staged{
			Path:   path,
			File:   fields[1][0] != 'D' && !submodule && isFile(filepath.Join(dir, path)),
			Edited: fields[1][1] != '.',
		})
	}
	return staged, nil
}

// isFile looks itself: in a sparse checkout git does not expect what a merge
// brings to be there.
func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && !info.IsDir()
}
