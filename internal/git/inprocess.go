package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// readInProcess reads HEAD and configuration with go-git's storage; any error
// means "ask git". The package go-git itself would bring the transports, TLS
// and OpenPGP: 3 MB, and half a millisecond at the start of every command.
func (r *Repo) readInProcess(top string) error {
	dot, err := openGitDir(top)
	if err != nil {
		return err
	}
	store := filesystem.NewStorage(dot, cache.NewObjectLRUDefault())
	cfg, err := store.Config()
	if err != nil {
		return err
	}
	if err := checkFormat(cfg); err != nil {
		return err
	}
	switch strings.ToLower(cfg.Raw.Section("core").Option("filemode")) { // git-config(1), boolean
	case "false", "no", "off", "0":
		r.PlainModes = true
	}
	if _, err := store.Reference(plumbing.HEAD); err != nil {
		return err // no repository
	}
	ref, err := storer.ResolveReference(store, plumbing.HEAD)
	if err != nil && !errors.Is(err, plumbing.ErrReferenceNotFound) {
		return err
	}
	if err == nil {
		r.Head = ref.Hash().String()
	}
	return nil
}

// checkFormat lets pass what go-git knows: the two versions of the format,
// and no extension of it (gitrepository-layout(5), git-config(1)).
func checkFormat(cfg *config.Config) error {
	switch version := cfg.Raw.Section("core").Option("repositoryformatversion"); version {
	case "", "0", "1":
	default:
		return fmt.Errorf("format %q is not known", version)
	}
	if cfg.Raw.HasSection("extensions") {
		return errors.New("extensions are not known")
	}
	return nil
}

// openGitDir opens the git directory of a work tree: `.git` itself, or the one
// that the file `.git` names in linked work trees and submodules. The former
// share most of theirs with the main work tree's.
func openGitDir(top string) (billy.Filesystem, error) {
	dir := filepath.Join(top, ".git")
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		if dir, err = pathIn(dir, "gitdir: ", top); err != nil {
			return nil, err
		}
	}
	common, err := pathIn(filepath.Join(dir, "commondir"), "", dir)
	if errors.Is(err, os.ErrNotExist) {
		return osfs.New(dir), nil
	}
	if err != nil {
		return nil, err
	}
	return dotgit.NewRepositoryFilesystem(osfs.New(dir), osfs.New(common)), nil
}

// pathIn reads the path that a file holds behind a prefix, seen from base.
func pathIn(file, prefix, base string) (string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	path, ok := strings.CutPrefix(string(content), prefix)
	if path = strings.TrimSpace(path); !ok || path == "" {
		return "", fmt.Errorf("no path in %s", file)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	return path, nil
}
