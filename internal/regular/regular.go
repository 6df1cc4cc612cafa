// Package regular reads files that somebody else may have put there: only
// regular ones, no link at the path, never waiting for a pipe's writer, and
// with a limit.
package regular

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// What a file can be that is not what a reader wants.
var (
	ErrNotRegular = errors.New("not a regular file")
	ErrTooLarge   = errors.New("too large")
)

// Open opens a file for reading. What is not a regular file is an
// [ErrNotRegular].
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) { // O_NOFOLLOW and a link
		return nil, fmt.Errorf("open %s: %w", path, ErrNotRegular)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("open %s: %w", path, ErrNotRegular)
	}
	if err != nil {
		_ = f.Close() // read only
		return nil, err
	}
	return f, nil
}

// ReadAll reads a whole file of at most limit bytes; a larger one is an
// [ErrTooLarge].
func ReadAll(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fmt.Errorf("read %s: %w: more than %d bytes", path, ErrTooLarge, limit)
	}
	return content, err
}

// ReadTail reads the last bytes of a file, limit at most.
func ReadTail(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	start := max(0, info.Size()-limit)
	return io.ReadAll(io.NewSectionReader(f, start, info.Size()-start))
}
