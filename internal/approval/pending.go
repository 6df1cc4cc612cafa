package approval

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sort"
	"time"
)

// Pending are the questions in a directory that people have and nobody has
// answered, the oldest first. Whether a process waits for the answer at this
// moment, or the next one will, is not told. There being no directory is none.
func Pending(dir string, now time.Time) ([]Question, error) {
	s := shelf{dir, func() time.Time { return now }}
	names, err := s.names()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var pending []Question
	for _, name := range names {
		r, err := readRecord(filepath.Join(dir, name) + recordSuffix)
		if err == nil && r.Answer == nil && !s.isOver(r) { // one that cannot be read is the next Open's to remove
			pending = append(pending, r.Question)
		}
	}
	// slices.SortFunc would be compiled anew for this type: 25 kB
	sort.Slice(pending, func(i, j int) bool { return pending[i].Asked.Before(pending[j].Asked) })
	return pending, nil
}
