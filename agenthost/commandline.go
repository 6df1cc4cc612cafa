package agenthost

import (
	"path"
	"slices"
	"strings"
)

// A command in somebody's configuration is one of these.
const (
	foreign  = iota
	ours     // it runs one of our commands and nothing else, whoever wrote it
	compound // it runs that and more, or in its own way, so that no edit of ours may touch it
)

// commandKind tells what a command line is, and which agent it names behind
// --agent. word is our subcommand that counts. In doubt a line is somebody else's.
func commandKind(line, word string) (kind int, agent string) {
	line = strings.TrimSpace(line)
	for _, command := range strings.FieldsFunc(strings.ReplaceAll(line, ">&", " "), isOperator) {
		words := strings.FieldsFunc(command, isBetweenWords)
		if len(words) == 0 || slices.Contains([]string{"echo", "printf", "logger", "#"}, words[0]) {
			continue // it only speaks of us
		}
		at := 0
		for at < len(words) && !(isProgram(words[at]) && runs(words[at+1:], word)) {
			at++
		}
		if at == len(words) {
			continue
		}
		args := words[at+1:]
		if at = slices.Index(args, "--agent") + 1; 0 < at && at < len(args) {
			agent = args[at]
		}
		if isOurs(strings.TrimSuffix(line, noReprompt), word) {
			return ours, agent
		}
		return compound, agent
	}
	return foreign, ""
}

// runs tells of arguments of our program that have this subcommand, with or without
// flags before it.
func runs(args []string, word string) bool {
	return len(args) > 0 && (args[0] == word || strings.HasPrefix(args[0], "-") && slices.Contains(args, word))
}

// isOurs tells of a line that begins with the program and goes on with the
// subcommand and nothing but flags that connect writes itself.
func isOurs(line, word string) bool {
	first, rest := firstWord(line)
	args := strings.Fields(rest)
	if strings.ContainsAny(line, "\n;|&<>()`") || strings.Contains(first, "=") || !isProgram(first) || len(args) == 0 || args[0] != word {
		return false
	}
	for args = args[1:]; len(args) > 0; args = args[1:] {
		flag, value, given := strings.Cut(args[0], "=")
		switch flag {
		case "--background":
			if given {
				return false
			}
			continue
		case "--agent", "--timeout":
		default:
			return false
		}
		if !given {
			if args = args[1:]; len(args) == 0 {
				return false
			}
			value = args[0]
		}
		if value == "" || strings.Trim(value, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
			return false
		}
	}
	return true
}

// firstWord parts a line behind its first word, in which quotes may hold blanks.
func firstWord(line string) (word, rest string) {
	quoted := 0
	if line != "" && strings.ContainsRune(`"'`, rune(line[0])) {
		quoted = strings.IndexByte(line[1:], line[0]) + 1
	}
	if end := strings.IndexAny(line[quoted:], " \t"); end >= 0 {
		return line[:quoted+end], line[quoted+end:]
	}
	return line, ""
}

// isProgram tells of the bare name, a path to it, and either in quotes.
func isProgram(word string) bool {
	name := path.Base(strings.ReplaceAll(strings.Trim(word, `"'`), `\`, "/"))
	return strings.TrimSuffix(name, ".exe") == program
}

func isOperator(r rune) bool { return strings.ContainsRune(";|&()`\n", r) }

// isBetweenWords also parts a flag from its value.
func isBetweenWords(r rune) bool { return strings.ContainsRune(" \t\r\"'<>=", r) }
