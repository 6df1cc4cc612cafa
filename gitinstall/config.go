package gitinstall

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// configPrefix begins the names of our hooks in git's configuration; git's name
// for the hook follows.
const configPrefix = "discobot-"

// firstConfigured is the first git that runs hooks from its configuration.
var firstConfigured = Version{2, 54}

// Version is git's, as far as it matters.
type Version struct{ Major, Minor int }

func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// RunsConfigured tells whether this git runs hooks from its configuration.
func (v Version) RunsConfigured() bool {
	return v.Major > firstConfigured.Major || v.Major == firstConfigured.Major && v.Minor >= firstConfigured.Minor
}

// GitVersion asks git for its version.
func (in Installer) GitVersion(ctx context.Context) (Version, error) {
	out, err := in.git(ctx, "version")
	if err != nil {
		return Version{}, err
	}
	// Behind the third number builders write what they like.
	number := strings.SplitN(strings.TrimPrefix(firstLine(string(out)), "git version "), ".", 3)
	if len(number) > 1 {
		major, errMajor := strconv.Atoi(number[0])
		minor, errMinor := strconv.Atoi(number[1])
		if errMajor == nil && errMinor == nil {
			return Version{major, minor}, nil
		}
	}
	return Version{}, fmt.Errorf("git version: unexpected answer %q", out)
}

// entry is one of our hooks in the repository's configuration (git-config(1),
// hook.<name>).
type entry struct {
	command, event string
	disabled       bool // by any configuration, the user's too
}

func (e entry) runs() bool { return e.command != "" && e.event != "" && !e.disabled }

// configure notes one line of git's configuration. A hook in another than the
// repository's own is not ours to change.
func (r *repository) configure(scope, key, value string) {
	name, variable, _ := strings.Cut(strings.TrimPrefix(key, "hook."+configPrefix), ".")
	if !slices.Contains(managed, name) || scope != "local" && variable != "enabled" {
		return
	}
	if r.configured == nil {
		r.configured = make(map[string]entry)
	}
	e := r.configured[name]
	switch variable {
	case "command":
		e.command = value
	case "event":
		e.event = value
	case "enabled":
		e.disabled = slices.Contains([]string{"false", "no", "off", "0"}, strings.ToLower(value))
	}
	r.configured[name] = e
}

func (e entry) displaced(name string, version Version) Displaced {
	d := Displaced{Hook: name, Path: section(name), Message: section(name) + " is incomplete in the configuration", Hint: again}
	switch {
	case e.disabled:
		d.Message = section(name) + ".enabled switches it off in the configuration"
		d.Hint = "git config --local " + section(name) + ".enabled true"
	case !version.RunsConfigured():
		d.Message = fmt.Sprintf("git %s does not run hooks from its configuration", version)
	}
	return d
}

func section(name string) string { return "hook." + configPrefix + name }

// wanted is the command for a hook; git adds the hook's arguments itself.
func (in Installer) wanted(name string) entry {
	binary := in.Binary
	if binary == "" {
		binary = "discobot-hooks"
	}
	return entry{command: quote(binary) + " git-hook " + name, event: name}
}

// installConfig writes the named hooks to the configuration, then gives back
// the files: for a moment both run, but never none.
func (in Installer) installConfig(ctx context.Context, r repository, names []string) (changes []Change, err error) {
	for _, name := range managed {
		if !slices.Contains(names, name) {
			continue
		}
		change := Change{Hook: name, Path: r.configFile(), Action: Installed}
		old, want := r.configured[name], in.wanted(name)
		switch {
		case old.command == want.command && old.event == want.event:
			change.Action = Unchanged
		case old.command != "":
			change.Action = Refreshed
		}
		if change.Action != Unchanged {
			if err := in.setHook(ctx, name, want); err != nil {
				return changes, fmt.Errorf("%s: %w", name, err)
			}
		}
		changes = append(changes, change)
	}
	removed, err := r.unconfigure(ctx, names)
	changes = append(changes, removed...)
	if err != nil {
		return changes, err
	}
	restored, err := r.giveBackFiles(ctx)
	return append(changes, restored...), err
}

// setHook writes the command first: git takes an event without one for a fault
// of the configuration, and a command without an event for no hook.
func (in Installer) setHook(ctx context.Context, name string, e entry) error {
	if err := in.writeConfig(ctx, "--replace-all", "--", section(name)+".command", e.command); err != nil {
		return err
	}
	return in.writeConfig(ctx, "--replace-all", "--", section(name)+".event", e.event)
}

// unconfigure removes our hooks from the configuration, but for the kept ones.
func (r repository) unconfigure(ctx context.Context, keep []string) (changes []Change, err error) {
	for _, name := range managed {
		e := r.configured[name]
		if slices.Contains(keep, name) || e.command == "" && e.event == "" {
			continue
		}
		if err := r.in.writeConfig(ctx, "--remove-section", section(name)); err != nil {
			return changes, fmt.Errorf("%s: %w", name, err)
		}
		changes = append(changes, Change{Hook: name, Path: r.configFile(), Action: Removed})
	}
	return changes, nil
}

func (r repository) configFile() string { return filepath.Join(r.common, "config") }
