// Package filelock keeps processes of ours from changing the same file at
// once. The kernel drops a lock when its holder dies, so none is ever stale.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// ErrLocked tells that another process held the lock for as long as we waited.
var ErrLocked = errors.New("locked by another process")

const poll = 10 * time.Millisecond

// Acquire takes the flock(2) on path, waiting for limit at most. It asks again
// and again, because a blocking request could not be given up. The file is
// created at need, never through a link, and stays: removing it would let two
// processes lock two files of the same name.
func Acquire(ctx context.Context, path string, limit time.Duration) (unlock func(), err error) {
	return acquire(ctx, path, limit, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK)
}

// AcquireDir is [Acquire] of a directory that is there: for places where a
// lock file would be in the way, since somebody may commit it.
func AcquireDir(ctx context.Context, dir string, limit time.Duration) (unlock func(), err error) {
	return acquire(ctx, dir, limit, os.O_RDONLY|syscall.O_DIRECTORY)
}

func acquire(ctx context.Context, path string, limit time.Duration, flags int) (unlock func(), err error) {
	l := flock.New(path, flock.SetFlag(flags), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%s: %w for %v", path, ErrLocked, limit))
	defer cancel()
	if _, err := l.TryLockContext(ctx, poll); err != nil {
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	return func() { _ = l.Unlock() }, nil // the kernel would do it at our end
}
