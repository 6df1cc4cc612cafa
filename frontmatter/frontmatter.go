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
	var counted []string // file names that have an id, also those of broken hooks
	broken := map[string]bool{}
	ids := map[string]string{}
	for _, name := range names {
		f := file{name: name, linked: linked}
		if f.open(root, dir) {
			f.parse()
		}
		if f.counts {
			counted = append(counted, name)
			broken[name] = f.broken
		}
		set.Problems = append(set.Problems, f.sorted()...)
		if f.counts && !f.broken {
			f.hook.Action.Path = filepath.Join(workspace, filepath.FromSlash(f.hook.File))
			set.Hooks = append(set.Hooks, f.hook)
		}
	}
	for i, id := range assignIDs(counted) {
		ids[path.Join(hook.Dir, counted[i])] = id
		if broken[counted[i]] {
			set.Broken[id] = true
		}
	}
	for i := range set.Hooks {
		set.Hooks[i].ID = ids[set.Hooks[i].File]
	}
	return set, nil
}
