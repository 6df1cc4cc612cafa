package turn

import (
	"fmt"
	"strconv"
	"strings"

	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/regular"
)

// The limits of a message, as design 1 and the project's contract have them.
const (
	maxInlineLines = 200
	maxInlineBytes = 5 << 10
	maxTailLines   = 15
	maxTailBytes   = 2 << 10
	maxFilesNamed  = 20

	// maxNeededBytes of an output decide and word a message: what is inline,
	// its final newline, and one byte to see that it is too long.
	maxNeededBytes = maxInlineBytes + 2
)

// ownPhrases begin the lines of our messages. A program's output that has
// such a line could pose as us, so it gets a mark before it.
var ownPhrases = []string{
	"[discobot hook failed]", "files:", "exit code:", "output:", "output is large",
	"last 15 lines:", "please fix the issues", "please read the file", "(attempt ",
}

// A failure is what one message is about.
type failure struct {
	hook   hook.Hook
	result hook.Result
	files  []string // also those that were deleted
	shown  string   // the log's path for people: `~/…` below the home
	cut    bool     // ended by the caller's deadline, before its own time limit
}

// message words a failure for the LLM.
func (f failure) message() (string, error) {
	output, err := regular.ReadTail(f.result.Output.Path, maxNeededBytes)
	if err != nil {
		return "", fmt.Errorf("read output of hook %s: %w", f.hook.ID, err)
	}
	text := strings.TrimSuffix(string(output), "\n")
	lines := strings.Count(text, "\n") + 1
	head := f.head(plaintext.Line(f.hook.Name), strings.Join(f.hook.Match.Patterns, ", "), nameFiles(f.files, maxFilesNamed))
	if f.result.Output.Dropped == 0 && lines <= maxInlineLines && len(text) <= maxInlineBytes {
		return head + fmt.Sprintf("Output:\n%s\n\nPlease fix the issues and ensure the hook passes.", inline(text)), nil
	}
	return head + f.pointer(tail(text, maxTailLines, maxTailBytes), maxTailLines), nil
}

func (f failure) head(name, patterns, files string) string {
	return fmt.Sprintf("[Discobot Hook Failed] \"%s\" (pattern: %s)\n\nFiles: %s\nExit code: %d\n\n",
		name, plaintext.Line(patterns), files, f.result.ExitCode)
}

// pointer says where the whole output is, and its end.
func (f failure) pointer(end string, lines int) string {
	return fmt.Sprintf("Output is large (%d lines). Full output saved to:\n  %s\n\nLast %d lines:\n%s\n\n"+
		"Please read the file to see the full output and address the issues.",
		f.result.Output.Lines, plaintext.Path(f.shown), lines, disarm(plaintext.Clean(end)))
}

// attemptNote ends the last message of an evaluation.
func attemptNote(attempt int) string {
	return fmt.Sprintf(" (Attempt %d/%d)", attempt, maxReprompts)
}

func inline(text string) string {
	if text == "" {
		return "(no output)"
	}
	return disarm(plaintext.Clean(text))
}

// disarm marks the lines that imitate ours.
func disarm(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		start := strings.ToLower(strings.TrimSpace(line))
		for _, phrase := range ownPhrases {
			if strings.HasPrefix(start, phrase) {
				lines[i] = "| " + line
				break
			}
		}
	}
	return strings.Join(lines, "\n")
}

// tail is the last lines that fit the limit. Where not even one whole line
// does, it is the end of it.
func tail(text string, maxLines, maxBytes int) string {
	if cut := len(text) - maxBytes; cut > 0 {
		_, whole, ok := strings.Cut(text[cut-1:], "\n") // the byte before tells whether a line begins here
		if !ok {
			whole = strings.ToValidUTF8(text[cut:], "")
		}
		text = whole
	}
	lines := strings.Split(text, "\n")
	if len(lines) > maxLines {
		lines = lines[len(lines)-maxLines:]
	}
	return strings.Join(lines, "\n")
}

// listed is a name that stays one in a list with commas.
func listed(file string) string {
	if strings.Contains(file, ",") || strings.TrimSpace(file) != file {
		return strconv.Quote(file)
	}
	return plaintext.Path(file)
}

func nameFiles(files []string, limit int) string {
	shown := make([]string, 0, limit+1)
	for _, file := range files[:min(len(files), limit)] {
		shown = append(shown, listed(file))
	}
	names := strings.Join(shown, ", ")
	if more := len(files) - limit; more > 0 {
		names += fmt.Sprintf(", and %d more", more)
	}
	return names
}
