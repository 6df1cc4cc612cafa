package pipeline

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"discobot-hooks/dialect"
	"discobot-hooks/internal/atomicfile"
	"discobot-hooks/internal/safename"
	"discobot-hooks/internal/variables"
)

// seventeen are the document's variables, in its order. No other key of an
// event becomes the name of a variable: PATH or BASH_ENV would be an attack.
var seventeen = []string{
	"SESSION", "STAGE", "NEXT_STAGE", "ITERATION", "MAX_ITERATIONS", "PROGRESS", "STATUS", "CTX",
	"LAST_DECISION", "LAST_HOOK_STATUS", "CHANGED_FILES", "STAGE_OUTPUTS", "ERROR", "TIMESTAMP",
	"CALLBACK_URL", "HOOK_RESPONSE", "SPAWN_OUTPUT",
}

// values are the variables of one event.
type values struct {
	of         map[string]string
	sessionDir string // absolute: where the pipeline keeps its files
}

// newValues takes the variables from the event's context, where they have the
// same names in lower case.
func newValues(ev *dialect.Event, o Options) values {
	v := values{of: make(map[string]string)}
	for _, name := range seventeen {
		v.set(name, variables.Text(ev.Data[strings.ToLower(name)]))
	}
	v.set("SESSION", cmp.Or(v.get("SESSION"), ev.Session, o.Session))
	v.set("TIMESTAMP", cmp.Or(v.get("TIMESTAMP"), ev.Time.UTC().Format(time.RFC3339)))
	v.set("CALLBACK_URL", "") // ours to make
	if ev.Name != onError {
		v.set("ERROR", "")
	}
	v.sessionDir = variables.Text(ev.Data["session_dir"])
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

// carried are the values that the next hook point may want, as an event has them.
func (v values) carried() map[string]any {
	return map[string]any{
		"last_hook_status": v.get("LAST_HOOK_STATUS"),
		"hook_response":    v.get("HOOK_RESPONSE"),
		"spawn_output":     v.get("SPAWN_OUTPUT"),
	}
}

// environ are all the variables, empty ones too: what the caller's environment
// has under these names is something else.
func (v values) environ() ([]string, error) {
	all := make([]variables.Variable, 0, len(seventeen))
	for _, name := range seventeen {
		all = append(all, variables.Variable{Name: name, Value: v.get(name)})
	}
	return variables.Environ(all, v.spill)
}

// spill writes a long value into a file that is named for its content, so that
// actions which run at once do not write over each other's.
func (v values) spill(long variables.Variable) (string, error) {
	dir := filepath.Join(v.sessionDir, "values")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, fmt.Sprintf("%s-%x", long.Name, sha256.Sum256([]byte(long.Value))))
	return path, atomicfile.Replace(path, []byte(long.Value), 0o600)
}

// isVariable tells the document's variables from what else ${NAME} can be.
func isVariable(name string) bool { return slices.Contains(seventeen, name) }

// fileName makes a name that cannot leave its directory; names that differ
// stay different.
func fileName(name string) string {
	if safename.Is(name, 100) {
		return name
	}
	return fmt.Sprintf("name-%x", sha256.Sum256([]byte(name)))[:24]
}

// clone keeps what the variables are now: actions after this one change them.
func (v values) clone() values {
	v.of = maps.Clone(v.of)
	return v
}
