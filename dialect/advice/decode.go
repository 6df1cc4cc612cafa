package advice

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"
)

// An Advice is one issue of the type advice, as its last line has it. What a
// line leaves out is zero, as beads reads it: without a priority it comes
// first, and without created_at before all others of its priority.
type Advice struct {
	ID          string    `json:"id"`
	Title       string    `json:"title"`
	Description string    `json:"description,omitempty"`
	IssueType   string    `json:"issue_type"`
	Status      string    `json:"status"`
	Priority    int       `json:"priority"`
	Labels      []string  `json:"labels,omitempty"`
	CreatedAt   time.Time `json:"created_at,omitzero"`

	HookCommand   string `json:"advice_hook_command,omitempty"`
	HookTrigger   string `json:"advice_hook_trigger,omitempty"`
	HookTimeout   int    `json:"advice_hook_timeout,omitempty"` // seconds, as written
	HookOnFailure string `json:"advice_hook_on_failure,omitempty"`

	Line int `json:"line"` // in its file, from 1

	wrong []string // what is wrong with values that could not be read
}

// hooked tells whether any of the hook fields says something.
func (a *Advice) hooked() bool {
	return a.HookCommand != "" || a.HookTrigger != "" || a.HookTimeout != 0 || a.HookOnFailure != ""
}

var (
	errNoIssue = errors.New("no issue") // a record of another kind
	errNoID    = errors.New("it has no id")
)

// decode reads one line. A value of the wrong type is noted and left at zero:
// the line still takes the place of those before it, since it may be there to
// close or change them.
func decode(line []byte) (*Advice, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(line, &values); err != nil {
		return nil, err
	}
	if kind, ok := values["_type"]; ok && string(kind) != `"issue"` {
		return nil, errNoIssue
	}
	a := &Advice{}
	for _, field := range []struct {
		key  string
		into any
		want string
	}{
		{"id", &a.ID, "a string"},
		{"title", &a.Title, "a string"},
		{"description", &a.Description, "a string"},
		{"issue_type", &a.IssueType, "a string"},
		{"status", &a.Status, "a string"},
		{"priority", &a.Priority, "a number from 0 to 4"},
		{"labels", &a.Labels, "a list of strings"},
		{"created_at", &a.CreatedAt, `a time such as "2026-01-31T12:00:00Z"`},
		{"advice_hook_command", &a.HookCommand, "a string"},
		{"advice_hook_trigger", &a.HookTrigger, "a string"},
		{"advice_hook_timeout", &a.HookTimeout, "whole seconds from 1 to 300"},
		{"advice_hook_on_failure", &a.HookOnFailure, "a string"},
	} {
		value, ok := values[field.key]
		if ok && json.Unmarshal(value, field.into) != nil {
			a.wrong = append(a.wrong, fmt.Sprintf("%s must be %s", field.key, field.want))
		}
	}
	if a.ID == "" {
		return nil, errNoID
	}
	return a, nil
}

// mayConcern tells whether a line can say anything about advice. All it looks
// at is a few bytes, because most lines of most files are other issues: known
// are the ids that advice had so far. A line that is not written as beads
// writes it may always concern us.
func mayConcern(line []byte, known map[string]*Advice) bool {
	if bytes.Contains(line, []byte(`"advice`)) || escapesLetters(line) || !isIssue(line) {
		return true
	}
	id, ok := firstID(line)
	return !ok || known[string(id)] != nil
}

// escapesLetters tells whether a key or word could be hidden in escapes such
// as \u0061, which nobody needs for a letter or an underscore.
func escapesLetters(line []byte) bool {
	for {
		i := bytes.Index(line, []byte(`\u00`))
		if i < 0 {
			return false
		}
		line = line[i+len(`\u00`):]
		if len(line) > 0 && line[0] >= '5' && line[0] <= '7' {
			return true
		}
	}
}

func isIssue(line []byte) bool {
	n := bytes.Count(line, []byte(`"_type"`))
	return n == 0 || n == 1 && bytes.Contains(line, []byte(`"_type":"issue"`))
}

// firstID is the id of a line that has it in front, and no second one.
func firstID(line []byte) ([]byte, bool) {
	if !bytes.HasSuffix(line, []byte("}")) || bytes.Count(line, []byte(`"id"`)) != 1 {
		return nil, false
	}
	rest, ok := bytes.CutPrefix(line, []byte("{"))
	rest = bytes.TrimPrefix(rest, []byte(`"_type":"issue",`))
	for _, part := range []string{`"id"`, ":", `"`} {
		var found bool
		rest, found = bytes.CutPrefix(bytes.TrimLeft(rest, " "), []byte(part))
		ok = ok && found
	}
	id, _, closed := bytes.Cut(rest, []byte(`"`))
	return id, ok && closed && !bytes.Contains(id, []byte(`\`)) && utf8.Valid(id)
}
