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
	dir := filepath.Dir(h.paths(o)[0])
	switch h.Name {
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
func (h Host) Registered(o Options) bool { return len(h.registered(o)) > 0 }

// paths are the files in which the agent may find us: the workspace's before the
// user's.
func (h Host) paths(o Options) []string {
	project, user := o, o
	project.User, user.User = false, true
	if h.Name == OpenCode {
		return []string{pluginPath(project), pluginPath(user)}
	}
	r := registrationOf(h.Name)
	paths := []string{r.path(project), r.path(user)}
	if h.Name == ClaudeCode { // what people keep out of git
		paths = append(paths, filepath.Join(o.Workspace, ".claude", "settings.local.json"))
	}
	return paths
}

// registered are the files of those that name us at the end of a turn.
func (h Host) registered(o Options) (paths []string) {
	for _, path := range h.paths(o) {
		f, err := openConfig(path)
		if err != nil || f.missing {
			continue
		}
		if h.Name == OpenCode && ownPlugin(f.content) || h.Name != OpenCode && len(h.own(f, o)) > 0 {
			paths = append(paths, path)
		}
	}
	return paths
}

// own are our entries at the end of a turn.
func (h Host) own(f configFile, o Options) (own []found) {
	r := registrationOf(h.Name)
	_, content, err := r.open(f)
	if err != nil {
		return nil
	}
	for _, entry := range r.entries(content, r.events(h.Name, o)[0]) {
		if entry.kind != foreign {
			own = append(own, entry)
		}
	}
	return own
}

// Examine looks at whether the agent runs us in the workspace, and says each thing
// that it finds. cwd is where the caller stands. Nothing is changed.
func (h Host) Examine(o Options, cwd string) (findings []Finding) {
	paths := h.registered(o)
	for _, path := range h.paths(o) {
		findings = append(findings, h.examineFile(path, o)...)
	}
	connect := "discobot-hooks connect " + h.Name
	switch {
	case len(paths) == 0 && !broken(findings):
		findings = append(findings, Finding{Problem, h.Title + " does not know us", connect})
	case len(paths) > 1 && h.Name != Goose: // goose runs one plugin of a name
		findings = append(findings, Finding{Warning, fmt.Sprintf("it runs us from %s: each turn counts once, but costs twice", strings.Join(o.shortAll(paths), " and ")),
			"discobot-hooks disconnect " + h.Name + " --user, or without --user"})
	}
	findings = append(findings, h.switches(o)...)
	if len(paths) > 0 {
		findings = append(findings, h.trust(o, paths)...)
		findings = append(findings, h.reach(o, paths, cwd)...)
	}
	return findings
}

func broken(findings []Finding) bool {
	for _, f := range findings {
		if f.Level == Problem {
			return true
		}
	}
	return false
}

// reach says where an agent that is started in cwd does not find us. Measured:
// Codex and Copilot CLI look for the repository's root; the others do not.
func (h Host) reach(o Options, paths []string, cwd string) []Finding {
	if cwd == o.Workspace || slices.Contains(paths, h.paths(o)[1]) {
		return nil // the user's file counts everywhere
	}
	switch h.Name {
	case ClaudeCode, GeminiCLI, QwenCode, Goose:
		return []Finding{{Warning, fmt.Sprintf("started in %s it does not read %s", o.short(cwd), o.short(paths[0])),
			"start it in " + o.Workspace + ", or discobot-hooks connect " + h.Name + " --user"}}
	}
	return nil
}

// examineFile looks at one file of the agent's.
func (h Host) examineFile(path string, o Options) []Finding {
	f, err := openConfig(path)
	var links []Finding
	if h.Name == Cursor && err == nil && linked(path, o) {
		links = []Finding{{Warning, o.short(path) + " is reached through a symbolic link: Cursor's command line refuses that", "put the file itself there"}}
	}
	switch {
	case err != nil:
		return []Finding{{Problem, err.Error(), ""}}
	case f.missing:
		return nil
	case h.Name == OpenCode:
		return h.examinePlugin(f, o)
	}
	r := registrationOf(h.Name)
	_, content, err := r.open(f)
	if refused := (*refusedError)(nil); errors.As(err, &refused) {
		return []Finding{{Problem, o.short(path) + ": " + refused.err.Error() + ": " + h.Title + " does not read it", "mend the file"}}
	}
	return append(links, h.examineEvents(r, f.path, content, o)...)
}

func (h Host) examinePlugin(f configFile, o Options) []Finding {
	if !ownPlugin(f.content) {
		return []Finding{{Problem, o.short(f.path) + " is not ours", "rename it, then discobot-hooks connect opencode"}}
	}
	return []Finding{{OK, o.short(f.path) + " is our plugin", ""}}
}

// linked tells whether the path's file or its directory is a symbolic link.
func linked(path string, o Options) bool {
	for at := path; at != o.Workspace && at != o.Home && at != filepath.Dir(at); at = filepath.Dir(at) {
		if info, err := os.Lstat(at); err == nil && info.Mode().Type() == fs.ModeSymlink {
			return true
		}
	}
	return false
}

// short is a path as people would write it: from the workspace, or from home.
func (o Options) short(path string) string {
	if rest, ok := strings.CutPrefix(path, o.Workspace+"/"); ok {
		return rest
	}
	if rest, ok := strings.CutPrefix(path, o.Home+"/"); ok {
		return "~/" + rest
	}
	return path
}

func (o Options) shortAll(paths []string) (short []string) {
	for _, path := range paths {
		short = append(short, o.short(path))
	}
	return short
}
