package sessionfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

type object = map[string]json.RawMessage

// The JSON form of what we know, in the document's order.
type (
	sessionKeys struct {
		ID              string    `json:"id"`
		StartTime       string    `json:"startTime"`
		EndTime         string    `json:"endTime,omitempty"`
		Workspace       string    `json:"workspace"`
		Command         string    `json:"command"`
		Args            []string  `json:"args"`
		IssuesPlanned   []int64   `json:"issuesPlanned"`
		IssuesCompleted []int64   `json:"issuesCompleted"`
		IssuesFailed    []int64   `json:"issuesFailed"`
		CurrentIssue    *int64    `json:"currentIssue,omitempty"`
		Status          Status    `json:"status"`
		Provider        string    `json:"provider"`
		Metadata        *Metadata `json:"metadata,omitempty"`
	}
	metadataKeys struct {
		GitBranch     string `json:"gitBranch,omitempty"`
		GitCommit     string `json:"gitCommit,omitempty"`
		TotalDuration *int64 `json:"totalDuration,omitempty"`
	}
)

// parse reads a session. A value of the wrong type reads as none, and an issue
// number that is no integer is dropped; a document of another shape is an
// error.
func parse(content []byte) (Session, error) {
	var top object
	if err := json.Unmarshal(content, &top); err != nil {
		if other, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			err = fmt.Errorf("want a JSON object, found %s", other.Value)
		}
		return Session{}, err
	}
	if top == nil {
		return Session{}, errors.New("want a JSON object, found null")
	}
	s := Session{
		ID:              text(top, "id"),
		StartTime:       text(top, "startTime"),
		EndTime:         text(top, "endTime"),
		Workspace:       text(top, "workspace"),
		Command:         text(top, "command"),
		Args:            list(top, "args", asText),
		IssuesPlanned:   list(top, "issuesPlanned", asInteger),
		IssuesCompleted: list(top, "issuesCompleted", asInteger),
		IssuesFailed:    list(top, "issuesFailed", asInteger),
		Status:          Status(text(top, "status")),
		Provider:        text(top, "provider"),
	}
	if n, ok := asInteger(take(top, "currentIssue")); ok {
		s.CurrentIssue = &n
	}
	var metadata object
	if json.Unmarshal(take(top, "metadata"), &metadata) == nil && metadata != nil {
		s.Metadata = parseMetadata(metadata)
	}
	s.unknown = top
	return s, nil
}

func parseMetadata(from object) *Metadata {
	m := &Metadata{GitBranch: text(from, "gitBranch"), GitCommit: text(from, "gitCommit")}
	if n, ok := asNumber(take(from, "totalDuration")); ok { // some clocks count fractions
		ms := int64(math.Round(n))
		m.TotalDuration = &ms
	}
	m.unknown = from
	return m
}

// take removes a key from the object, so that what is left is unknown to us.
func take(from object, key string) json.RawMessage {
	raw := from[key]
	delete(from, key)
	return raw
}

func text(from object, key string) string {
	s, _ := asText(take(from, key))
	return s
}

func list[T any](from object, key string, as func(json.RawMessage) (T, bool)) []T {
	var raw []json.RawMessage
	_ = json.Unmarshal(take(from, key), &raw) // another type reads as empty
	var out []T
	for _, r := range raw {
		if v, ok := as(r); ok {
			out = append(out, v)
		}
	}
	return out
}

func asText(raw json.RawMessage) (string, bool) {
	var s *string
	if json.Unmarshal(raw, &s) != nil || s == nil {
		return "", false
	}
	return *s, true
}

func asNumber(raw json.RawMessage) (float64, bool) {
	var n *float64
	if json.Unmarshal(raw, &n) != nil || n == nil || math.Abs(*n) > maxInteger {
		return 0, false
	}
	return *n, true
}

func asInteger(raw json.RawMessage) (int64, bool) {
	n, ok := asNumber(raw)
	if !ok || n != math.Trunc(n) {
		return 0, false
	}
	return int64(n), true
}

// MarshalJSON writes the keys of the document in its order, then those that
// we do not know. Lists are never null.
func (s Session) MarshalJSON() ([]byte, error) {
	return marshal(sessionKeys{
		ID: s.ID, StartTime: s.StartTime, EndTime: s.EndTime,
		Workspace: s.Workspace, Command: s.Command, Args: notNull(s.Args),
		IssuesPlanned: notNull(s.IssuesPlanned), IssuesCompleted: notNull(s.IssuesCompleted),
		IssuesFailed: notNull(s.IssuesFailed), CurrentIssue: s.CurrentIssue,
		Status: s.Status, Provider: s.Provider, Metadata: s.Metadata,
	}, s.unknown)
}

// MarshalJSON leaves out what is not known.
func (m Metadata) MarshalJSON() ([]byte, error) {
	return marshal(metadataKeys{m.GitBranch, m.GitCommit, m.TotalDuration}, m.unknown)
}

func notNull[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// encode looks as JSON.stringify(session, null, 2) does, which ends without a
// newline.
func (s Session) encode() ([]byte, error) {
	compact, err := s.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = json.Indent(&out, compact, "", "  ")
	return out.Bytes(), err
}

// marshal writes a struct's keys and then the others.
func marshal(known any, unknown object) ([]byte, error) {
	out, err := compact(known)
	if err != nil {
		return nil, err
	}
	out = bytes.TrimSuffix(out, []byte("}"))
	for _, key := range slices.Sorted(maps.Keys(unknown)) {
		member, err := compact(object{key: unknown[key]})
		if err != nil {
			return nil, err
		}
		if len(out) > len("{") {
			out = append(out, ',')
		}
		out = append(out, member[1:len(member)-1]...)
	}
	return append(out, '}'), nil
}

// compact is json.Marshal without its escapes for HTML.
func compact(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}
