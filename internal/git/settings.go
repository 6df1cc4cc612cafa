package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"discobot-hooks/internal/gitignore"
	"discobot-hooks/internal/regular"
)

// settings are what the system's, the user's and the repository's
// configuration say about looking at files. Whatever else could change what
// git sees makes reading them fail.
type settings struct {
	converts       bool     // line endings are converted without any attribute
	attributeFiles []string // that count everywhere; they need not be there
	excludesFile   string   // empty: none
	info           string   // the repository's own ignore file
}

var errSetting = errors.New("a setting is left to git")

// settings reads them in the order in which git does: the last one of a name
// counts.
func (r *Repo) settings() (settings, error) {
	env := environment(r.env)
	if env.odd() {
		return settings{}, errors.New("the environment says where or how git looks")
	}
	files, system, err := env.configFiles()
	if err != nil {
		return settings{}, err
	}
	userDir := env.userDir()
	read := reader{home: env.get("HOME")}
	for _, file := range files {
		content, err := readFollowing(file)
		if err != nil {
			return settings{}, err
		}
		if err := eachVariable(string(content), read.set); err != nil {
			return settings{}, fmt.Errorf("read %s: %w", file, err)
		}
	}
	if err := eachVariable(r.local.config, read.set); err != nil {
		return settings{}, err
	}
	set := settings{converts: read.converts, info: r.local.dirs.common + "/info/exclude"}
	for _, dir := range system {
		set.attributeFiles = append(set.attributeFiles, dir+"/gitattributes")
	}
	set.attributeFiles = append(set.attributeFiles, read.attributes.or(userDir, "attributes")...)
	if excludes := read.excludes.or(userDir, "ignore"); len(excludes) > 0 {
		set.excludesFile = excludes[0]
	}
	return set, nil
}

// rules are those that hold in the whole work tree, the first counts most.
func (s settings) rules() ([]gitignore.List, error) {
	var lists []gitignore.List
	for _, file := range []string{s.info, s.excludesFile} {
		if file == "" {
			continue
		}
		text, err := readFollowing(file)
		if err != nil {
			return nil, err
		}
		lists = append(lists, gitignore.Parse(text, ""))
	}
	return lists, nil
}

// readFollowing reads a file that may be a link to one. One that is not there
// is empty.
func readFollowing(file string) ([]byte, error) {
	if file == os.DevNull { // how people say "none"
		return nil, nil
	}
	content, err := regular.ReadAll(file, maxConfig)
	if errors.Is(err, regular.ErrNotRegular) {
		if file, err = filepath.EvalSymlinks(file); err == nil {
			content, err = regular.ReadAll(file, maxConfig)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return content, err
}

// reader takes the variables that matter.
type reader struct {
	home                 string
	converts             bool
	excludes, attributes setPath
}

// setPath is a path that may have been set, to none too.
type setPath struct {
	said bool
	path string
}

// or is the path, or the one in the user's directory if it was not set. It is
// empty if there is none.
func (p setPath) or(userDir, name string) []string {
	switch {
	case p.said && p.path != "":
		return []string{p.path}
	case p.said || userDir == "":
		return nil
	}
	return []string{userDir + "/" + name}
}

// expected are the booleans that change what git sees, and the values under
// which we know what that is.
var expected = map[string]bool{
	"core.bare": false, "core.ignorecase": false, "core.precomposeunicode": false, "core.sparsecheckout": false,
	"core.symlinks": true, "core.trustctime": true,
}

func (r *reader) set(name, value string) error {
	if want, known := expected[name]; known {
		if got, ok := parseBool(value); !ok || got != want {
			return fmt.Errorf("%s: %w", name, errSetting)
		}
		return nil
	}
	switch name {
	case "core.worktree", "core.checkstat", "core.virtualfilesystem", "core.gvfs":
		return fmt.Errorf("%s: %w", name, errSetting)
	case "core.autocrlf":
		converts, ok := parseBool(value)
		if !ok && strings.ToLower(value) != "input" {
			return fmt.Errorf("%s: %w", name, errSetting)
		}
		r.converts = converts || !ok
	case "core.excludesfile":
		return r.path(&r.excludes, value)
	case "core.attributesfile":
		return r.path(&r.attributes, value)
	}
	return nil
}

// path takes a path as git-config(1) has it, if it is absolute or in the
// user's home, and plainly written.
func (r *reader) path(p *setPath, value string) error {
	if below, ok := strings.CutPrefix(value, "~/"); ok && filepath.IsAbs(r.home) {
		value = r.home + "/" + below
	}
	if strings.ContainsAny(value, `"\`) || value != "" && !filepath.IsAbs(value) {
		return fmt.Errorf("%q: %w", value, errSetting)
	}
	*p = setPath{true, value}
	return nil
}
