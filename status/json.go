package status

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// The keys of design 1's schema.
const (
	keyHooks           = "hooks"
	keyPending         = "pendingHooks"
	keyLastEvaluatedAt = "lastEvaluatedAt"

	keyHookID              = "hookId"
	keyHookName            = "hookName"
	keyType                = "type"
	keyLastRunAt           = "lastRunAt"
	keyLastResult          = "lastResult"
	keyLastExitCode        = "lastExitCode"
	keyOutputPath          = "outputPath"
	keyRunCount            = "runCount"
	keyFailCount           = "failCount"
	keyConsecutiveFailures = "consecutiveFailures"
)

type object = map[string]json.RawMessage

// parse reads status.json. A value of the wrong type inside a hook's entry
// reads as its zero value; a document of another shape is an error.
func parse(content []byte) (*File, error) {
	var top object
	if err := json.Unmarshal(content, &top); err != nil {
		return nil, err
	}
	if top == nil {
		return nil, errors.New("want a JSON object, found null")
	}
	file := &File{Hooks: make(map[string]HookRun)}
	if raw, ok := take(top, keyHooks); ok {
		var hooks map[string]object
		if err := json.Unmarshal(raw, &hooks); err != nil {
			return nil, fmt.Errorf("%s: %w", keyHooks, err)
		}
		for id, fields := range hooks {
			if fields != nil {
				file.Hooks[id] = parseRun(fields)
			}
		}
	}
	if raw, ok := take(top, keyPending); ok {
		if err := json.Unmarshal(raw, &file.PendingHooks); err != nil {
			return nil, fmt.Errorf("%s: %w", keyPending, err)
		}
	}
	if raw, ok := take(top, keyLastEvaluatedAt); ok {
		file.LastEvaluatedAt = parseTime(raw)
	}
	file.unknown = top
	return file, nil
}

func parseRun(fields object) HookRun {
	var run HookRun
	text := func(key string, to *string) {
		if raw, ok := take(fields, key); ok {
			_ = json.Unmarshal(raw, to) // another type reads as empty
		}
	}
	number := func(key string) int64 {
		raw, _ := take(fields, key)
		return count(raw)
	}
	text(keyHookID, &run.HookID)
	text(keyHookName, &run.HookName)
	text(keyType, &run.Type)
	text(keyLastResult, &run.LastResult)
	text(keyOutputPath, &run.OutputPath)
	if raw, ok := take(fields, keyLastRunAt); ok {
		run.LastRunAt = parseTime(raw)
	}
	if raw, ok := take(fields, keyLastExitCode); ok {
		_ = json.Unmarshal(raw, &run.LastExitCode) // another type reads as 0
	}
	run.RunCount = number(keyRunCount)
	run.FailCount = number(keyFailCount)
	run.ConsecutiveFailures = number(keyConsecutiveFailures)
	run.unknown = fields
	return run
}

// take removes a key from the object, so that what is left is unknown to us.
func take(from object, key string) (json.RawMessage, bool) {
	raw, ok := from[key]
	delete(from, key)
	return raw, ok
}

func (f *File) encode() ([]byte, error) {
	hooks := make(map[string]any, len(f.Hooks))
	for id, run := range f.Hooks {
		hooks[id] = run.fields()
	}
	pending := f.PendingHooks
	if pending == nil {
		pending = []string{} // the schema has an array, not null
	}
	top := withUnknown(f.unknown, map[string]any{
		keyHooks: hooks, keyPending: pending, keyLastEvaluatedAt: formatTime(f.LastEvaluatedAt),
	})
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(top)
	return out.Bytes(), err
}

func (r HookRun) fields() map[string]any {
	return withUnknown(r.unknown, map[string]any{
		keyHookID: r.HookID, keyHookName: r.HookName, keyType: r.Type,
		keyLastRunAt: formatTime(r.LastRunAt), keyLastResult: r.LastResult, keyLastExitCode: r.LastExitCode,
		keyOutputPath: r.OutputPath, keyRunCount: r.RunCount, keyFailCount: r.FailCount,
		keyConsecutiveFailures: r.ConsecutiveFailures,
	})
}

// MarshalJSON writes the file as it is on disk.
func (f *File) MarshalJSON() ([]byte, error) { return f.encode() }

func withUnknown(unknown object, known map[string]any) map[string]any {
	for key, raw := range unknown {
		if _, ours := known[key]; !ours {
			known[key] = raw
		}
	}
	return known
}
