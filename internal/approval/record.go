package approval

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"discobot-hooks/internal/regular"
)

const (
	// The longest answer in the worst encoding is far below it.
	maxRecordBytes = 2 << 20

	maxActionRunes = 64
)

// A record is a file's content.
type record struct {
	Key         string        `json:"key"`
	Question    Question      `json:"question"`
	TokenSHA256 []byte        `json:"token_sha256"` // of the token's text; base64 in JSON
	Port        int           `json:"port"`
	BaseURL     string        `json:"base_url,omitempty"`
	Sent        bool          `json:"sent"` // people have the link
	Answer      *answerRecord `json:"answer,omitempty"`
	Used        *usedRecord   `json:"used,omitempty"`
}

type answerRecord struct {
	Action  string    `json:"action"`
	Message string    `json:"message,omitempty"`
	Body    []byte    `json:"body"` // base64 in JSON: a RawMessage would not keep its bytes
	At      time.Time `json:"at"`
}

// A usedRecord says that the answer is nobody's any more, and who serves it
// to late clicks.
type usedRecord struct {
	At    time.Time `json:"at"`
	PID   int       `json:"pid,omitempty"`   // zero until somebody does
	Where string    `json:"where,omitempty"` // the processes among which PID is unique
}

func (a answerRecord) public() Answer {
	return Answer{Action: a.Action, Message: a.Message, Body: a.Body, Rejects: Rejects(a.Action)}
}

func readRecord(path string) (record, error) {
	content, err := regular.ReadAll(path, maxRecordBytes)
	if err != nil {
		return record{}, err
	}
	var r record
	if err := json.Unmarshal(content, &r); err != nil {
		return record{}, fmt.Errorf("read %s: %w: %w", path, errBroken, err)
	}
	return r, nil
}

var errBroken = errors.New("not a pending approval")

// where names the processes among which a pid is unique: a directory may be
// shared by machines or containers, and ours must not signal another's.
func where() string {
	host, _ := os.Hostname()                         // empty is a name, too
	namespace, _ := os.Readlink("/proc/self/ns/pid") // Linux only
	return host + " " + namespace
}

// CheckAction says why an action cannot have this name.
func CheckAction(name string) error {
	_, err := actionName(name)
	return err
}

// actionName checks an action's name; an empty one is none.
func actionName(name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unprintable):
		return "", fmt.Errorf("action %.80q holds characters that cannot be shown", name)
	case utf8.RuneCountInString(name) > maxActionRunes:
		return "", fmt.Errorf("action %.80q has more than %d characters", name, maxActionRunes)
	}
	return name, nil
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// cut shortens text to a number of bytes, and says that it did.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	text = text[:limit]
	for len(text) > 0 && !utf8.ValidString(text) { // three steps at most
		text = text[:len(text)-1]
	}
	return text + "…"
}
