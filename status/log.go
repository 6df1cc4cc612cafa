package status

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"discobot-hooks/hook"
)

// What a log keeps: the beginning, where the first error usually is, and the
// end, where the summary is. In between a line says how much was dropped.
const (
	logHeadBytes = 1 << 20
	logTailBytes = 9 << 20
)

// A Log is the output of one run of a hook. It never holds more than its
// limits on disk, and next to nothing in memory until it is closed.
type Log struct {
	file     *os.File
	path     string
	written  int64 // bytes offered
	newlines int64
	lastByte byte
	err      error
}

// CreateLog starts the log of a new run in place of the previous one. Whatever
// lies at its path, a link or a pipe too, is replaced and not opened.
func (s *Store) CreateLog(hookID string) (*Log, error) {
	dir := filepath.Join(s.dir, "output")
	if err := s.makeDir(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, hookID+".log")
	// Another run of the same hook may begin between the two steps.
	for try := 1; ; try++ {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return nil, fmt.Errorf("replace log: %w", err)
		}
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
		if err == nil {
			return &Log{file: f, path: path}, nil
		}
		if !os.IsExist(err) || try == maxTries {
			return nil, fmt.Errorf("create log: %w", err)
		}
	}
}

// maxTries is more often than runs can begin at once.
const maxTries = 1000

// Path is where the log lies.
func (l *Log) Path() string { return l.path }

// Write takes everything; what goes beyond the limits replaces the oldest
// bytes of the tail. An error, of a full disk say, is kept for Close.
func (l *Log) Write(p []byte) (int, error) {
	l.newlines += int64(bytes.Count(p, []byte{'\n'}))
	if len(p) > 0 {
		l.lastByte = p[len(p)-1]
	}
	for rest := p; len(rest) > 0 && l.err == nil; {
		offset, room := l.place()
		n := min(room, int64(len(rest)))
		_, l.err = l.file.WriteAt(rest[:n], offset)
		l.written += n
		rest = rest[n:]
	}
	return len(p), l.err
}

// place is where the next byte goes, and how many may follow it there. Behind
// the head the file is a ring.
func (l *Log) place() (offset, room int64) {
	if l.written < logHeadBytes {
		return l.written, logHeadBytes - l.written
	}
	inTail := (l.written - logHeadBytes) % logTailBytes
	return logHeadBytes + inTail, logTailBytes - inTail
}

// Close puts the tail in order and returns what the log holds. The error is
// the first one of any write; the log then holds what could be written.
func (l *Log) Close() (hook.Output, error) {
	dropped := max(0, l.written-logHeadBytes-logTailBytes)
	if dropped > 0 && l.err == nil {
		l.err = l.unrollTail(dropped)
	}
	if err := l.file.Close(); l.err == nil {
		l.err = err
	}
	out := hook.Output{Path: l.path, Bytes: l.written, Lines: l.newlines, Dropped: dropped}
	if l.written > 0 && l.lastByte != '\n' {
		out.Lines++
	}
	if l.err != nil {
		return out, fmt.Errorf("write log: %w", l.err)
	}
	return out, nil
}

func (l *Log) unrollTail(dropped int64) error {
	ring := make([]byte, logTailBytes)
	if _, err := l.file.ReadAt(ring, logHeadBytes); err != nil {
		return err
	}
	oldest := (l.written - logHeadBytes) % logTailBytes
	note := fmt.Sprintf("\n[discobot-hooks: %d bytes dropped here]\n", dropped)
	tail := append([]byte(note), ring[oldest:]...)
	tail = append(tail, ring[:oldest]...)
	_, err := l.file.WriteAt(tail, logHeadBytes)
	return err
}
