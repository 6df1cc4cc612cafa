package git

import (
	"os/exec"
	"path/filepath"
	"strings"
)

// environment is a process's; of two entries of a name the last counts.
type environment []string

func (e environment) lookup(name string) (string, bool) {
	for i := len(e) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(e[i], name); ok && strings.HasPrefix(value, "=") {
			return value[1:], true
		}
	}
	return "", false
}

func (e environment) get(name string) string {
	value, _ := e.lookup(name)
	return value
}

// odd tells of variables of git(1) that change what it sees, beside those that
// [Environ] takes away.
func (e environment) odd() bool {
	for _, entry := range e {
		for _, name := range []string{"GIT_CEILING_DIRECTORIES=", "GIT_ATTR_", "GIT_TEST_", "GIT_ICASE_PATHSPECS="} {
			if strings.HasPrefix(entry, name) {
				return true
			}
		}
	}
	return false
}

// userDir is where the user's files for git are; empty if nowhere.
func (e environment) userDir() string {
	if dir := e.get("XDG_CONFIG_HOME"); dir != "" {
		return dir + "/git"
	}
	if home := e.get("HOME"); home != "" {
		return home + "/.config/git"
	}
	return ""
}

// configFiles are those before the repository's own, in git's order, and the
// directories of the system's. They need not be there.
func (e environment) configFiles() (files, system []string, err error) {
	if system, err = e.systemDirs(); err != nil {
		return nil, nil, err
	}
	none := false
	if text, set := e.lookup("GIT_CONFIG_NOSYSTEM"); set {
		var ok bool
		if none, ok = parseBool(text); !ok {
			return nil, nil, errSetting
		}
	}
	if file, set := e.lookup("GIT_CONFIG_SYSTEM"); set && !none {
		files = append(files, file)
	} else if !none {
		for _, dir := range system {
			files = append(files, dir+"/gitconfig")
		}
	}
	if file, set := e.lookup("GIT_CONFIG_GLOBAL"); set {
		if file != "" {
			files = append(files, file)
		}
		return files, system, nil
	}
	if dir := e.userDir(); dir != "" {
		files = append(files, dir+"/config")
	}
	if home := e.get("HOME"); home != "" {
		files = append(files, home+"/.gitconfig")
	}
	return files, system, nil
}

// systemDirs are where the git in PATH may look for the system's
// configuration: in /etc, or the etc of where it is installed.
func (e environment) systemDirs() ([]string, error) {
	found, err := exec.LookPath("git")
	if err != nil {
		return nil, err
	}
	dirs := []string{"/etc"}
	if dir := filepath.Dir(found); dir == "/usr/bin" || dir == "/bin" {
		return dirs, nil
	}
	real, err := filepath.EvalSymlinks(found)
	if err != nil {
		return nil, err
	}
	for _, file := range []string{found, real} {
		if prefix := filepath.Dir(filepath.Dir(file)); prefix != "/usr" && prefix != "/" {
			dirs = append(dirs, prefix+"/etc")
		}
	}
	return dirs, nil
}
