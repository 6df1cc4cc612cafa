package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"syscall"

	"discobot-hooks/dialect"
)

// logLine is a line of hooks.log.
type logLine struct {
	Time    string `json:"ts"`
	HookID  string `json:"hook_id"`
	Event   string `json:"event_type"`
	Level   string `json:"level"`
	Message string `json:"message"`
}

// log appends the logs of a hook. An event that has come so far must not fail
// for a log that cannot be written, so that is a warning.
func (f *Format) log(ev *dialect.Event, id string, logs any) {
	list, _ := logs.([]any)
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	enc.SetEscapeHTML(false)
	for _, item := range list {
		entry, _ := item.(map[string]any)
		line := logLine{Time: timestamp(ev), HookID: id, Event: ev.Name}
		line.Level, _ = entry["level"].(string)
		line.Message, _ = entry["message"].(string)
		_ = enc.Encode(line) // strings alone, and a buffer
	}
	if lines.Len() == 0 {
		return
	}
	if err := appendFile(f.Workspace, LogFile, lines.Bytes()); err != nil && !f.unwritten {
		f.unwritten = true
		ev.Warn(fmt.Sprintf("append hooks.log: %v", err))
	}
}

// appendFile writes text in one piece, so that writers at the same time, the
// hooks' own too, leave each other's lines whole (write(2), O_APPEND). No link
// leads it elsewhere, and no pipe holds it up.
func appendFile(workspace, name string, text []byte) error {
	dir, err := makeDir(workspace, path.Dir(name))
	if err != nil {
		return err
	}
	defer dir.Close() // nothing to flush
	base := path.Base(name)
	out, err := dir.OpenFile(base, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NONBLOCK, 0o644)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }() // the write says what is wrong
	opened, err := out.Stat()
	if err != nil {
		return err
	}
	// A Root follows links that stay within it.
	if named, err := dir.Lstat(base); err != nil || !opened.Mode().IsRegular() || !os.SameFile(named, opened) {
		return fmt.Errorf("%s is not a regular file", name)
	}
	_, err = out.Write(text)
	return err
}

// makeDir creates a directory below the workspace and opens it.
func makeDir(workspace, name string) (*os.Root, error) {
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return nil, err
	}
	defer root.Close() // nothing to flush
	if err := root.MkdirAll(name, 0o755); err != nil {
		return nil, err
	}
	return root.OpenRoot(name)
}
