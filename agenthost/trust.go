package agenthost

import (
	"path/filepath"
	"strings"
)

// trust says what the agent's own records tell of whether it trusts the workspace
// and us. Agents that have none, or show none, have no findings.
func (h Host) trust(o Options, paths []string) []Finding {
	switch h.Name {
	case ClaudeCode:
		return claudeTrust(o)
	case GeminiCLI:
		return geminiTrust(o)
	case Codex:
		return codexTrust(o, paths)
	}
	return nil
}

// realPath is the path without links, or as it is.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

func claudeTrust(o Options) []Finding {
	path := filepath.Join(o.Home, ".claude.json")
	if dir := o.Getenv("CLAUDE_CONFIG_DIR"); filepath.IsAbs(dir) {
		path = filepath.Join(dir, ".claude.json")
	}
	projects := members(settings(path)["projects"])
	for _, dir := range []string{o.Workspace, realPath(o.Workspace)} {
		if string(members(projects[dir])["hasTrustDialogAccepted"]) == "true" {
			return []Finding{{OK, "Claude Code trusts this directory", ""}}
		}
	}
	return []Finding{{Warning, "nobody has told Claude Code to trust this directory yet; only claude -p runs hooks all the same", "start claude here once and say yes"}}
}

// geminiTrust follows the longest rule that is for the workspace, as Gemini does.
func geminiTrust(o Options) []Finding {
	path := filepath.Join(filepath.Dir(registrationOf(GeminiCLI).path(userOf(o))), "trustedFolders.json")
	if named := o.Getenv("GEMINI_CLI_TRUSTED_FOLDERS_PATH"); named != "" {
		path = named
	}
	workspace, longest, level := realPath(o.Workspace)+"/", 0, ""
	for rule, value := range settings(path) {
		dir := realPath(rule)
		if string(value) == `"TRUST_PARENT"` {
			dir = filepath.Dir(dir)
		}
		dir = strings.TrimSuffix(dir, "/") + "/"
		if strings.HasPrefix(workspace, dir) && len(rule) > longest {
			longest, level = len(rule), string(value)
		}
	}
	switch level {
	case "":
		return []Finding{{Warning, "nobody has told Gemini CLI whether to trust this directory; where its folder trust is on it asks", "start gemini here once and say yes"}}
	case `"DO_NOT_TRUST"`:
		return []Finding{{Problem, "Gemini CLI was told not to trust this directory: it reads no settings here", "change that with /permissions in Gemini CLI"}}
	}
	return []Finding{{OK, "Gemini CLI trusts this directory", ""}}
}

func userOf(o Options) Options {
	o.User = true
	return o
}
