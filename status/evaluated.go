package status

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"discobot-hooks/internal/atomicfile"
	"discobot-hooks/internal/regular"
)

// The places in status.json as encode writes it: at the top, and nowhere else,
// since what is deeper stands further right and strings have no bare quotes.
var (
	nothingPending = []byte("\n  \"" + keyPending + "\": []")
	evaluatedAt    = []byte("\n  \"" + keyLastEvaluatedAt + "\": \"")
)

// Evaluated notes that there was an evaluation, which most turns end with and
// nothing else. It changes that time in the text, and so takes half as long as
// [Store.Update]. It is false, and nothing is changed, where a hook is pending or the
// file is not as we write it.
func (s *Store) Evaluated(ctx context.Context, at time.Time) (noted bool, err error) {
	err = s.locked(ctx, func() error {
		content, err := regular.ReadAll(s.path(), maxFileBytes)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, regular.ErrNotRegular) || errors.Is(err, regular.ErrTooLarge) {
			return nil // Update knows what to do
		}
		if err != nil {
			return fmt.Errorf("read status: %w", err)
		}
		if !stamp(content, formatTime(at)) {
			return nil
		}
		if err := atomicfile.Replace(s.path(), content, 0o600); err != nil {
			return fmt.Errorf("write status: %w", err)
		}
		noted = true
		return nil
	})
	return noted, err
}

// stamp puts the time into the document, if it is one of ours.
func stamp(content []byte, now string) bool {
	if bytes.Count(content, nothingPending) != 1 || bytes.Count(content, evaluatedAt) != 1 {
		return false
	}
	start := bytes.Index(content, evaluatedAt) + len(evaluatedAt)
	if end := start + len(now); end >= len(content) || content[end] != '"' {
		return false
	}
	copy(content[start:], now)
	return true
}
