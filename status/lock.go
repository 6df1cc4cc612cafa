package status

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
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

	lockPoll = 10 * time.Millisecond
)

// LockTurn makes this process the only one that evaluates this session until
// unlock is called or the process ends. It waits for an evaluation that is
// under way, for an hour at most.
func (s *Store) LockTurn(ctx context.Context) (unlock func(), err error) {
	if err := s.makeDir(s.dir); err != nil {
		return nil, err
	}
	unlock, err = s.lock(ctx, turnLockName, turnLockSoon)
	if errors.Is(err, errLocked) {
		s.warn("another evaluation of this session is under way: waiting for it")
		unlock, err = s.lock(ctx, turnLockName, turnLockLimit)
	}
	if err != nil {
		return nil, fmt.Errorf("wait for the evaluation under way: %w", err)
	}
	return unlock, nil
}

var errLocked = errors.New("locked by another process")

// lock takes an flock(2) by asking again and again, because a blocking
// request could not be given up. The kernel drops the lock when its holder
// dies; the file itself stays, as removing it would let two processes lock
// two files of the same name.
func (s *Store) lock(ctx context.Context, name string, limit time.Duration) (unlock func(), err error) {
	path := filepath.Join(s.dir, name)
	l := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%s: %w for %v", path, errLocked, limit))
	defer cancel()
	if _, err := l.TryLockContext(ctx, lockPoll); err != nil {
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	return func() { _ = l.Unlock() }, nil // the kernel would do it at our end
}
