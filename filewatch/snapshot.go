package filewatch

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"discobot-hooks/internal/git"
)

// A Snapshot is what an evaluation saw, small enough to keep: in a git work
// tree the dirty files alone, since HEAD holds all others; elsewhere every
// file.
type Snapshot struct {
	Git     bool
	Head    string // commit; empty before the first one, and without git
	Known   git.Known
	Started int64 // when the look began, nanoseconds since 1970
	Seen    map[string]Entry
}

// Origin is the state that a pending hook's candidates count from: a commit,
// where there is git, and the files that changed since. Without git the files
// say it all; with it they are for when history is rewritten. An empty Head is
// the state before the first commit.
type Origin struct {
	Head  string
	Paths []string
}

// Extend adds the changes of a further scan, for a hook that was pending
// before it.
func (o Origin) Extend(s *Scan) Origin {
	paths := slices.Clone(o.Paths)
	for _, file := range s.Changed {
		paths = append(paths, file.Path)
	}
	return Origin{Head: o.Head, Paths: sortedUnion(paths)}
}

type snapshotJSON struct {
	Git     bool             `json:"git"`
	Head    string           `json:"head,omitempty"`
	Known   *knownJSON       `json:"known,omitempty"`
	Started int64            `json:"started"`
	Seen    map[string]Entry `json:"seen"`
}

// MarshalJSON writes paths that are not UTF-8 in a form that JSON can carry.
func (s Snapshot) MarshalJSON() ([]byte, error) {
	seen := make(map[string]Entry, len(s.Seen))
	for path, entry := range s.Seen {
		seen[encodePath(path)] = entry
	}
	return json.Marshal(snapshotJSON{s.Git, s.Head, encodeKnown(s.Known), s.Started, seen})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Snapshot) UnmarshalJSON(data []byte) error {
	var read snapshotJSON
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	if err := checkHead(read.Head); err != nil {
		return err
	}
	known, err := read.Known.decode()
	if err != nil {
		return err
	}
	*s = Snapshot{read.Git, read.Head, known, read.Started, make(map[string]Entry, len(read.Seen))}
	for text, entry := range maps.All(read.Seen) {
		path, err := decodePath(text)
		if err != nil {
			return err
		}
		s.Seen[path] = entry
	}
	return nil
}

// knownJSON is what git had been asked about HEAD and the index, so that it
// need not be asked again.
type knownJSON struct {
	Head   string   `json:"head,omitempty"`
	Tree   string   `json:"tree,omitempty"`
	Index  string   `json:"index,omitempty"`
	Staged []string `json:"staged,omitempty"`
	Exact  []byte   `json:"exact,omitempty"`
	Clean  []byte   `json:"clean,omitempty"`
}

func encodeKnown(k git.Known) *knownJSON {
	if k.Head == "" && len(k.Exact) == 0 && len(k.Clean) == 0 {
		return nil
	}
	written := &knownJSON{Head: k.Head, Tree: k.Tree, Index: k.Index, Exact: k.Exact, Clean: k.Clean}
	for _, path := range k.Staged {
		written.Staged = append(written.Staged, encodePath(path))
	}
	return written
}

func (k *knownJSON) decode() (git.Known, error) {
	if k == nil {
		return git.Known{}, nil
	}
	known := git.Known{Head: k.Head, Tree: k.Tree, Index: k.Index, Exact: k.Exact, Clean: k.Clean}
	for _, text := range k.Staged {
		path, err := decodePath(text)
		if err != nil {
			return git.Known{}, err
		}
		known.Staged = append(known.Staged, path)
	}
	return known, nil
}

type originJSON struct {
	Head  string   `json:"head,omitempty"`
	Paths []string `json:"paths,omitempty"`
}

// MarshalJSON writes paths that are not UTF-8 in a form that JSON can carry.
func (o Origin) MarshalJSON() ([]byte, error) {
	written := originJSON{Head: o.Head}
	for _, path := range o.Paths {
		written.Paths = append(written.Paths, encodePath(path))
	}
	return json.Marshal(written)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (o *Origin) UnmarshalJSON(data []byte) error {
	var read originJSON
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	if err := checkHead(read.Head); err != nil {
		return err
	}
	*o = Origin{Head: read.Head}
	for _, text := range read.Paths {
		path, err := decodePath(text)
		if err != nil {
			return err
		}
		o.Paths = append(o.Paths, path)
	}
	return nil
}

// checkHead lets nothing become an argument of git's that is no commit's id: git
// would take `--output=FILE` for an option, and the file is anybody's to edit.
func checkHead(head string) error {
	if strings.Trim(head, "0123456789abcdef") != "" {
		return fmt.Errorf("read commit id: %q is not one", head)
	}
	return nil
}

// base64Prefix marks a path whose bytes are not UTF-8: encoding/json would
// replace them, and two files could become one. A path that really begins
// with it is encoded too.
const base64Prefix = "base64:"

func encodePath(path string) string {
	if utf8.ValidString(path) && !strings.HasPrefix(path, base64Prefix) {
		return path
	}
	return base64Prefix + base64.StdEncoding.EncodeToString([]byte(path))
}

func decodePath(text string) (string, error) {
	encoded, ok := strings.CutPrefix(text, base64Prefix)
	if !ok {
		return text, nil
	}
	path, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return "", fmt.Errorf("decode path %q: %w", text, err)
	}
	return string(path), nil
}
