package registry

import (
	"bytes"
	"encoding/json"

	"discobot-hooks/hook"
)

// A Registration tells an orchestrator which hooks there are, by event. As
// JSON its keys are in the order of [Events].
type Registration map[string][]Registered

// Registered is one hook of a [Registration].
type Registered struct {
	ID      string  `json:"id"`
	Handler Handler `json:"handler"`
}

// A Handler is how the format writes an action.
type Handler struct {
	Kind    string `json:"kind"`
	Command string `json:"command"`
}

// Registration gives the hooks that are on, with the problems of all.
func (f *Format) Registration() (Registration, []hook.Problem, error) {
	set, err := f.Load()
	if err != nil {
		return nil, nil, err
	}
	r := make(Registration)
	for _, h := range set.Hooks {
		info := h.Info()
		if info.Off == "" {
			event := string(info.Event)
			r[event] = append(r[event], Registered{info.ID, Handler{info.Kind, info.Command}})
		}
	}
	return r, set.Problems, nil
}

// MarshalJSON writes the events in their order, where a map's keys would be
// sorted.
func (r Registration) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	separator := "{"
	for _, event := range Events {
		if len(r[event]) == 0 {
			continue
		}
		hooks, err := marshal(r[event])
		if err != nil {
			return nil, err
		}
		out.WriteString(separator + `"` + event + `":`)
		out.Write(hooks)
		separator = ","
	}
	if separator == "{" {
		out.WriteString(separator)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// marshal writes v on one line with its newline, and & as &: the readers are
// scripts, not browsers.
func marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return out.Bytes(), err
}
