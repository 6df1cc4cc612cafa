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
// [ErrTooLarge]. It calls the kernel itself: an [os.File] would first be offered to
// the poller, which takes no regular files, and an evaluation reads a dozen.
func ReadAll(path string, limit int64) ([]byte, error) {
	fd, err := retry(func() (int, error) {
		return syscall.Open(path, syscall.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	})
	if errors.Is(err, syscall.ELOOP) { // O_NOFOLLOW and a link
		return nil, fmt.Errorf("open %s: %w", path, ErrNotRegular)
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd) // read only
	var stat syscall.Stat_t
	if err := syscall.Fstat(fd, &stat); err != nil {
		return nil, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	if stat.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return nil, fmt.Errorf("open %s: %w", path, ErrNotRegular)
	}
	content, err := readFrom(fd, make([]byte, 0, min(stat.Size, limit)+1), limit)
	if err != nil {
		return nil, &os.PathError{Op: "read", Path: path, Err: err}
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("read %s: %w: more than %d bytes", path, ErrTooLarge, limit)
	}
	return content, nil
}

// readFrom reads up to the end, or one byte more than limit: a file can grow, and
// those of the kernel's say that they are empty.
func readFrom(fd int, content []byte, limit int64) ([]byte, error) {
	for int64(len(content)) <= limit {
		if len(content) == cap(content) {
			content = append(content, 0)[:len(content)]
		}
		n, err := retry(func() (int, error) { return syscall.Read(fd, content[len(content):cap(content)]) })
		if err != nil || n == 0 {
			return content, err
		}
		content = content[:len(content)+n]
	}
	return content, nil
}

// retry repeats a call that a signal interrupted (signal(7)).
func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != syscall.EINTR {
			return n, err
		}
	}
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
