// Package variables turns an event's values into texts, and texts into an
// environment that a program can be given.
//
// Start with [Environ]. It knows no names: which values become variables is
// for the caller to say, never for the event.
package variables

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// MaxBytes is what a variable or an argument holds: Linux takes none over
// 128 KiB (execve(2), MAX_ARG_STRLEN).
const MaxBytes = 96 << 10

// A Variable is one of an environment.
type Variable struct{ Name, Value string }

// Environ gives the variables as execve(2) wants them. A value that is longer
// than [MaxBytes] is cut, and is whole in the file that NAME_FILE names, which
// spill writes. NUL characters, which no program can be given, are left out.
func Environ(all []Variable, spill func(Variable) (path string, err error)) ([]string, error) {
	env := make([]string, 0, len(all))
	for _, v := range all {
		v.Value = strings.ReplaceAll(v.Value, "\x00", "")
		if len(v.Value) > MaxBytes {
			path, err := spill(v)
			if err != nil {
				return nil, fmt.Errorf("hand over %s: %w", v.Name, err)
			}
			env = append(env, v.Name+"_FILE="+path)
			v.Value = strings.ToValidUTF8(v.Value[:MaxBytes], "")
		}
		env = append(env, v.Name+"="+v.Value)
	}
	return env, nil
}

// Text is a JSON value as a variable has it: a text as it is, a list as its
// items, one a line, anything else as JSON; nil is empty.
func Text(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	case []any:
		lines := make([]string, len(value))
		for i, item := range value {
			lines[i] = Text(item)
		}
		return strings.Join(lines, "\n")
	}
	return string(JSON(value))
}

// JSON is a value without the escapes that are for HTML. The value must be one
// that JSON has.
func JSON(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return []byte("null")
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
