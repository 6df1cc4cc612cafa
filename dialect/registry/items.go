package registry

import (
	"errors"
	"fmt"
	"slices"

	"discobot-hooks/internal/wording"
)

// The items of a HookResult's lists. Each function gives an item in the one
// form in which it is merged, or nil and what is wrong with it.

var levels = []string{"debug", "info", "warn", "error"}

func logged(item map[string]any) (map[string]any, error) {
	if _, ok := item["message"].(string); !ok {
		return nil, errors.New("has no message: left out")
	}
	if level, ok := item["level"].(string); !ok || !slices.Contains(levels, level) {
		item["level"] = "info"
	}
	return item, nil
}

func message(item any) (any, error) {
	if err := want[string](item, "a string"); err != nil {
		return nil, err
	}
	return item, nil
}

func ability(item map[string]any) (map[string]any, error) {
	if id, _ := item["id"].(string); id == "" {
		return nil, errors.New("has no id: left out")
	}
	if _, ok := number(item["confidence"]); !ok && item["confidence"] != nil {
		delete(item, "confidence")
		return item, errors.New("confidence is not a number: left out")
	}
	return item, nil
}

func document(item map[string]any) (map[string]any, error) {
	if path, _ := item["path"].(string); path == "" {
		return nil, errors.New("has no path: left out")
	}
	return item, nil
}

// followUp writes {kind, path} of section 3.3 as the {kind, payload} of
// section 4.2. What it asks for is never done here.
func followUp(item map[string]any) (map[string]any, error) {
	kind, _ := item["kind"].(string)
	if kind == "" {
		return nil, errors.New("has no kind: left out")
	}
	payload, ok := item["payload"].(map[string]any)
	if !ok {
		if item["payload"] != nil {
			return nil, fmt.Errorf("payload of %s is not an object: left out", wording.Quote(kind))
		}
		payload = make(map[string]any)
	}
	for key, value := range item {
		if _, there := payload[key]; !there && key != "kind" && key != "payload" {
			payload[key] = value
		}
	}
	return map[string]any{"kind": kind, "payload": payload}, nil
}
