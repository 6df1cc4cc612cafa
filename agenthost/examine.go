package agenthost

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Finding is what [Host.Examine] says of one thing.
type Finding struct {
	Level   Level
	Message string
	Hint    string // the way out; empty where there is nothing to do
}

// A Level is how bad a finding is.
type Level int

// What a finding can be.
const (
	OK      Level = iota
	Warning       // it works, but not as meant
	Problem       // the agent does not run us
)

// Present tells whether the workspace has a directory of the agent's own; .github
// and .agents are others' too.
func (h Host) Present(o Options) bool {
	a := h.in(&o)
	dir := filepath.Dir(a.file(false))
	switch a.Name {
	case CopilotCLI, Goose:
		return false
	case OpenCode:
		dir = filepath.Dir(dir)
	}
	_, err := os.Stat(dir)
	return err == nil
}

// Registered tells whether the agent runs us at the end of a turn, by its
// configuration for the workspace or by the user's.
func (h Host) Registered(o Options) bool { return len(h.in(&o).registered()) > 0 }

// file is the workspace's configuration, or the user's.
func (a *agent) file(user bool) string {
	if a.Name == OpenCode {
		return a.pluginPath(user)
	}
	return a.path(user)
}

// paths are the files in which the agent may find us: the workspace's before the
// user's, which is the same where the workspace is the home.
func (a *agent) paths() []string {
	paths := slices.Compact([]string{a.file(false), a.file(true)})
	if a.Name == ClaudeCode { // what people keep out of git
		paths = append(paths, filepath.Join(a.Workspace, ".claude", "settings.local.json"))
	}
	return paths
}

// registered are the files of those that name us at the end of a turn.
func (a *agent) registered() (paths []string) {
	for _, path := range a.paths() {
		f, err := openConfig(path)
		if err != nil || f.missing {
			continue
		}
		if a.Name == OpenCode && ownPlugin(f.content) || a.Name != OpenCode && len(a.own(f)) > 0 {
			paths = append(paths, path)
		}
	}
	return paths
}

// own are our entries at the end of a turn.
func (a *agent) own(f configFile) (own []found) {
	if _, content, err := a.open(f); err == nil {
		own, _ = a.split(content, a.events()[0])
	}
	return own
}

// Examine looks at whether the agent runs us in the workspace, and says each thing
// that it finds. cwd is where the caller stands. Nothing is changed.
func (h Host) Examine(o Options, cwd string) (findings []Finding) {
	a := h.in(&o)
	paths := a.registered()
	for _, path := range a.paths() {
		findings = append(findings, a.examineFile(path)...)
	}
	connect := "discobot-hooks connect " + a.Name
	known := len(paths) > 0 || slices.ContainsFunc(findings, func(f Finding) bool { return f.Level == Problem })
	for _, path := range a.codexInline() {
		known = true
		findings = append(findings, Finding{Warning, a.short(path) + " has our hook too, which Codex runs beside hooks.json", "take it out, then " + connect})
	}
	switch through := a.throughClaude(); {
	case through != "" && known:
		findings = append(findings, Finding{OK, a.Title + " runs us by " + through + " too: both calls count once", ""})
	case through != "":
		known = true
		findings = append(findings, Finding{Warning, a.Title + " runs us only by " + through + ", in Claude Code's name", connect})
	}
	switch {
	case !known:
		findings = append(findings, Finding{Problem, a.Title + " does not know us", connect})
	case len(paths) > 1 && a.Name != Goose: // goose runs one plugin of a name
		findings = append(findings, Finding{Warning, fmt.Sprintf("it runs us from %s: each turn counts once, but costs twice", strings.Join(a.shortAll(paths), " and ")),
			"discobot-hooks disconnect " + a.Name + " --user, or without --user"})
	}
	findings = append(findings, a.switches()...)
	if len(paths) > 0 {
		findings = append(findings, a.trust(paths)...)
		findings = append(findings, a.reach(paths, cwd)...)
	}
	return findings
}

// throughClaude is Claude Code's file with our hook, where the agent is Copilot CLI,
// which runs that too.
func (a *agent) throughClaude() string {
	if a.Name != CopilotCLI {
		return ""
	}
	claude := Host{Name: ClaudeCode}.in(a.Options)
	f, err := openConfig(claude.path(false))
	if err != nil || len(claude.own(f)) == 0 {
		return ""
	}
	return a.short(f.path)
}

// reach says where an agent that is started in cwd does not find us. Measured:
// Codex and Copilot CLI look for the repository's root; the others do not.
func (a *agent) reach(paths []string, cwd string) []Finding {
	if cwd == a.Workspace || slices.Contains(paths, a.file(true)) {
		return nil // the user's file counts everywhere
	}
	switch a.Name {
	case ClaudeCode, GeminiCLI, QwenCode, Goose:
		return []Finding{{Warning, fmt.Sprintf("started in %s it does not read %s", a.short(cwd), a.short(paths[0])),
			"start it in " + a.Workspace + ", or discobot-hooks connect " + a.Name + " --user"}}
	}
	return nil
}

// examineFile looks at one file of the agent's.
func (a *agent) examineFile(path string) []Finding {
	f, err := openConfig(path)
	var links []Finding
	if a.Name == Cursor && err == nil && a.linked(path) {
		links = []Finding{{Warning, a.short(path) + " is reached through a symbolic link: Cursor's command line refuses that", "put the file itself there"}}
	}
	switch {
	case err != nil:
		return []Finding{{Problem, err.Error(), ""}}
	case f.missing:
		return nil
	case a.Name == OpenCode:
		return a.examinePlugin(f)
	}
	_, content, err := a.open(f)
	if refused := (*refusedError)(nil); errors.As(err, &refused) {
		return []Finding{{Problem, a.short(path) + ": " + refused.err.Error() + ": " + a.Title + " does not read it", "mend the file"}}
	}
	return append(links, a.examineEvents(f.path, content)...)
}

func (a *agent) examinePlugin(f configFile) []Finding {
	if !ownPlugin(f.content) {
		return []Finding{{Problem, a.short(f.path) + " is not ours", "rename it, then discobot-hooks connect opencode"}}
	}
	return []Finding{{OK, fmt.Sprintf("%s runs `%s`", a.short(f.path), pluginLine(f.content)), ""}}
}

// linked tells whether the path's file or its directory is a symbolic link.
func (a *agent) linked(path string) bool {
	for at := path; at != a.Workspace && at != a.Home && at != filepath.Dir(at); at = filepath.Dir(at) {
		if info, err := os.Lstat(at); err == nil && info.Mode().Type() == fs.ModeSymlink {
			return true
		}
	}
	return false
}

// short is a path as people would write it: from the workspace, or from home.
func (a *agent) short(path string) string {
	if rest, ok := strings.CutPrefix(path, a.Workspace+"/"); ok {
		return rest
	}
	if rest, ok := strings.CutPrefix(path, a.Home+"/"); ok {
		return "~/" + rest
	}
	return path
}

func (a *agent) shortAll(paths []string) (short []string) {
	for _, path := range paths {
		short = append(short, a.short(path))
	}
	return short
}
