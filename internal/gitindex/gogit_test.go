package gitindex

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	gogit "github.com/go-git/go-git/v5/plumbing/format/index"
	"github.com/google/go-cmp/cmp"

	"discobot-hooks/internal/gittest"
)

// Another implementation reads what git wrote as we do; and what it writes itself,
// other tools being at work in people's repositories too, we read as it was meant.
func TestGoGitReadsAndWritesTheSame(t *testing.T) {
	t.Parallel()
	known := 0
	for _, test := range indexes {
		if test.refused {
			continue
		}
		repo := gittest.New(t)
		test.make(repo)
		written := read(t, repo)
		theirs := new(gogit.Index)
		if err := gogit.NewDecoder(bytes.NewReader(written)).Decode(theirs); err != nil {
			continue // it does not know every extension, nor an index without its sum
		}
		known++
		ours, err := Parse(written)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if diff := cmp.Diff(asTold(theirs), told(ours)); diff != "" {
			t.Errorf("%s: entries mismatch (-go-git +ours):\n%s", test.name, diff)
		}
		if theirs.Version == 3 || slices.ContainsFunc(theirs.Entries, func(e *gogit.Entry) bool { return e.SkipWorktree }) {
			continue // it would write such flags as version 2, which neither git nor we take
		}
		var again bytes.Buffer
		theirs.Version = 2 // the only one that it writes well
		if err := gogit.NewEncoder(&again).Encode(theirs); err != nil {
			t.Fatal(err)
		}
		if ours, err = Parse(again.Bytes()); err != nil {
			t.Fatalf("%s, written by go-git: %v", test.name, err)
		}
		if diff := cmp.Diff(asTold(theirs), told(ours)); diff != "" {
			t.Errorf("%s, written by go-git: entries mismatch (-go-git +ours):\n%s", test.name, diff)
		}
	}
	if known < 4 {
		t.Errorf("go-git read %d of the indexes, want 4 at least", known)
	}
}

type line struct {
	Name string
	Mode uint32
	ID   []byte
}

func told(ix *Index) (lines []line) {
	for _, e := range ix.Entries {
		lines = append(lines, line{string(e.Name), e.Mode(), e.ID()})
	}
	return lines
}

func asTold(ix *gogit.Index) (lines []line) {
	for _, e := range ix.Entries {
		lines = append(lines, line{strings.Clone(e.Name), uint32(e.Mode), e.Hash[:]})
	}
	return lines
}
