package githook

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"discobot-hooks/hook"
	"discobot-hooks/internal/filelist"
	"discobot-hooks/internal/git"
	"discobot-hooks/internal/pattern"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/run"
)

// maxNoted is how many files the note on further edits names.
const maxNoted = 3

// staged asks git once what the commit touches, for hooks that are about that.
func (r Run) staged(ctx context.Context, hooks ...hook.Hook) ([]git.Staged, error) {
	if !slices.ContainsFunc(hooks, aboutFiles) {
		return nil, nil
	}
	if !r.Deadline.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, r.Deadline)
		defer cancel()
	}
	return git.StagedIn(ctx, r.Workspace.Dir, askEnviron(r.Env))
}

// aboutFiles tells hooks that get the files of a commit.
func aboutFiles(h hook.Hook) bool { return h.Event == hook.PreCommit }

// concerning are the staged paths that a hook is about: without a match all.
// A hook to which the match leaves none is not concerned.
func concerning(h hook.Hook, staged []git.Staged) (files []git.Staged, concerned bool, err error) {
	match := h.Match
	switch {
	case !aboutFiles(h) || len(match.Patterns)+len(match.Ignore) == 0:
		return staged, true, nil
	case len(match.Patterns) == 0: // all but these
		match.Patterns, match.Ignore = []string{"!" + match.Ignore[0]}, match.Ignore[1:]
	}
	matcher, err := pattern.Compile(match)
	if err != nil {
		return nil, false, fmt.Errorf("match hook %s: %w", h.ID, err)
	}
	for _, file := range staged {
		if matcher.Match(file.Path) {
			files = append(files, file)
		}
	}
	return files, len(files) > 0, nil
}

// commands are a hook's command, or its batches, with the list of files that
// it is about. The lists lie in the system's directory for temporary files,
// which is cleared of what a kill leaves behind, until cleanup is called.
func commands(base run.Command, h hook.Hook, files []git.Staged) ([]run.Command, func(), error) {
	if !aboutFiles(h) {
		return []run.Command{base}, func() {}, nil
	}
	var paths []string
	for _, file := range files {
		if file.File {
			paths = append(paths, file.Path)
		}
	}
	if len(h.Match.Patterns) > 0 {
		return filelist.Staged(base, paths, os.TempDir())
	}
	whole, cleanup, err := filelist.StagedWhole(base, paths, os.TempDir())
	return []run.Command{whole}, cleanup, err
}

// edited adds to names the files of which the hook saw other content than what
// the commit will have.
func edited(names []string, files []git.Staged) []string {
	for _, file := range files {
		if file.Edited && !slices.Contains(names, file.Path) {
			names = append(names, file.Path)
		}
	}
	return names
}

// noteEdits is said of a commit that passes, too: what passed is not what is
// committed.
func (r Run) noteEdits(paths []string) {
	if len(paths) == 0 {
		return
	}
	var names []string
	for _, path := range paths[:min(len(paths), maxNoted)] {
		names = append(names, plaintext.Path(path))
	}
	text, verb, verbs := strings.Join(names, ", "), "is", "has"
	if more := len(paths) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if len(paths) > 1 {
		verb, verbs = "are", "have"
	}
	r.say("%s %s staged and %s further edits that are not: the hooks see the work tree", text, verb, verbs)
}
