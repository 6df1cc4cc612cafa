package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"discobot-hooks/hook"
	"discobot-hooks/internal/regular"
	"discobot-hooks/internal/wording"
)

const maxSecretsBytes = 64 << 10

// secrets are what secrets.env has: for URLs, headers, bodies and inputs, and
// for no shell's environment.
type secrets struct {
	path     string
	of       map[string]string
	problems []hook.Problem
}

// readSecrets reads lines of NAME=VALUE; the value may be in quotes, and
// `export` before it, as a shell could read the file too. Values are taken as
// they are: nothing in them is expanded.
func readSecrets(path string) *secrets {
	s := &secrets{path: path, of: make(map[string]string)}
	if path == "" {
		return s
	}
	target := path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		target = real
	}
	content, err := regular.ReadAll(target, maxSecretsBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return s
	}
	if err != nil {
		s.warn(0, "cannot be read: %v", wording.Cause(err))
		return s
	}
	if info, err := os.Stat(target); err == nil && info.Mode().Perm()&0o077 != 0 {
		s.warn(0, "others can read or change it: run chmod 600 %s", path)
	}
	for i, line := range strings.Split(strings.TrimPrefix(string(content), "\ufeff"), "\n") {
		s.line(i+1, strings.TrimSpace(line))
	}
	return s
}

func (s *secrets) warn(line int, format string, args ...any) {
	s.problems = append(s.problems, hook.Problem{File: s.path, Line: line, Severity: hook.Warning, Message: fmt.Sprintf(format, args...)})
}

func (s *secrets) line(number int, text string) {
	if text == "" || text[0] == '#' {
		return
	}
	if rest, ok := strings.CutPrefix(text, "export "); ok {
		text = strings.TrimSpace(rest)
	}
	name, value, ok := strings.Cut(text, "=")
	if !ok || !isName(name) {
		s.warn(number, "not a line NAME=VALUE: write one, or # before a comment") // the line itself may be the secret
		return
	}
	value, ok = unquoted(value)
	if !ok {
		s.warn(number, "the quote of %s is not closed, or something follows it: write %s='VALUE'", name, name)
		return
	}
	s.of[name] = value
}

// unquoted takes the quotes from a value as a shell would, but for `$` and `\`
// in double ones, which stay. A comment may follow behind a space.
func unquoted(value string) (string, bool) {
	if value == "" || value[0] != '\'' && value[0] != '"' {
		if i := strings.Index(value, " #"); i >= 0 {
			value = value[:i]
		}
		return strings.TrimSpace(value), true
	}
	inside, rest, closed := strings.Cut(value[1:], value[:1])
	rest = strings.TrimSpace(rest)
	return inside, closed && (rest == "" || rest[0] == '#')
}

func isName(text string) bool {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
	return text != "" && strings.Trim(text, plain+"0123456789") == "" && strings.Contains(plain, text[:1])
}
