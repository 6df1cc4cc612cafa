package agenthost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"discobot-hooks/internal/atomicfile"
	"discobot-hooks/internal/filelock"
	"discobot-hooks/internal/regular"
)

// A record notes, for one configuration file, what was not there before
// [Host.Connect], so that [Host.Disconnect] takes that back and nothing else:
// an empty list says the same as none, but somebody may have written it.
type record struct {
	File bool     `json:"file,omitempty"` // the file itself
	Dir  string   `json:"dir,omitempty"`  // the outermost directory that was made for it
	Made []string `json:"made,omitempty"` // members: "version", "hooks", "hooks.Stop"
}

const (
	recordFile  = ".connected.json" // no session's id begins with a dot
	recordBytes = 1 << 20
	lockLimit   = 10 * time.Second
)

// readRecord is the note on path. Where there is none, as in another clone of
// the workspace, known is false.
func (a *agent) readRecord(path string) (r record, known bool) {
	r, known = a.records()[path]
	return r, known
}

// records are all notes. A file that cannot be read has none: they are a
// courtesy, and connecting must work without.
func (a *agent) records() map[string]record {
	all := map[string]record{}
	if content, err := regular.ReadAll(filepath.Join(a.StateRoot, recordFile), recordBytes); err == nil {
		_ = json.Unmarshal(content, &all) // likewise
	}
	if all == nil { // the file said null
		all = map[string]record{}
	}
	return all
}

// note replaces the note on path; nil removes it.
func (a *agent) note(ctx context.Context, path string, r *record) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("note what was made: %w", err)
		}
	}()
	if _, known := a.readRecord(path); r == nil && !known {
		return nil
	}
	if err := os.MkdirAll(a.StateRoot, 0o700); err != nil {
		return err
	}
	unlock, err := filelock.AcquireDir(ctx, a.StateRoot, lockLimit)
	if err != nil {
		return err
	}
	defer unlock()
	all := a.records()
	if delete(all, path); r != nil {
		all[path] = *r
	}
	file := filepath.Join(a.StateRoot, recordFile)
	if len(all) == 0 {
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	content, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(file, append(content, '\n'), 0o600)
}
