package registry

import (
	"cmp"
	"context"
	"math"
	"slices"

	"discobot-hooks/dialect"
)

// Fold implements [dialect.Dialect]. Lists are joined, with what is twice in
// them until Close; of anything else the last hook's holds.
func (f *Format) Fold(ev *dialect.Event, h dialect.Hook, j dialect.Judgement) {
	if j.Result == nil {
		return // it did not run
	}
	if f.merged == nil {
		f.merged = make(map[string]any)
	}
	id := h.Info().ID
	for key, value := range j.Result {
		switch key {
		case "error":
			f.join("errors", []any{map[string]any{"hook_id": id, "error": value}})
			continue
		case "block_execution":
			continue // whether it blocks is the verdict's to say
		case "usage_recorded":
			value = value == true || f.merged[key] == true
		case "logs":
			sign(value, id)
			f.log(ev, id, value)
		}
		f.join(key, value)
	}
}

// join adds a value to those of earlier hooks.
func (f *Format) join(key string, value any) {
	list, ok := value.([]any)
	if old, both := f.merged[key].([]any); ok && both {
		value = append(old, list...)
	}
	f.merged[key] = value
}

// sign notes whose logs they are.
func sign(logs any, id string) {
	list, _ := logs.([]any)
	for _, item := range list {
		if entry, ok := item.(map[string]any); ok {
			entry["hook_id"] = id
		}
	}
}

// Close implements [dialect.Dialect].
func (f *Format) Close(context.Context, *dialect.Event, bool) map[string]any {
	for key, value := range f.merged {
		list, ok := value.([]any)
		if !ok {
			continue
		}
		switch key {
		case "suggested_abilities":
			list = unique(list, "id", func(old, new any) bool { return confidence(new) > confidence(old) })
			slices.SortStableFunc(list, func(a, b any) int { return cmp.Compare(confidence(b), confidence(a)) })
		case "suggested_documents":
			list = unique(list, "path", func(old, new any) bool { return false })
		}
		if f.merged[key] = list; len(list) == 0 {
			delete(f.merged, key)
		}
	}
	return f.merged
}

// unique keeps one item for each value of a key, in the first one's place.
func unique(list []any, key string, better func(old, new any) bool) []any {
	places := make(map[string]int)
	kept := make([]any, 0, len(list))
	for _, item := range list {
		fields, _ := item.(map[string]any)
		name, _ := fields[key].(string)
		at, there := places[name]
		switch {
		case !there:
			places[name] = len(kept)
			kept = append(kept, item)
		case better(kept[at], item):
			kept[at] = item
		}
	}
	return kept
}

// confidence is below all others where there is none.
func confidence(item any) float64 {
	fields, _ := item.(map[string]any)
	if c, ok := number(fields["confidence"]); ok {
		return c
	}
	return math.Inf(-1)
}
