package child

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"unicode/utf8"

	"github.com/google/renameio/v2"
)

// OutputName is the file in the session directory that holds a child's result.
const OutputName = "output.json"

// MaxDocument is how many bytes inputs and output may have each: what the
// pipeline format allows. Temporal takes 2 MiB for one value, and ours grows by
// a third on the way, being base64.
const MaxDocument = 1 << 20

// ReadOutput returns the output.json of a session directory, nil when there is
// none.
func ReadOutput(dir string) ([]byte, error) {
	content, err := ReadDocument(filepath.Join(dir, OutputName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return content, err
}

// ReadDocument reads a JSON document that somebody else may have put there: a
// link, a pipe, what is too long and what is no JSON are errors.
func ReadDocument(path string) ([]byte, error) {
	// Without O_NONBLOCK a pipe would wait for its writer.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close() // read only
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	content, err := io.ReadAll(io.LimitReader(file, MaxDocument+1))
	switch {
	case err != nil:
		return nil, err
	case len(content) > MaxDocument:
		return nil, fmt.Errorf("%s: more than %d bytes", path, MaxDocument)
	case !utf8.Valid(content) || !json.Valid(content): // RFC 8259, 8.1: JSON is UTF-8
		return nil, fmt.Errorf("%s: not a JSON document", path)
	}
	return content, nil
}

// WriteOutput makes output.json what a child left, atomically; without an
// output there is no such file afterwards.
func WriteOutput(dir string, content []byte) error {
	path := filepath.Join(dir, OutputName)
	if content == nil {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return renameio.WriteFile(path, content, 0o600, renameio.WithTempDir(dir), renameio.WithStaticPermissions(0o600))
}
