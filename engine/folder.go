package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"discobot-hooks/internal/atomicfile"
	"discobot-hooks/internal/regular"
	"discobot-hooks/internal/wording"
)

// The files of a session directory that the engine and its commands share.
const (
	progressFile = "progress.md"
	statusFile   = "status.json"
	contextFile  = "context.json"
	outputFile   = "output.json"
	changedFile  = "changed-files"
)

// maxSharedBytes bounds what is read of a file that a command wrote.
const maxSharedBytes = 1 << 20

// folder is the session directory, an absolute path. A command may have put
// anything into it, so what is there is read without following links, and
// replaced as a whole.
type folder string

func (d folder) path(name string) string { return filepath.Join(string(d), name) }

// makeMissing writes a file unless there is something already.
func (d folder) makeMissing(name, content string) error {
	f, err := os.OpenFile(d.path(name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("make %s: %w", name, err)
	}
	_, err = f.WriteString(content)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("make %s: %w", name, err)
	}
	return nil
}

// replace writes a file for whoever reads it at that moment.
func (d folder) replace(name string, content []byte) error {
	path := d.path(name)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = atomicfile.Replace(path, content, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// clear removes what an iteration writes anew.
func (d folder) clear() error {
	for _, name := range []string{statusFile, outputFile, changedFile} {
		if err := os.Remove(d.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("clear session directory: %w", err)
		}
	}
	return nil
}

// createLog makes the log of an iteration; a pipe or link in its place, whose
// opening might wait or lead elsewhere, goes.
func (d folder) createLog(stage string, iteration int) (*os.File, error) {
	path := d.path(filepath.Join("output", fmt.Sprintf("%s-%d.log", stage, iteration)))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make log: %w", err)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("make log: %w", err)
	}
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
}

// A decision is what a command says in status.json.
type decision struct{ word, reason string }

// decision reads status.json. What is none decides nothing; the error says
// why, for people.
func (d folder) decision() (decision, error) {
	content, err := regular.ReadAll(d.path(statusFile), maxSharedBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return decision{}, nil
	}
	var status map[string]any
	if err == nil && (json.Unmarshal(content, &status) != nil || status == nil) {
		err = errors.New("not a JSON object")
	}
	if err != nil {
		return decision{}, fmt.Errorf("%s decides nothing: %w", statusFile, wording.Cause(err))
	}
	word, isText := status["decision"].(string)
	if status["decision"] != nil && !isText {
		return decision{}, fmt.Errorf("%s decides nothing: its decision is no string", statusFile)
	}
	reason, _ := status["reason"].(string)
	return decision{word, reason}, nil
}

// changed reads what the command says that it changed.
func (d folder) changed() ([]string, error) {
	content, err := regular.ReadAll(d.path(changedFile), maxSharedBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not used: %w", changedFile, wording.Cause(err))
	}
	var paths []string
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			paths = append(paths, line)
		}
	}
	return paths, nil
}

// ownOutput reads the output.json that a command wrote, its beginning if it is
// long. Not ok: there is none.
func (d folder) ownOutput() (k kept, ok bool, err error) {
	f, err := regular.Open(d.path(outputFile))
	if errors.Is(err, fs.ErrNotExist) {
		return k, false, nil
	}
	if err != nil {
		return k, false, fmt.Errorf("%s is not used: %w", outputFile, wording.Cause(err))
	}
	defer f.Close() // read only
	_, err = io.Copy(&k, io.LimitReader(f, maxOutputBytes+1))
	return k, err == nil, err
}
