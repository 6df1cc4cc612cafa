package status

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"discobot-hooks/hook"
)

const (
	auditName = "audit.jsonl"

	// maxAuditBytes is when a new file is begun; the one before is kept.
	maxAuditBytes = 8 << 20

	maxReasonBytes = 1000 // of a reason in a line: what the hook printed is in its log
)

// auditLine is one execution of a hook. Unlike status.json, which has a hook's
// last run alone, the audit has every one.
type auditLine struct {
	Time       string      `json:"time"` // when it started
	Dialect    string      `json:"dialect"`
	Event      hook.Event  `json:"event"`
	HookID     string      `json:"hookId"`
	File       string      `json:"file"`
	Status     hook.Status `json:"status"`
	ExitCode   int         `json:"exitCode"`
	DurationMS int64       `json:"durationMs"`
	OutputPath string      `json:"outputPath"`
	Aborted    bool        `json:"aborted,omitempty"`
	Reason     string      `json:"reason,omitempty"`
}

func newAuditLine(h hook.Hook, r hook.Result) auditLine {
	dialect := h.Dialect
	if dialect == "" {
		dialect = "discobot"
	}
	return auditLine{
		Time: formatTime(r.Started), Dialect: dialect, Event: h.Event, HookID: h.ID, File: h.File,
		Status: r.Status, ExitCode: r.ExitCode, DurationMS: r.Duration.Milliseconds(), OutputPath: r.Output.Path,
		Aborted: r.Aborted, Reason: strings.ToValidUTF8(r.Reason[:min(len(r.Reason), maxReasonBytes)], ""),
	}
}

// audit appends a line. The caller holds the lock. A line goes out in one
// write and whole, after whatever a kill may have left unfinished.
func (s *Store) audit(h hook.Hook, r hook.Result) error {
	content, err := json.Marshal(newAuditLine(h, r))
	if err != nil {
		return fmt.Errorf("write audit: %w", err)
	}
	path := filepath.Join(s.dir, auditName)
	if info, err := os.Lstat(path); err == nil && (!info.Mode().IsRegular() || info.Size() >= maxAuditBytes) {
		if err := os.Rename(path, path+".1"); err != nil {
			return fmt.Errorf("begin a new audit: %w", err)
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return fmt.Errorf("write audit: %w", err)
	}
	_, err = f.Write(append(startOfLine(f), append(content, '\n')...))
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write audit: %w", err)
	}
	return nil
}

// startOfLine is what it takes to begin a line: nothing, or the newline that a
// full disk kept from the last one.
func startOfLine(f *os.File) []byte {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return nil
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, info.Size()-1); err == nil && last[0] != '\n' {
		return []byte{'\n'}
	}
	return nil
}
