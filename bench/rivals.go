package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// A rival is another manager. Its package for npm comes with one for each
// platform that holds the native binary, which is what is timed: the program
// that npm puts into PATH is JavaScript that starts it.
type rival struct {
	manager
	pkg, version string
	binary       string // pattern, below node_modules
}

var rivals = []rival{
	{manager{
		"lefthook",
		map[string]string{"lefthook.yml": "pre-commit:\n  commands:\n    check:\n      run: " + checkFile + "\n"},
		[]string{"lefthook", "install"},
	}, "lefthook", "2.2.2", "lefthook-*/bin/lefthook"},
	{manager{
		"prek",
		map[string]string{".pre-commit-config.yaml": "repos:\n- repo: local\n  hooks:\n  - {id: check, name: check, language: system, entry: " + checkFile + ", pass_filenames: false, always_run: true}\n"},
		[]string{"prek", "install"},
	}, "@j178/prek", "0.5.3", "@j178/prek-*/prek"},
}

func (at place) prepareRival(r rival, fetch bool) error {
	if !fetch {
		return errors.New("only -rivals fetches it")
	}
	binary, err := r.fetch()
	if err != nil {
		return err
	}
	if err := os.Symlink(binary, at.path("bin/"+r.name)); err != nil {
		return err
	}
	return at.prepare(r.manager)
}

// fetch returns the native binary, which npm puts into the user's cache the
// first time. Install scripts do not run: lefthook's would install its hooks
// in the repository that we are started in.
func (r rival) fetch() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "discobot-hooks-bench", r.name+"-"+r.version)
	if binary, err := r.find(dir); err == nil {
		return binary, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	cmd := exec.Command("npm", "install", "--prefix", dir, "--ignore-scripts", "--no-save", "--no-audit", "--no-fund", r.pkg+"@"+r.version)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("fetch from npm: %w\n%s", err, out)
	}
	return r.find(dir)
}

func (r rival) find(dir string) (string, error) {
	found, err := filepath.Glob(filepath.Join(dir, "node_modules", filepath.FromSlash(r.binary)))
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", fmt.Errorf("npm has no binary of %s %s for this platform", r.pkg, r.version)
	}
	return found[0], nil
}
