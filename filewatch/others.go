package filewatch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Seen is what was seen of paths.
type Seen map[string]Entry

// MarshalJSON writes paths that are not UTF-8 in a form that JSON can carry.
func (s Seen) MarshalJSON() ([]byte, error) {
	encoded := make(map[string]Entry, len(s))
	for path, entry := range s {
		encoded[encodePath(path)] = entry
	}
	return json.Marshal(encoded)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *Seen) UnmarshalJSON(data []byte) error {
	var read map[string]Entry
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	*s = make(Seen, len(read))
	for text, entry := range read {
		path, err := decodePath(text)
		if err != nil {
			return err
		}
		(*s)[path] = entry
	}
	return nil
}

// Now is what a path is at this scan, dirty or not.
func (s *Scan) Now(path string) Entry {
	if entry, ok := s.Next.Seen[path]; ok {
		return entry
	}
	return s.watch.look(path, nil)
}

// Unchanged are those of the entries that their paths still have.
func (s *Scan) Unchanged(seen Seen) Seen {
	kept := make(Seen)
	for path, entry := range seen {
		if s.Now(path).same(entry) {
			kept[path] = entry
		}
	}
	return kept
}

// SeenBy are those of the paths that another evaluation of this workspace saw
// as they are now: edited before it looked, by whoever that was.
func (s *Scan) SeenBy(ctx context.Context, other *Snapshot, paths []string) (Seen, error) {
	same := make(Seen)
	if other.Git != s.Next.Git {
		return same, nil
	}
	var unrecorded []string
	for _, path := range paths {
		before, recorded := other.Seen[path]
		switch now := s.Now(path); {
		case recorded && now.same(before), !recorded && !other.Git && now.Kind == kindAbsent:
			same[path] = now
		case !recorded && other.Git:
			unrecorded = append(unrecorded, path) // clean then: as its commit has it
		}
	}
	differing, err := s.differingFrom(ctx, other.Head, slices.Clone(unrecorded))
	if err != nil {
		return nil, err
	}
	for _, path := range unrecorded {
		if !slices.Contains(differing, path) {
			same[path] = s.Now(path)
		}
	}
	return same, nil
}

// differingFrom is differing, without git where the commit is HEAD: there what
// is dirty differs, and nothing else.
func (s *Scan) differingFrom(ctx context.Context, head string, paths []string) ([]string, error) {
	if head != s.Next.Head {
		return s.differing(ctx, head, paths)
	}
	return slices.DeleteFunc(paths, func(path string) bool {
		_, dirty := s.Next.Seen[path]
		return !dirty
	}), nil
}

// Fingerprint is equal for two snapshots that saw the same content at the same
// commit. Time stamps do not count.
func (s Snapshot) Fingerprint() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%v %q\n", s.Git, s.Head)
	for _, path := range slices.Sorted(maps.Keys(s.Seen)) {
		entry := s.Seen[path]
		fmt.Fprintf(sum, "%q %s %s\n", path, entry.Kind, entry.Hash)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Settled tells that keeping s instead of last, which an evaluation before saw,
// would tell a later one nothing new.
func (s Snapshot) Settled(last Snapshot) bool {
	if s.Git != last.Git || s.Head != last.Head || !s.Known.Equal(last.Known) || !maps.Equal(s.Seen, last.Seen) {
		return false
	}
	for _, entry := range last.Seen {
		if entry.fresh(last.Started) {
			return false // its file would be read again each time
		}
	}
	return true
}
