package filewatch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"discobot-hooks/internal/git"
)

// repositoryHash stands for the content of a repository inside the
// workspace, a submodule or an untracked one: its HEAD, and which of its
// files are dirty with what content. What git cannot answer counts as equal.
func (w Watch) repositoryHash(dir string) string {
	ctx := context.Background() // each git command has a limit of its own
	repo, err := git.Open(ctx, dir, w.Env)
	if err != nil || repo == nil || repo.Prefix != "" {
		return "directory"
	}
	sum := sha256.New()
	sum.Write([]byte(repo.Head))
	dirty, err := repo.Dirty(ctx)
	if err != nil {
		return repo.Head
	}
	inner := Watch{Workspace: dir, Env: w.Env}
	for _, d := range dirty {
		entry := inner.look(d.Path, nil)
		sum.Write([]byte("\x00" + d.Path + "\x00" + string(entry.Kind) + "\x00" + entry.Hash))
	}
	return hex.EncodeToString(sum.Sum(nil))
}
