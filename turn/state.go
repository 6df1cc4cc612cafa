package turn

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"discobot-hooks/filewatch"
	"discobot-hooks/internal/atomicfile"
	"discobot-hooks/internal/filelist"
	"discobot-hooks/internal/regular"
)

const (
	stateName    = "turn.json"
	stateVersion = 1

	// maxStateBytes bounds what is read: a workspace without git has an entry
	// for each of its files here.
	maxStateBytes = 512 << 20
)

// state is what one evaluation leaves for the next, beside status.json.
type state struct {
	counts
	Pending  map[string]pending  `json:"pending"`  // by hook id
	Snapshot *filewatch.Snapshot `json:"snapshot"` // nil: no evaluation yet
	// Foreign are files as other sessions left them: none of ours to check.
	Foreign filewatch.Seen `json:"foreign,omitempty"`
	Answer  *answer        `json:"answer,omitempty"` // the last one, for a second registration
	// Elsewhere is what is pending in workspaces that the session was at work in
	// before, by their real paths: an agent's `cd` can lead from one to another.
	Elsewhere map[string]place `json:"elsewhere,omitempty"`

	fresh   filewatch.Origin // of hooks that become pending now
	entered bool             // the last evaluation was in another workspace
}

// counts are the state's small parts.
type counts struct {
	Version    int  `json:"version"`
	Attempt    int  `json:"attempt"`    // re-prompts since the user's turn
	Reprompted bool `json:"reprompted"` // the last evaluation asked for one
	Unbroken   int  `json:"unbroken"`   // re-prompts since a stop that we let pass

	Workspace   string    `json:"workspace,omitempty"` // its real path
	Agent       string    `json:"agent,omitempty"`     // which one asked
	EvaluatedAt time.Time `json:"evaluated_at,omitzero"`
	// Key is the agent's own name of the user's turn that Attempt counts in.
	Key string `json:"turn_key,omitempty"`
}

// UnmarshalJSON reads the large parts only where there are any: encoding/json takes
// longer to learn their types than to read all else.
func (s *state) UnmarshalJSON(data []byte) error {
	var read struct {
		counts
		Pending   json.RawMessage `json:"pending"`
		Snapshot  json.RawMessage `json:"snapshot"`
		Foreign   json.RawMessage `json:"foreign"`
		Answer    json.RawMessage `json:"answer"`
		Elsewhere json.RawMessage `json:"elsewhere"`
	}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	s.counts = read.counts
	for _, part := range []struct {
		raw  json.RawMessage
		into any
	}{{read.Pending, &s.Pending}, {read.Snapshot, &s.Snapshot}, {read.Foreign, &s.Foreign}, {read.Answer, &s.Answer}, {read.Elsewhere, &s.Elsewhere}} {
		if text := string(part.raw); text == "" || text == "{}" || text == "null" {
			continue
		}
		if err := json.Unmarshal(part.raw, part.into); err != nil {
			return err
		}
	}
	return nil
}

// A place is what is kept of one workspace.
type place struct {
	Pending  map[string]pending  `json:"pending"`
	Snapshot *filewatch.Snapshot `json:"snapshot"`
	Foreign  filewatch.Seen      `json:"foreign,omitempty"`
}

// enter makes the state one of this workspace. What is pending in the one that it
// was of is put aside, and taken up again where the session comes back.
func (s *state) enter(workspace string) {
	if s.Workspace == "" || s.Workspace == workspace {
		return
	}
	others := maps.Clone(s.Elsewhere)
	if others == nil {
		others = make(map[string]place)
	}
	if len(s.Pending) > 0 {
		others[s.Workspace] = place{s.Pending, s.Snapshot, s.Foreign}
	}
	here := others[workspace]
	delete(others, workspace)
	s.Elsewhere, s.Pending, s.Snapshot, s.Foreign = others, here.Pending, here.Snapshot, here.Foreign
	s.Answer, s.entered = nil, true
}

// elsewhere are the ids of the hooks that are pending in other workspaces.
func (s state) elsewhere() (ids []string) {
	for _, other := range s.Elsewhere {
		ids = append(ids, slices.Sorted(maps.Keys(other.Pending))...)
	}
	return ids
}

// pending is what is kept of a pending hook beside its id in status.json.
type pending struct {
	File   string           `json:"file"` // of the hook
	Origin filewatch.Origin `json:"origin"`

	// Unknown tells that the hook was pending and nothing was kept of it:
	// that no file is dirty then proves nothing.
	Unknown bool `json:"unknown,omitempty"`
}

// readState returns what the last evaluation left. Without its marker there
// was none, as far as changes go: deleting the marker is the documented way
// to reset. A state that cannot be read is none either, and warn says so;
// what it costs is that all dirty files count as changed once more, and that
// pending hooks run whether or not their files are.
func readState(dir, workspace string, warn func(string)) (state, error) {
	read, err := decodeState(filepath.Join(dir, stateName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		warn(fmt.Sprintf("read turn state: %v; starting anew", err))
	}
	marked, err := filewatch.HasMarker(dir)
	if err != nil {
		return state{}, err
	}
	if !marked {
		read.Snapshot, read.Foreign, read.Answer = nil, nil, nil
	}
	read.enter(workspace)
	if read.Pending == nil {
		read.Pending = make(map[string]pending)
	}
	return read, nil
}

func decodeState(path string) (state, error) {
	content, err := regular.ReadAll(path, maxStateBytes)
	if err != nil {
		return state{}, err
	}
	var read state
	if err := json.Unmarshal(content, &read); err != nil {
		return state{}, fmt.Errorf("%s: %w", path, err)
	}
	if read.Version != stateVersion {
		return state{}, fmt.Errorf("%s: version %d, want %d", path, read.Version, stateVersion)
	}
	return read, nil
}

// sweep removes what evaluations that were killed have left. The turn's lock
// is held.
func sweep(dir string) {
	filelist.Sweep(dir)
	atomicfile.Sweep(filepath.Join(dir, stateName))
	filewatch.SweepMarker(dir)
}

func (s state) write(dir string) error {
	s.Version = stateVersion
	content, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("write turn state: %w", err)
	}
	if err := atomicfile.Write(filepath.Join(dir, stateName), content, 0o600); err != nil {
		return fmt.Errorf("write turn state: %w", err)
	}
	return nil
}
