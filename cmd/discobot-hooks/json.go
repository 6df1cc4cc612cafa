package main

import (
	"discobot-hooks/hook"
)

// ranJSON is a hook's result in the commands' JSON documents.
type ranJSON struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Type       hook.Event  `json:"type"`
	Status     hook.Status `json:"status"`
	ExitCode   int         `json:"exit_code"`
	DurationMS int64       `json:"duration_ms"`
	OutputPath string      `json:"output_path"`
	Reason     string      `json:"reason,omitempty"`
}

func toRanJSON(h hook.Hook, r hook.Result) ranJSON {
	return ranJSON{
		ID: h.ID, Name: h.Name, Type: h.Event, Status: r.Status, ExitCode: r.ExitCode,
		DurationMS: r.Duration.Milliseconds(), OutputPath: r.Output.Path, Reason: r.Reason,
	}
}
