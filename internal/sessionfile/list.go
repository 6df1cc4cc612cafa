package sessionfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"discobot-hooks/hook"
)

// maxSearch is how many files are read to find the current session where the
// link does not tell. An active session is among those written last.
const maxSearch = 200

// Current is the session that the link `current` leads to, where that one is
// active and of this workspace; else the active session of this workspace that
// started last, among the 200 written last. It is false where there is none.
func (s Store) Current(workspace string) (Session, bool, error) {
	fits := func(session Session) bool {
		return session.Status == Active && filepath.Clean(session.Workspace) == filepath.Clean(workspace)
	}
	if id, ok := s.linked(); ok {
		if session, err := s.read(id); err == nil && fits(session) {
			return session, true, nil
		}
	}
	ids, err := s.lastWritten(maxSearch)
	if err != nil {
		return Session{}, false, err
	}
	var current Session
	found := false
	for _, id := range ids {
		session, err := s.read(id)
		if err != nil || !fits(session) {
			continue // List tells what is wrong with a file
		}
		if !found || newestFirst(session, current) < 0 {
			current, found = session, true
		}
	}
	return current, found, nil
}

// linked is the id that the link names. One that leads out of the directory,
// or to what is no session's name, is none.
func (s Store) linked() (id string, ok bool) {
	target, err := os.Readlink(filepath.Join(s.Dir, linkName))
	if err != nil {
		return "", false
	}
	if dir, base := filepath.Split(target); dir != "" {
		if !filepath.IsAbs(dir) || filepath.Clean(dir) != filepath.Clean(s.Dir) {
			return "", false
		}
		target = base // as AutoAgent writes it
	}
	return idOf(target)
}

// idOf is the session that a file name means.
func idOf(name string) (id string, ok bool) {
	id, ok = strings.CutSuffix(name, extension)
	return id, ok && checkID(id) == nil
}

// List gives sessions, the one that started last first, limit at most; 0 is
// all. A file that is no session is a problem, and the others are listed.
func (s Store) List(limit int) ([]Session, []hook.Problem, error) {
	entries, err := s.entries()
	if err != nil {
		return nil, nil, err
	}
	var sessions []Session
	var problems []hook.Problem
	for _, entry := range entries {
		id, ok := idOf(entry.Name())
		if !ok {
			continue
		}
		session, err := s.read(id)
		switch {
		case errors.Is(err, fs.ErrNotExist): // gone since
		case err != nil:
			problems = append(problems, problem(s.path(id), err))
		default:
			sessions = append(sessions, session)
			if limit > 0 && len(sessions) >= 2*limit { // a file may take a megabyte
				sessions = newest(sessions, limit)
			}
		}
	}
	return newest(sessions, limit), problems, nil
}

// newest sorts in place, and lets go of what is beyond the limit.
func newest(sessions []Session, limit int) []Session {
	// slices.SortFunc would be compiled anew for this type: 19 kB
	sort.Slice(sessions, func(i, j int) bool { return newestFirst(sessions[i], sessions[j]) < 0 })
	if limit > 0 && len(sessions) > limit {
		sessions = slices.Delete(sessions, limit, len(sessions))
	}
	return sessions
}

func problem(path string, err error) hook.Problem {
	if corrupt, ok := errors.AsType[*corruptError](err); ok {
		err = fmt.Errorf("not a session: %w", corrupt.err)
	}
	return hook.Problem{File: path, Severity: hook.Warning, Message: err.Error()}
}

// newestFirst orders by start, then by id. A start that is no time is oldest.
func newestFirst(a, b Session) int {
	return cmp.Or(b.started().Compare(a.started()), cmp.Compare(b.ID, a.ID))
}

func (s Session) started() time.Time {
	t, _ := time.Parse(time.RFC3339, s.StartTime)
	return t
}

// entries is what the directory holds. That there is none is fine.
func (s Store) entries() ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return entries, nil
}

// lastWritten are the ids of at most limit files.
func (s Store) lastWritten(limit int) ([]string, error) {
	entries, err := s.entries()
	if err != nil {
		return nil, err
	}
	type file struct {
		id      string
		written time.Time
	}
	var files []file
	for _, entry := range entries {
		id, ok := idOf(entry.Name())
		if !ok {
			continue
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() { // else gone since
			files = append(files, file{id, info.ModTime()})
		}
	}
	sort.Slice(files, func(i, j int) bool { return files[i].written.After(files[j].written) })
	var ids []string
	for _, f := range files[:min(limit, len(files))] {
		ids = append(ids, f.id)
	}
	return ids, nil
}
