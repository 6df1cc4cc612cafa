package turn

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"discobot-hooks/filewatch"
)

// Fired is the last evaluation of one session.
type Fired struct {
	Agent   string    `json:"agent"` // who asked; empty where nobody said
	Session string    `json:"session"`
	At      time.Time `json:"at"`
	Result  string    `json:"result"` // in a few words, for people
}

// LastFired are the last evaluations of all sessions of a workspace, the newest
// first. One whose state cannot be read is left out.
func LastFired(stateRoot, workspace string) ([]Fired, error) {
	root, err := filepath.EvalSymlinks(workspace)
	if err != nil {
		return nil, fmt.Errorf("find workspace: %w", err)
	}
	var fired []Fired
	for _, dir := range stateDirs(stateRoot) {
		read, err := decodeState(filepath.Join(dir, stateName))
		if err != nil || read.Workspace != root {
			continue
		}
		at, err := filewatch.MarkedAt(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read marker: %w", err)
		}
		if at.Before(read.EvaluatedAt) {
			at = read.EvaluatedAt
		}
		fired = append(fired, Fired{Agent: read.Agent, Session: filepath.Base(filepath.Dir(dir)), At: at, Result: read.result()})
	}
	sort.Slice(fired, func(i, j int) bool { return fired[i].At.After(fired[j].At) }) // slices.SortFunc makes a sort of its own for so large a type: 15 kB
	return fired, nil
}

func (s state) result() string {
	ids := make([]string, 0, len(s.Pending))
	for id := range s.Pending {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	switch {
	case s.Reprompted:
		return fmt.Sprintf("re-prompt %d of %d, pending: %s", s.Attempt, maxReprompts, strings.Join(ids, ", "))
	case len(ids) > 0:
		return "the agent could stop, pending: " + strings.Join(ids, ", ")
	}
	return "nothing is pending"
}
