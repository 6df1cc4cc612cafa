package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"discobot-hooks/dialect"
	"discobot-hooks/internal/wording"
)

const (
	maxNotes  = 20
	maxLevels = 64 // of a result; the document's own has five levels
)

// answer is a HookResult, cleared of what is of a wrong type.
type answer struct {
	fields   map[string]any // never nil
	unusable string         // why it is not a HookResult at all, or says unclearly whether it failed
	notes    []string       // what was left out
}

// read makes the answer from what the hook printed. Nothing is an empty one.
func read(o dialect.Outcome) answer {
	a := answer{fields: make(map[string]any)}
	text := bytes.Trim(o.Stdout, " \t\r\n")
	switch {
	case o.Cut || len(o.Stdout) > dialect.MaxKept:
		a.unusable = fmt.Sprintf("result larger than %d MiB", dialect.MaxKept>>20)
	case len(text) > 0:
		fields, ok := object(text)
		switch {
		case ok && deeper(fields, maxLevels):
			a.unusable = fmt.Sprintf("result is nested deeper than %d levels", maxLevels)
		case ok:
			a.fields = fields
			a.check()
		default:
			start := text[:min(len(text), 1<<10)]
			a.unusable = "result is not a JSON object alone: " + wording.Quote(string(start))
		}
	}
	return a
}

// deeper tells whether a value has more levels than most. Each of them indents
// what is in it when the merged result is printed.
func deeper(value any, most int) bool {
	if most == 0 {
		return true
	}
	switch v := value.(type) {
	case map[string]any:
		for _, item := range v {
			if deeper(item, most-1) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return deeper(item, most-1) })
	}
	return false
}

// object reads one JSON object and nothing else.
func object(text []byte) (map[string]any, bool) {
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber() // 12345678901234567890 stays what it is
	var fields map[string]any
	err := in.Decode(&fields)
	return fields, err == nil && fields != nil && in.InputOffset() == int64(len(text))
}

// shown are the notes, a few of them.
func (a answer) shown() []string {
	if more := len(a.notes) - maxNotes; more > 0 {
		return append(a.notes[:maxNotes:maxNotes], fmt.Sprintf("and %d more things left out", more))
	}
	return a.notes
}

func (a *answer) note(format string, args ...any) {
	a.notes = append(a.notes, fmt.Sprintf(format, args...))
}

// check keeps the fields that are what the document says, each in one form,
// and all that the document does not know.
func (a *answer) check() {
	for _, key := range slices.Sorted(maps.Keys(a.fields)) {
		value := a.fields[key]
		err := error(nil)
		switch key {
		case "logs":
			value, err = a.objects(key, value, logged)
		case "messages_to_user":
			value, err = a.items(key, value, message)
		case "suggested_abilities":
			value, err = a.objects(key, value, ability)
		case "suggested_documents":
			value, err = a.objects(key, value, document)
		case "follow_up_actions":
			value, err = a.objects(key, value, followUp)
		case "new_intent":
			err = want[map[string]any](value, "an object")
		case "usage_recorded":
			err = want[bool](value, "true or false")
		case "error":
			if value == "" || value == false {
				value = nil // nothing is wrong
				break
			}
			err = want[string](value, "a string")
		case "block_execution":
			err = want[bool](value, "true or false")
		case "errors":
			err = errors.New("is for the merged result, write error: left out")
		}
		if a.fields[key] = value; err == nil && value != nil {
			continue
		}
		delete(a.fields, key)
		if value == nil { // null is as good as absent
			continue
		}
		a.note("%s %v", key, err)
		if key == "error" || key == "block_execution" {
			// Whoever says that something is wrong must not be taken for
			// one who says that nothing is.
			a.unusable = fmt.Sprintf("%s %v", key, err)
		}
	}
}

func want[T any](value any, what string) error {
	if _, ok := value.(T); !ok {
		return fmt.Errorf("is not %s: left out", what)
	}
	return nil
}

// items keeps what fits of a list.
func (a *answer) items(key string, value any, fit func(any) (any, error)) (any, error) {
	list, ok := value.([]any)
	if !ok {
		return value, want[[]any](value, "a list")
	}
	kept := make([]any, 0, len(list))
	for i, item := range list {
		item, err := fit(item)
		if err != nil {
			a.note("%s[%d] %v", key, i, err)
		}
		if item != nil {
			kept = append(kept, item)
		}
	}
	return kept, nil
}

// objects keeps what fits of a list of objects. An item comes with an error
// where only a part of it was left out.
func (a *answer) objects(key string, value any, fit func(map[string]any) (map[string]any, error)) (any, error) {
	return a.items(key, value, func(item any) (any, error) {
		fields, ok := item.(map[string]any)
		if !ok {
			return nil, want[map[string]any](item, "an object")
		}
		fields, err := fit(fields)
		if fields == nil {
			return nil, err
		}
		return fields, err
	})
}
