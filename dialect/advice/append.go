package advice

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"discobot-hooks/internal/atomicfile"
	"discobot-hooks/internal/filelock"
	"discobot-hooks/internal/regular"
)

// lockWait is how long one Add waits for another.
const lockWait = 10 * time.Second

// Add appends an advice to a file of issues, which it creates at need, and
// returns its id. All other bytes of the file stay as they are.
//
// beads and git write to the file too, and know nothing of our lock. What
// loses nothing then is a single write(2) at the end of the file: to replace
// the file by a copy would drop what came since it was read.
func Add(ctx context.Context, path string, a Addition, now time.Time, actor string) (id string, err error) {
	if err := a.Validate(); err != nil {
		return "", fmt.Errorf("add advice: %w", err)
	}
	id, err = add(ctx, path, a, now, actor)
	if err != nil {
		return "", fmt.Errorf("add advice: %w", err)
	}
	return id, nil
}

func add(ctx context.Context, path string, a Addition, now time.Time, actor string) (id string, err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	unlock, err := filelock.AcquireDir(ctx, dir, lockWait) // a lock file would be committed
	if err != nil {
		return "", err
	}
	defer unlock()
	f, err := openEnd(path)
	if err != nil {
		return "", err
	}
	defer f.Close() // appendLine syncs what it writes
	ids, err := readIDs(f)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	id, err = newID(a.ID, ids)
	if err != nil {
		return "", err
	}
	line, err := a.line(id, now, actor)
	if err != nil {
		return "", err
	}
	// The name first: once the line is there, nothing may fail any more.
	if err := atomicfile.SyncDir(dir); err != nil {
		return "", err
	}
	return id, appendLine(f, line)
}

// openEnd opens a regular file for reading and appending, through no link: an
// advice must not end up in whatever a workspace's link leads to.
func openEnd(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o644)
	if errors.Is(err, syscall.ELOOP) { // O_NOFOLLOW and a link
		return nil, fmt.Errorf("open %s: %w: name the file that the link leads to", path, regular.ErrNotRegular)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("open %s: %w", path, regular.ErrNotRegular)
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, err
	}
	return f, nil
}

// appendLine writes a line in one piece, durably, or not at all.
func appendLine(f *os.File, line []byte) error {
	open, err := endsOpen(f)
	if err != nil {
		return err
	}
	if open {
		line = append([]byte("\n"), line...)
	}
	n, err := writeOnce(f, line)
	if err == nil {
		err = f.Sync()
	}
	if err != nil && n > 0 {
		err = errors.Join(err, takeBack(f, n))
	}
	return err
}

// endsOpen tells whether the last line has no newline yet.
func endsOpen(f *os.File) (bool, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return false, err
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, size-1)
	return last[0] != '\n', err
}

// writeOnce is write(2). [os.File.Write] would go on after a short write, and
// others could have written in between.
func writeOnce(f *os.File, data []byte) (int, error) {
	for {
		n, err := syscall.Write(int(f.Fd()), data)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err == nil && n < len(data) {
			err = io.ErrShortWrite // the disk is full, or a limit reached
		}
		if err != nil {
			err = &os.PathError{Op: "write", Path: f.Name(), Err: err}
		}
		return n, err
	}
}

// takeBack removes the n bytes that we have just written, unless others have
// written after them: then they stay, a broken line that readers skip.
func takeBack(f *os.File, n int) error {
	end, err := f.Seek(0, io.SeekCurrent) // an append leaves it behind what it wrote
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() != end {
		return fmt.Errorf("%s has a broken line: take it out", f.Name())
	}
	return f.Truncate(end - int64(n))
}
