package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"slices"
	"strings"

	"discobot-hooks/internal/gitindex"
	"discobot-hooks/internal/worktree"
)

// Known is what is true for ever, or as long as HEAD, the index, a directory
// or a file are as they were, which can be told: what is staged, a commit's
// tree, which directories hold nothing else, and which files are clean.
type Known struct {
	Head   string   // the commit that all is about
	Tree   string   // its tree; empty if that was not learnt
	Index  string   // the sum of an index; empty if it has none
	Staged []string // what that index has other than Head; from the top
	Exact  worktree.Seals
	Clean  worktree.Seals // touched files whose content is as in the index
}

// Equal tells whether keeping one is as good as keeping the other.
func (k Known) Equal(other Known) bool {
	return k.Head == other.Head && k.Tree == other.Tree && k.Index == other.Index && slices.Equal(k.Staged, other.Staged) &&
		bytes.Equal(k.Exact, other.Exact) && bytes.Equal(k.Clean, other.Clean)
}

// staged lists the paths that differ between HEAD and the index, from the top
// of the work tree, less those elsewhere.
func (r *Repo) staged(ctx context.Context, index *gitindex.Index) ([]string, error) {
	var staged []string
	sum, tree := hex.EncodeToString(index.Sum), hex.EncodeToString(index.Tree)
	switch known := r.Known; {
	case r.Head == "":
		for _, entry := range index.Entries {
			staged = append(staged, string(entry.Name))
		}
	case known.Head == r.Head && tree != "" && known.Tree == tree:
	case known.Head == r.Head && sum != "" && known.Index == sum:
		staged = known.Staged
	default:
		out, err := r.git(ctx, "diff-index", "--cached", "--name-only", "-z", "--no-renames", "--no-relative", r.Head, "--")
		if err != nil {
			return nil, err
		}
		staged = SplitZ(out)
		r.Known = Known{Head: r.Head, Index: sum, Staged: staged, Exact: r.Known.Exact, Clean: r.Known.Clean}
		if len(staged) == 0 {
			r.Known.Tree = tree // without a difference the two are one
		}
	}
	return slices.DeleteFunc(slices.Clone(staged), func(path string) bool { return !strings.HasPrefix(path, r.Prefix) }), nil
}
