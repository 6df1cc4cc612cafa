package autoagent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/tailscale/hujson"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
	"discobot-hooks/internal/jsonedit"
	"discobot-hooks/internal/regular"
)

// A config is one file of configuration. Nil is one that is not there.
type config struct {
	file    string // as problems name it
	content []byte
	root    *hujson.Object
}

// parseConfig makes a config of what reading its file gave. Problems call it
// file. Most of what is in it is AutoAgent's own and nobody's business here.
func parseConfig(file string, content []byte, err error) (*config, error) {
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	c := &config{file: file, content: content}
	if err != nil {
		return nil, &dialect.FileError{File: file, Severity: hook.Error, Message: fmt.Sprintf("cannot be read: %v", cause(err))}
	}
	// encoding/json has the last word on what is JSON, and bounds the depth.
	var any json.RawMessage
	if err := json.Unmarshal(content, &any); err != nil {
		offset := 0
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			offset = max(int(syntax.Offset)-1, 0) // it is behind the byte that is wrong
		}
		return nil, c.failed(offset, fmt.Sprintf("not JSON: %v", err))
	}
	root, err := hujson.Parse(content)
	if err != nil {
		return nil, c.failed(0, fmt.Sprintf("not JSON: %v", err))
	}
	var ok bool
	if c.root, ok = root.Value.(*hujson.Object); !ok {
		return nil, c.failed(root.StartOffset, `want an object: write {"hooks": {…}}`)
	}
	return c, nil
}

// failed is what keeps the whole file from being read.
func (c *config) failed(offset int, message string) error {
	line, column := c.position(offset)
	message = fmt.Sprintf("column %d: %s", column, message)
	return &dialect.FileError{File: c.file, Line: line, Severity: hook.Error, Message: message}
}

// cause is an error without the path, which the problem names already.
func cause(err error) error {
	switch path, ok := errors.AsType[*fs.PathError](err); {
	case ok:
		return path.Err
	case errors.Is(err, regular.ErrNotRegular):
		return fmt.Errorf("%w: put the file itself there, no link", regular.ErrNotRegular)
	case errors.Is(err, regular.ErrTooLarge):
		return fmt.Errorf("%w: more than %d bytes", regular.ErrTooLarge, jsonedit.MaxBytes)
	}
	return err
}

func (c *config) position(offset int) (line, column int) { return jsonedit.Position(c.content, offset) }

// member finds a value of the file's object. Of two the last one counts, as
// in JavaScript.
func (c *config) member(name string) (hujson.ObjectMember, bool) {
	if c == nil {
		return hujson.ObjectMember{}, false
	}
	var found hujson.ObjectMember
	for _, m := range c.root.Members {
		if key(m) == name {
			found = m
		}
	}
	return found, found.Name.Value != nil
}

func key(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// isNull tells whether a value is null, which means as little as none.
func isNull(v hujson.Value) bool { return v.Value.Kind() == 'n' }
