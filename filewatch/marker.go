package filewatch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"discobot-hooks/internal/atomicfile"
)

// markerName is the documented marker file. Its modification time is when
// the last evaluation looked; its absence means that there was none.
const markerName = ".last-eval"

// HasMarker tells whether an evaluation left its marker in the session's
// state directory. Deleting the file makes the next evaluation a first one.
func HasMarker(dir string) (bool, error) {
	_, err := os.Lstat(filepath.Join(dir, markerName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read marker: %w", err)
	}
	return true, nil
}

// MarkedAt is when the last evaluation looked.
func MarkedAt(dir string) (time.Time, error) {
	info, err := os.Lstat(filepath.Join(dir, markerName))
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// RefreshMarker is TouchMarker where there is a marker: nothing has to become
// durable then.
func RefreshMarker(dir string) error {
	if err := unix.Utimes(filepath.Join(dir, markerName), nil); err != nil { // nil: the kernel's now, utimes(2)
		return fmt.Errorf("touch marker: %w", err)
	}
	return nil
}

// TouchMarker moves the marker to now. The kernel sets the time, as the clock
// of the file system is not ours to the nanosecond.
func TouchMarker(dir string) error {
	if err := atomicfile.Write(filepath.Join(dir, markerName), nil, 0o600); err != nil {
		return fmt.Errorf("write marker: %w", err)
	}
	return nil
}

// SweepMarker removes what a killed TouchMarker left.
func SweepMarker(dir string) { atomicfile.Sweep(filepath.Join(dir, markerName)) }
