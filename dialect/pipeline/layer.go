package pipeline

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
	"discobot-hooks/internal/yamlfile"
)

// configDir holds the user's own hooks and secrets, below XDG_CONFIG_HOME.
const configDir = "agent-pipelines"

// maxFileBytes leaves room for prompts, which some stages' files hold.
const maxFileBytes = 1 << 20

// layer is one file of hooks.
type layer struct {
	kind  string   // stage, pipeline or global
	path  string   // absolute
	shown string   // what problems call it
	names []string // of the file, where path is a directory
	named bool     // somebody asked for it, so that it must be there

	name          string // of the stage or pipeline; empty: none
	hooks         []dialect.Hook
	disableGlobal bool
}

// readLayers reads the files from the narrowest to the widest, which is the
// order in which their hooks run.
func (f *Format) readLayers(set *dialect.Set) error {
	f.layers = nil
	local := []layer{
		{kind: "stage", shown: f.options.Stage, names: []string{"loop.yaml", "stage.yaml"}},
		{kind: "pipeline", shown: f.options.Pipeline, names: []string{"pipeline.yaml"}},
	}
	disabled := false
	for _, l := range local {
		if l.shown == "" {
			continue
		}
		l.named = true
		l.locate(f.options.Workspace)
		if err := f.read(&l, set); err != nil {
			return err
		}
		disabled = disabled || l.disableGlobal
		f.layers = append(f.layers, l)
	}
	global := layer{kind: "global", path: f.configFile("hooks.yaml")}
	if disabled || global.path == "" {
		return nil
	}
	global.shown = global.path
	if err := f.read(&global, set); err != nil {
		return err
	}
	f.layers = append(f.layers, global)
	return nil
}

// locate finds the file that somebody named, or the one in the directory that
// somebody named.
func (l *layer) locate(workspace string) {
	l.path = l.shown
	if !filepath.IsAbs(l.path) {
		l.path = filepath.Join(workspace, l.path)
	}
	if info, err := os.Stat(l.path); err == nil && info.IsDir() {
		dir := l.path
		l.path = filepath.Join(dir, l.names[0])
		for _, name := range l.names {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				l.path = filepath.Join(dir, name)
				break
			}
		}
	}
	l.shown = l.path
	if inside, err := filepath.Rel(workspace, l.path); err == nil && filepath.IsLocal(inside) {
		l.shown = filepath.ToSlash(inside)
	}
}

// configFile is a file of the user's configuration; empty where there is no
// place for one (XDG Base Directory Specification: a relative path is none).
func (f *Format) configFile(name string) string {
	dir := f.getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		if f.options.Home == "" {
			return ""
		}
		dir = filepath.Join(f.options.Home, ".config")
	}
	return filepath.Join(dir, configDir, name)
}

func (f *Format) getenv(name string) string {
	value, _ := lookup(f.options.Env, name)
	return value
}

// lookup is the value that a program started with env has for name.
func lookup(env []string, name string) (value string, ok bool) {
	for _, entry := range env {
		if v, found := strings.CutPrefix(entry, name+"="); found {
			value, ok = v, true
		}
	}
	return value, ok
}

// read reads one layer. What keeps the whole file from meaning anything is a
// [*dialect.FileError]; a wrong hook is a problem of that hook.
func (f *Format) read(l *layer, set *dialect.Set) error {
	target := l.path
	if real, err := filepath.EvalSymlinks(l.path); err == nil {
		target = real // configuration is often a link into a repository of dotfiles
	}
	if closed(target) && !l.named {
		set.Problems = append(set.Problems, hook.Problem{File: l.shown, Severity: hook.Warning, Message: "cannot be read, so its hooks do not run: permission denied"})
		return nil // a home that is closed to us is somebody else's, and so are its hooks
	}
	file := yamlfile.New(l.shown)
	file.AllowEmpty = true // somebody has commented all of it out
	points := l.points(file, target)
	if problems := file.Problems(); file.Broken() {
		first := slices.IndexFunc(problems, func(p hook.Problem) bool { return p.Severity == hook.Error })
		set.Problems = append(set.Problems, slices.Delete(slices.Clone(problems), first, first+1)...)
		return (*dialect.FileError)(&problems[first])
	}
	for _, p := range points {
		l.hooks = append(l.hooks, f.readPoint(l, file, p)...)
	}
	set.Problems = append(set.Problems, file.Problems()...)
	return nil
}

func closed(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err == nil {
		_ = f.Close() // read only
	}
	return errors.Is(err, fs.ErrPermission)
}

// title is what the layer's hooks are told apart by.
func (l *layer) title() string {
	if l.kind == "global" {
		return l.kind
	}
	base := strings.TrimSuffix(filepath.Base(l.path), filepath.Ext(l.path))
	if base == "loop" || base == "stage" || base == "pipeline" { // every stage's has that name
		base = filepath.Base(filepath.Dir(l.path))
	}
	return l.kind + "-" + cmp.Or(l.name, base)
}
