// Package frontmatter reads a workspace's hooks: executable files with a YAML
// header become hooks; a broken one becomes a problem with file and line.
//
// Start with [Load]. A header is between two lines `---`, `#---` or `//---`
// after the `#!` line, and what stands in it is not quite YAML: `key: value`
// lines, where only a value in quotes is a YAML string and anything else is
// the rest of the line, so that `pattern: *.go` means what it says. See
// header.go for the lines and fields.go for the keys.
//
// The files are the workspace's, so anybody's: they are opened below the
// workspace only, read to a limit, and never run here. A hook that is broken
// in any way is not in the [Set]; its neighbours are.
package frontmatter

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"reflect"

	"discobot-hooks/hook"
)

// Set is what a workspace's hooks directory holds.
type Set struct {
	Hooks    []hook.Hook    // in byte order of the file name
	Problems []hook.Problem // in byte order of the file name, then by line

	// Broken are the ids of the files that have a header and cannot run as
	// they are. They keep their ids from their neighbours.
	Broken map[string]bool
}

// For gives the hooks that wait for e, in their order.
func (s Set) For(e hook.Event) []hook.Hook {
	var out []hook.Hook
	for _, h := range s.Hooks {
		if h.Event == e {
			out = append(out, h)
		}
	}
	return out
}

// Load reads the hooks of a workspace. A workspace without a hooks directory
// has none. What is wrong with a file is a problem in the Set; an error means
// that we could not look.
func Load(workspace string) (Set, error) {
	set, err := load(workspace)
	if err != nil {
		return Set{}, fmt.Errorf("read hooks: %w", err)
	}
	return set, nil
}

// Makes tells whether a file of this content makes this hook: what [Load] read
// of it may have been another content.
func Makes(h hook.Hook, content []byte) bool {
	const most = firstLineLimit + headerLimit
	f := file{name: path.Base(h.File), mode: 0o700, more: len(content) > most}
	f.head = content[:min(len(content), most)]
	f.parse()
	f.hook.ID, f.hook.Action.Path = h.ID, h.Action.Path
	return !f.broken && reflect.DeepEqual(f.hook, h)
}

func load(workspace string) (Set, error) {
	workspace, err := filepath.Abs(workspace)
	if err != nil {
		return Set{}, err
	}
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return Set{}, err
	}
	defer root.Close() // read only
	names, err := list(root)
	if err != nil || len(names) == 0 {
		return Set{}, err
	}
	linked, err := linkedDir(root)
	if err != nil {
		return Set{}, err
	}
	dir, err := root.OpenRoot(hook.Dir)
	if err != nil {
		return Set{}, err
	}
	defer dir.Close() // read only

	set := Set{Broken: map[string]bool{}}
	var counted []file // those that have an id, also the broken ones
	for _, name := range names {
		f := file{name: name, linked: linked}
		if f.open(root, dir) {
			f.parse()
		}
		set.Problems = append(set.Problems, f.sorted()...)
		if f.counts {
			f.head = nil // what was read of 100,000 files need not stay
			counted = append(counted, f)
		}
	}
	set.assign(workspace, counted)
	return set, nil
}

// assign gives the files their ids and keeps the hooks that can run.
func (s *Set) assign(workspace string, files []file) {
	names := make([]string, 0, len(files))
	for _, f := range files {
		names = append(names, f.name)
	}
	for i, id := range assignIDs(names) {
		if files[i].broken {
			s.Broken[id] = true
			continue
		}
		h := files[i].hook
		h.ID, h.Action.Path = id, filepath.Join(workspace, filepath.FromSlash(h.File))
		s.Hooks = append(s.Hooks, h)
	}
}
