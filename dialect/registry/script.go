package registry

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"discobot-hooks/hook"
	"discobot-hooks/internal/wording"
)

const plainBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/+@-"

// checkScript looks whether the file that a command starts with can run. It
// keeps no hook from being tried: the shell says it again, and what is missing
// may be built by then.
func (m mapping) checkScript(command string) {
	word := strings.Fields(command)[0]
	if !strings.Contains(word, "/") || strings.Trim(word, plainBytes) != "" {
		return // a program in PATH, or more than a word of the shell
	}
	path := word
	if !filepath.IsAbs(path) {
		path = filepath.Join(m.workspace, path)
	}
	if inside, err := filepath.Rel(m.workspace, path); err != nil || !filepath.IsLocal(inside) {
		return
	}
	line := m.Value("command").Line
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		m.Warnf(line, "%s does not exist", word)
	case err != nil:
		m.Warnf(line, "%s cannot be looked at: %v", word, wording.Cause(err))
	case info.IsDir():
		m.Add(line, hook.Error, "%s is a directory: write the path of a program", word)
	case info.Mode().Perm()&0o111 == 0:
		m.Add(line, hook.Error, "%s is not executable: run chmod +x %s", word, word)
	}
}
