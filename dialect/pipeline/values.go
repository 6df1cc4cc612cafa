package pipeline

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"discobot-hooks/dialect"
	"discobot-hooks/internal/atomicfile"
)

// variables are the document's seventeen, in its order. No other key of an
// event becomes the name of a variable: PATH or BASH_ENV would be an attack.
var variables = []string{
	"SESSION", "STAGE", "NEXT_STAGE", "ITERATION", "MAX_ITERATIONS", "PROGRESS", "STATUS", "CTX",
	"LAST_DECISION", "LAST_HOOK_STATUS", "CHANGED_FILES", "STAGE_OUTPUTS", "ERROR", "TIMESTAMP",
	"CALLBACK_URL", "HOOK_RESPONSE", "SPAWN_OUTPUT",
}

// maxValueBytes is what a variable of the environment holds: Linux takes no
// entry over 128 KiB (execve(2), MAX_ARG_STRLEN).
const maxValueBytes = 96 << 10

// values are the variables of one event.
type values struct {
	of         map[string]string
	sessionDir string // absolute: where the pipeline keeps its files
}

// newValues takes the variables from the event's context, where they have the
// same names in lower case.
func newValues(ev *dialect.Event, o Options) values {
	v := values{of: make(map[string]string)}
	for _, name := range variables {
		v.set(name, text(ev.Data[strings.ToLower(name)]))
	}
	v.set("SESSION", cmp.Or(v.get("SESSION"), ev.Session, o.Session))
	v.set("TIMESTAMP", cmp.Or(v.get("TIMESTAMP"), ev.Time.UTC().Format(time.RFC3339)))
	v.set("CALLBACK_URL", "") // ours to make
	if ev.Name != onError {
		v.set("ERROR", "")
	}
	v.sessionDir = text(ev.Data["session_dir"])
	if v.sessionDir == "" {
		v.sessionDir = filepath.Join(o.State, "pipeline", fileName(v.get("SESSION")))
	} else if !filepath.IsAbs(v.sessionDir) {
		v.sessionDir = filepath.Join(o.Workspace, v.sessionDir)
	}
	return v
}

func (v values) get(name string) string { return v.of[name] }

// set keeps a value without NUL characters, which no program can be given.
func (v values) set(name, value string) { v.of[name] = strings.ReplaceAll(value, "\x00", "") }

// text is a value of an event as a variable has it: a list is its items, one a
// line, and what has keys is JSON.
func text(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	case []any:
		lines := make([]string, len(value))
		for i, item := range value {
			lines[i] = text(item)
		}
		return strings.Join(lines, "\n")
	}
	return string(encode(value))
}

// encode is JSON without the escapes that are for HTML. What it gets was JSON
// or YAML before, so it can be.
func encode(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return []byte("null")
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// environ are all the variables, empty ones too: what the caller's environment
// has under these names is something else. A value too long for it is cut,
// and is whole in the file that NAME_FILE names.
func (v values) environ() ([]string, error) {
	env := make([]string, 0, len(variables))
	for _, name := range variables {
		value := v.get(name)
		if len(value) > maxValueBytes {
			path, err := v.spill(name, value)
			if err != nil {
				return nil, err
			}
			env = append(env, name+"_FILE="+path)
			value = strings.ToValidUTF8(value[:maxValueBytes], "")
		}
		env = append(env, name+"="+value)
	}
	return env, nil
}

// spill writes a long value into a file that is named for its content, so that
// actions which run at once do not write over each other's.
func (v values) spill(name, value string) (string, error) {
	dir := filepath.Join(v.sessionDir, "values")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("write %s: %w", name, err)
	}
	path := filepath.Join(dir, fmt.Sprintf("%s-%x", name, sha256.Sum256([]byte(value))))
	if err := atomicfile.Replace(path, []byte(value), 0o600); err != nil {
		return "", fmt.Errorf("write %s: %w", name, err)
	}
	return path, nil
}

// isVariable tells the document's variables from what else ${NAME} can be.
func isVariable(name string) bool { return slices.Contains(variables, name) }

// fileName makes a name that cannot leave its directory; names that differ
// stay different.
func fileName(name string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	if strings.Trim(name, plain) == "" && name != "" && name[0] != '.' && len(name) <= 100 {
		return name
	}
	return fmt.Sprintf("name-%x", sha256.Sum256([]byte(name)))[:24]
}

// clone keeps what the variables are now: actions after this one change them.
func (v values) clone() values {
	v.of = maps.Clone(v.of)
	return v
}
