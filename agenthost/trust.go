package agenthost

import (
	"path/filepath"
	"strings"
)

// trust says what the agent's own records tell of whether it trusts the workspace
// and us. Agents that have none, or show none, have no findings.
func (a *agent) trust(paths []string) []Finding {
	switch a.Name {
	case ClaudeCode:
		return a.claudeTrust()
	case GeminiCLI:
		return a.geminiTrust()
	case Codex:
		return a.codexTrust(paths)
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

func (a *agent) claudeTrust() []Finding {
	path := filepath.Join(a.Home, ".claude.json")
	if dir := a.Getenv("CLAUDE_CONFIG_DIR"); filepath.IsAbs(dir) {
		path = filepath.Join(dir, ".claude.json")
	}
	projects := members(settings(path)["projects"])
	for _, dir := range []string{a.Workspace, realPath(a.Workspace)} {
		if string(members(projects[dir])["hasTrustDialogAccepted"]) == "true" {
			return []Finding{{OK, "Claude Code trusts this directory", ""}}
		}
	}
	return []Finding{{Warning, "nobody has told Claude Code to trust this directory yet; only claude -p runs hooks all the same", "start claude here once and say yes"}}
}

// geminiTrust follows the longest rule that is for the workspace, as Gemini does.
func (a *agent) geminiTrust() []Finding {
	path := filepath.Join(filepath.Dir(a.path(true)), "trustedFolders.json")
	if named := a.Getenv("GEMINI_CLI_TRUSTED_FOLDERS_PATH"); named != "" {
		path = named
	}
	workspace, longest, level := realPath(a.Workspace)+"/", 0, ""
	for rule, value := range settings(path) {
		dir := rule
		if string(value) == `"TRUST_PARENT"` {
			dir = filepath.Dir(rule)
		}
		dir = strings.TrimSuffix(realPath(dir), "/") + "/"
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
