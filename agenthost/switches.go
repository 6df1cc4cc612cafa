package agenthost

import (
	"encoding/json"
	"path/filepath"
	"slices"

	"discobot-hooks/internal/jsonedit"
)

// switches says where the agent's hooks, or ours alone, are switched off. Each
// was measured, but goose's, which is from its source.
func (a *agent) switches() (findings []Finding) {
	off := func(path, what string) {
		findings = append(findings, Finding{Problem, a.short(path) + " switches hooks off: " + what, "take that out"})
	}
	for _, path := range a.paths() {
		doc := settings(path)
		if a.Name != Codex && a.Name != Goose && string(doc["disableAllHooks"]) == "true" {
			off(path, "disableAllHooks")
		}
		if a.Name != GeminiCLI {
			continue
		}
		config := members(doc["hooksConfig"])
		if string(config["enabled"]) == "false" {
			off(path, "hooksConfig.enabled is false")
		}
		if slices.Contains(textsOf(config["disabled"]), program) {
			off(path, "hooksConfig.disabled names "+program)
		}
	}
	switch a.Name {
	case Codex:
		for _, path := range a.codexConfigs() {
			if readTOML(path).get("features", "hooks") == "false" {
				off(path, "[features] hooks = false")
			}
		}
	case Goose:
		for _, path := range []string{
			filepath.Join(a.Workspace, ".config", "goose", "settings.local.json"),
			filepath.Join(a.Workspace, ".config", "goose", "settings.json"),
			filepath.Join(a.Home, ".config", "goose", "settings.json"),
		} {
			doc := settings(path)
			if slices.Contains(textsOf(doc["disabledPlugins"]), program) {
				off(path, "disabledPlugins names "+program)
				break
			}
			if slices.Contains(textsOf(doc["enabledPlugins"]), program) {
				break // the first file that names us counts
			}
		}
	}
	return findings
}

// settings are the members of a JSON file, with comments or not; nil where there
// is none: what is wrong with it is said elsewhere.
func settings(path string) map[string]json.RawMessage {
	f, err := openConfig(path)
	if err != nil {
		return nil
	}
	return members(jsonedit.Format{Comments: true}.Plain(f.content))
}

// textsOf are a list's elements that are strings.
func textsOf(list []byte) (all []string) {
	for _, element := range elements(list) {
		var text string
		if json.Unmarshal(element, &text) == nil {
			all = append(all, text)
		}
	}
	return all
}
