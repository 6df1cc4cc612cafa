package main

import (
	"time"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
)

// hookJSON is one of design 1's hooks in list's document.
type hookJSON struct {
	ID          string     `json:"id"`
	Dialect     string     `json:"dialect"`
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Event       hook.Event `json:"event"`
	File        string     `json:"file"`
	Pattern     []string   `json:"pattern"`
	Ignore      []string   `json:"ignore"`
	RunAs       hook.RunAs `json:"run_as"`
	NotifyLLM   bool       `json:"notify_llm"`
	Blocking    *bool      `json:"blocking,omitempty"` // session hooks alone
	Retries     int        `json:"retries"`
	TimeoutMS   int64      `json:"timeout_ms"`
}

func toHookJSON(h hook.Hook, timeout time.Duration) hookJSON {
	document := hookJSON{
		ID: h.ID, Dialect: discobotDialect, Name: h.Name, Description: h.Description, Event: h.Event, File: h.File,
		Pattern: append([]string{}, h.Match.Patterns...), Ignore: append([]string{}, h.Match.Ignore...),
		RunAs: h.Action.RunAs, NotifyLLM: h.NotifyLLM,
		Retries: h.Action.Retries, TimeoutMS: timeout.Milliseconds(),
	}
	if h.Event == hook.Session {
		document.Blocking = &h.Blocking
	}
	return document
}

// otherJSON is a hook of another dialect.
type otherJSON struct {
	ID          string     `json:"id"`
	Dialect     string     `json:"dialect"`
	Type        string     `json:"type"`
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Event       hook.Event `json:"event"`
	File        string     `json:"file"`
	Line        int        `json:"line"`
	Command     string     `json:"command"`
	Off         string     `json:"off,omitempty"`
	TimeoutMS   int64      `json:"timeout_ms"`
}

func infoJSON(info dialect.Info) otherJSON {
	return otherJSON{
		ID: info.ID, Dialect: info.Dialect, Type: info.Kind, Name: info.Name, Description: info.Description,
		Event: info.Event, File: info.File, Line: info.Line, Command: info.Command, Off: info.Off,
		TimeoutMS: info.Action.Timeout.Milliseconds(),
	}
}
