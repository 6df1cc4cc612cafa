package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"discobot-hooks/internal/filelock"
)

// Files in a session's state: locked while hooks run, and when they last did.
const (
	startName      = ".session-start"
	backgroundName = ".session-background"
)

const (
	// claimLimit is how long a lock is asked for. Whoever has it does what we
	// would do.
	claimLimit = 100 * time.Millisecond

	// againLimit is how far apart two calls for one start may come. Agents call
	// their hooks within milliseconds, or one after the other.
	againLimit = 10 * time.Second
)

// A claimed file says that this process runs a session's hooks.
type claimed struct {
	path   string
	unlock func()
}

// claim locks the file at path, made at need. Nil: another process has it.
func claim(ctx context.Context, path string) (*claimed, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("claim session: %w", err)
	}
	unlock, err := filelock.Acquire(ctx, path, claimLimit)
	if errors.Is(err, filelock.ErrLocked) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("claim session: %w", err)
	}
	return &claimed{path, unlock}, nil
}

// release may be called on nil.
func (c *claimed) release() {
	if c != nil {
		c.unlock()
	}
}

// isAgain tells whether what has this digest was done just now. A clock that
// was set back says no.
func (c *claimed) isAgain(digest string) bool {
	content, err := os.ReadFile(c.path)
	last, at, found := strings.Cut(strings.TrimSpace(string(content)), " ")
	ms, parseErr := strconv.ParseInt(at, 10, 64)
	if err != nil || !found || parseErr != nil || last != digest {
		return false
	}
	age := time.Since(time.UnixMilli(ms))
	return age >= 0 && age < againLimit
}

// note keeps that what has this digest is done.
func (c *claimed) note(digest string) error {
	line := fmt.Sprintf("%s %d\n", digest, time.Now().UnixMilli())
	if err := os.WriteFile(c.path, []byte(line), 0o600); err != nil {
		return fmt.Errorf("note session start: %w", err)
	}
	return nil
}
