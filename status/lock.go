package status

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"discobot-hooks/internal/filelock"
)

const (
	lockName     = ".lock"      // one change of status.json
	turnLockName = ".eval.lock" // one evaluation; taken before the other, never after

	// A change takes milliseconds; whoever holds the lock for this long
	// hangs, and must not take us along.
	statusLockLimit = 5 * time.Second

	// An evaluation may run many hooks of five minutes each. People learn
	// that we wait for one once it is not a matter of moments.
	turnLockLimit = time.Hour
	turnLockSoon  = 3 * time.Second
)

// LockTurn makes this process the only one that evaluates this session until
// unlock is called or the process ends. It waits for an evaluation that is
// under way, for an hour at most.
func (s *Store) LockTurn(ctx context.Context) (unlock func(), err error) {
	if err := s.makeDir(s.dir); err != nil {
		return nil, err
	}
	path := filepath.Join(s.dir, turnLockName)
	unlock, err = filelock.Acquire(ctx, path, turnLockSoon)
	if errors.Is(err, filelock.ErrLocked) {
		s.warn("another evaluation of this session is under way: waiting for it")
		unlock, err = filelock.Acquire(ctx, path, turnLockLimit)
	}
	if err != nil {
		return nil, fmt.Errorf("wait for the evaluation under way: %w", err)
	}
	return unlock, nil
}
