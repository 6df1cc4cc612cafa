package agenthost

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"discobot-hooks/internal/jsonedit"
	"discobot-hooks/internal/regular"
)

// codexConfigs are Codex's own files: the user's, then the workspace's.
func (a *agent) codexConfigs() []string {
	return []string{
		filepath.Join(filepath.Dir(a.path(true)), "config.toml"),
		filepath.Join(a.Workspace, ".codex", "config.toml"),
	}
}

// codexInline are those that have our hook as TOML, beside hooks.json: Codex runs
// both. connect does not write TOML.
func (a *agent) codexInline() (paths []string) {
	if a.Name != Codex {
		return nil
	}
	for _, path := range a.codexConfigs() {
		content, err := regular.ReadAll(realPath(path), jsonedit.MaxBytes)
		if err == nil && bytes.Contains(content, []byte(program+" "+evalTurn)) {
			paths = append(paths, path)
		}
	}
	return paths
}

// codexTrust: Codex runs hooks of trusted projects alone, and of those the ones
// whose hash somebody has seen and trusted.
func (a *agent) codexTrust(paths []string) (findings []Finding) {
	doc := readTOML(a.codexConfigs()[0])
	if slices.Contains(paths, a.path(false)) {
		findings = append(findings, a.codexProject(doc))
	}
	for _, path := range paths {
		findings = append(findings, a.codexHooks(path, doc)...)
	}
	return findings
}

func (a *agent) codexProject(doc tomlFlags) Finding {
	for _, dir := range []string{a.Workspace, realPath(a.Workspace)} {
		switch doc.get("projects", dir, "trust_level") {
		case "trusted":
			return Finding{OK, "Codex trusts this project", ""}
		case "untrusted":
			return Finding{Problem, "Codex was told not to trust this project: it skips its hooks", "set trust_level for it in config.toml, or discobot-hooks connect codex --user"}
		}
	}
	return Finding{Problem, "nobody has told Codex to trust this project yet: it skips its hooks", "start codex here and say yes, or discobot-hooks connect codex --user"}
}

// codexHooks compares our entries with what was trusted under the name of their
// place: `FILE:stop:GROUP:ENTRY`.
func (a *agent) codexHooks(path string, doc tomlFlags) (findings []Finding) {
	f, err := openConfig(path)
	if err != nil {
		return nil
	}
	labels := map[string]string{a.stop: "stop", a.start: "session_start"}
	for _, e := range a.events() {
		list := elements(members(members(f.content)["hooks"])[e.name])
		own, _ := a.split(f.content, e)
		for _, entry := range own {
			i, _ := strconv.Atoi(entry.path[2]) // entries counts elements
			group := list[i]
			place := fmt.Sprintf(":%s:%s:%s", labels[e.name], entry.path[2], entry.path[4])
			if place = path + place; doc.get("hooks", "state", place, "trusted_hash") == "" {
				place = realPath(path) + strings.TrimPrefix(place, path)
			}
			trusted, enabled := doc.get("hooks", "state", place, "trusted_hash"), doc.get("hooks", "state", place, "enabled")
			findings = append(findings, codexHook(a.short(path)+": "+e.name, trusted, enabled, codexHash(labels[e.name], entry, group)))
		}
	}
	return findings
}

func codexHook(where, trusted, enabled, hash string) Finding {
	const way = "open /hooks in Codex and trust it"
	switch {
	case trusted == "":
		return Finding{Problem, where + ": nobody has trusted our hook yet: Codex skips it", way}
	case enabled == "false":
		return Finding{Problem, where + ": our hook is switched off in Codex", "open /hooks in Codex and switch it on"}
	case trusted != hash:
		return Finding{Problem, where + ": our hook has changed since somebody trusted it: Codex skips it", way}
	}
	return Finding{OK, where + ": Codex trusts our hook", ""}
}

// codexHash is what Codex takes of a hook: command, time-out and matcher, with the
// defaults filled in, as JSON with sorted keys. Checked against Codex 0.169.0.
func codexHash(label string, entry found, group []byte) string {
	hook := map[string]any{"type": "command", "async": false, "timeout": 600}
	for _, key := range []string{"command", "timeout", "async", "statusMessage"} {
		if value, there := entry.object[key]; there {
			hook[key] = value
		}
	}
	identity := map[string]any{"event_name": label, "hooks": []any{hook}}
	var matcher string
	if json.Unmarshal(members(group)["matcher"], &matcher) == nil {
		identity["matcher"] = matcher
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(identity) // strings and numbers: there is no error
	sum := sha256.Sum256(bytes.TrimSpace(text.Bytes()))
	return "sha256:" + hex.EncodeToString(sum[:])
}
