package git

import (
	"errors"
	"fmt"
	"strings"

	"discobot-hooks/internal/regular"
)

const maxConfig = 1 << 20 // bytes

// localConfig is what we need of a repository's own configuration.
type localConfig struct {
	plainModes bool // core.fileMode is false
	modesSaid  bool // it is there at all
}

// config reads the repository's configuration. What it says about
// core.fileMode holds, since git reads the user's and the system's before it.
// Two could come after it: the environment's, which [Environ] takes away, and
// the work tree's own, which is an extension.
func (d gitDirs) config() (text string, cfg localConfig, err error) {
	content, err := regular.ReadAll(d.common+"/config", maxConfig)
	if err != nil {
		return "", localConfig{}, err
	}
	text = string(content)
	if cfg, err = readConfig(text); err != nil {
		return "", localConfig{}, fmt.Errorf("read %s/config: %w", d.common, err)
	}
	return text, cfg, nil
}

// What a configuration must not have for its answer to be certain.
var (
	errConfigByte   = errors.New("a byte order mark, a carriage return or a NUL")
	errConfigLine   = errors.New("a line is not known")
	errConfigMore   = errors.New("it includes other files, or the format is extended")
	errConfigFormat = errors.New("the version of the format is not known")
	errConfigBool   = errors.New("a boolean is not known")
	errConfigSilent = errors.New("core.fileMode is left to the user's configuration")
)

// readConfig reads what it needs of a repository's configuration file.
func readConfig(text string) (localConfig, error) {
	var cfg localConfig
	if err := eachVariable(text, cfg.set); err != nil {
		return localConfig{}, err
	}
	if !cfg.modesSaid {
		return localConfig{}, errConfigSilent
	}
	return cfg, nil
}

// eachVariable calls set for the variables of a configuration file, by the
// syntax of git-config(1), each with its full name in lower case but for a
// subsection. It refuses what git would, also in lines that nobody has a use
// for: git then fails, and says why.
func eachVariable(text string, set func(name, value string) error) error {
	if strings.HasPrefix(text, "\ufeff") || strings.ContainsAny(text, "\r\x00") {
		return errConfigByte
	}
	section := ""
	for line := range strings.Lines(text) {
		rest := trimBlanks(strings.TrimSuffix(line, "\n"))
		for strings.HasPrefix(rest, "[") { // a variable may follow on the line
			var ok bool
			if section, rest, ok = cutHeader(rest); !ok {
				return errConfigLine
			}
			if refersElsewhere(section) {
				return errConfigMore
			}
		}
		if rest == "" || rest[0] == '#' || rest[0] == ';' {
			continue
		}
		name, value, ok := cutVariable(rest)
		if !ok || section == "" {
			return errConfigLine
		}
		if err := set(section+"."+name, value); err != nil {
			return err
		}
	}
	return nil
}

// set takes one variable, by its full name in lower case. The last one of a
// name counts, but git fails at an earlier one that is wrong.
func (c *localConfig) set(name, value string) error {
	switch name {
	case "core.repositoryformatversion":
		if value != "0" && value != "1" {
			return errConfigFormat
		}
	case "core.filemode":
		modes, ok := parseBool(value)
		if !ok {
			return errConfigBool
		}
		c.plainModes, c.modesSaid = !modes, true
	}
	return nil
}

// refersElsewhere tells which sections can change what the others mean.
func refersElsewhere(section string) bool {
	base, _, _ := strings.Cut(section, ".")
	return base == "include" || base == "includeif" || base == "extensions"
}

// cutHeader cuts `[section]`, `[section.sub]` or `[section "sub"]` off a line.
// The section is as git joins it: sub behind a dot, in lower case all but what
// is quoted.
func cutHeader(line string) (section, rest string, ok bool) {
	end := strings.IndexFunc(line[1:], func(r rune) bool { return !isNameRune(r) && r != '.' }) + 1
	if end <= 1 {
		return "", "", false
	}
	section, rest = strings.ToLower(line[1:end]), line[end:]
	if rest, ok = strings.CutPrefix(rest, "]"); ok {
		return section, trimBlanks(rest), true
	}
	rest = line[end:]
	quoted := strings.TrimLeft(rest, " \t")
	if quoted == rest || quoted == "" || quoted[0] != '"' {
		return "", "", false
	}
	sub, rest, ok := cutQuoted(quoted[1:])
	if rest, closed := strings.CutPrefix(rest, "]"); ok && closed {
		return section + "." + sub, trimBlanks(rest), true
	}
	return "", "", false
}

// cutQuoted cuts a subsection's name off, to the quote that ends it. A
// backslash stands before a character that means itself.
func cutQuoted(text string) (name, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			return b.String(), text[i+1:], true
		case '\\':
			if i++; i == len(text) {
				return "", "", false
			}
		}
		b.WriteByte(text[i])
	}
	return "", "", false
}

// cutVariable reads `name` or `name = value`. Without an equals sign the value
// is "true": git gives none, which for a boolean is the same, and nothing else
// asks. A value with quotes or escapes stays as it is written.
func cutVariable(line string) (name, value string, ok bool) {
	end := strings.IndexFunc(line, func(r rune) bool { return !isNameRune(r) })
	if end < 0 {
		end = len(line)
	}
	name = strings.ToLower(line[:end])
	if name == "" || name[0] < 'a' || name[0] > 'z' {
		return "", "", false
	}
	rest := trimBlanks(line[end:])
	if rest == "" {
		return name, "true", true
	}
	if rest[0] != '=' {
		return "", "", false
	}
	value, ok = rawValue(rest[1:])
	return name, value, ok
}

// rawValue is a value without the comment behind it. One that goes on in the
// next line is not certain.
func rawValue(text string) (value string, ok bool) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			if i++; i == len(text) || !strings.Contains(`ntb\"`, text[i:i+1]) {
				return "", false
			}
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '#' || c == ';'):
			return trimBlanks(text[:i]), true
		}
	}
	return trimBlanks(text), !quoted
}

// parseBool reads a boolean of git-config(1). It leaves numbers other than 0
// and 1 to git.
func parseBool(value string) (val, ok bool) {
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return true, true
	case "false", "no", "off", "0", "": // `name =` with nothing behind it
		return false, true
	}
	return false, false
}

// trimBlanks takes off what git calls space within a line: nothing else that
// Unicode or C would.
func trimBlanks(text string) string { return strings.Trim(text, " \t") }

func isNameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-'
}
