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

	"github.com/BurntSushi/toml"

	"discobot-hooks/internal/jsonedit"
	"discobot-hooks/internal/regular"
)

// codexConfigs are Codex's own files: the user's, then the workspace's.
func codexConfigs(o Options) []string {
	r := registrationOf(Codex)
	return []string{
		filepath.Join(filepath.Dir(r.path(userOf(o))), "config.toml"),
		filepath.Join(o.Workspace, ".codex", "config.toml"),
	}
}

// readTOML is the file's document; nil where there is none.
func readTOML(path string) (doc map[string]any) {
	content, err := regular.ReadAll(realPath(path), jsonedit.MaxBytes)
	if err != nil {
		return nil
	}
	if _, err := toml.Decode(string(content), &doc); err != nil {
		return nil // Codex says so itself, at each start
	}
	return doc
}

// codexTrust: Codex runs hooks of trusted projects alone, and of those the ones
// whose hash somebody has seen and trusted.
func codexTrust(o Options, paths []string) (findings []Finding) {
	config := codexConfigs(o)[0]
	doc := readTOML(config)
	if slices.ContainsFunc(paths, func(path string) bool { return path == registrationOf(Codex).path(o.project()) }) {
		findings = append(findings, codexProject(o, doc))
	}
	state, _ := table(doc["hooks"])["state"].(map[string]any)
	for _, path := range paths {
		findings = append(findings, codexHooks(path, state, o)...)
	}
	return findings
}

func (o Options) project() Options {
	o.User = false
	return o
}

func codexProject(o Options, doc map[string]any) Finding {
	projects := table(doc["projects"])
	for _, dir := range []string{o.Workspace, realPath(o.Workspace)} {
		switch table(projects[dir])["trust_level"] {
		case "trusted":
			return Finding{OK, "Codex trusts this project", ""}
		case "untrusted":
			return Finding{Problem, "Codex was told not to trust this project: it skips its hooks", "set trust_level for it in config.toml, or discobot-hooks connect codex --user"}
		}
	}
	return Finding{Problem, "nobody has told Codex to trust this project yet: it skips its hooks", "start codex here and say yes, or discobot-hooks connect codex --user"}
}

func table(value any) map[string]any {
	t, _ := value.(map[string]any)
	return t
}

// codexHooks compares our entries with what was trusted under the name of their
// place: `FILE:stop:GROUP:ENTRY`.
func codexHooks(path string, state map[string]any, o Options) (findings []Finding) {
	r := registrationOf(Codex)
	f, err := openConfig(path)
	if err != nil {
		return nil
	}
	labels := map[string]string{r.stop: "stop", r.start: "session_start"}
	for _, e := range r.events(Codex, o) {
		list := elements(members(members(f.content)["hooks"])[e.name])
		for _, entry := range r.entries(f.content, e) {
			if entry.kind == foreign {
				continue
			}
			i, _ := strconv.Atoi(entry.path[2]) // entries counts elements
			group := list[i]
			place := fmt.Sprintf(":%s:%s:%s", labels[e.name], entry.path[2], entry.path[4])
			trusted := table(state[path+place])
			if trusted == nil {
				trusted = table(state[realPath(path)+place])
			}
			findings = append(findings, codexHook(o.short(path)+": "+e.name, labels[e.name], entry, group, trusted))
		}
	}
	return findings
}

func codexHook(where, label string, entry found, group []byte, trusted map[string]any) Finding {
	const way = "open /hooks in Codex and trust it"
	hash, _ := trusted["trusted_hash"].(string)
	switch {
	case hash == "":
		return Finding{Problem, where + ": nobody has trusted our hook yet: Codex skips it", way}
	case trusted["enabled"] == false:
		return Finding{Problem, where + ": our hook is switched off in Codex", "open /hooks in Codex and switch it on"}
	case hash != codexHash(label, entry, group):
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
