package turn

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/regular"
)

// The parts of a message that must be short, for callers which cut off what is
// longer, or put it where the LLM has to look for it.
const (
	shortLine  = 200 // bytes of a name, a pattern, or a file's name
	shortFiles = 5
	shortLines = 8
	shortTail  = 800
)

// words are the message about failures, in at most limit bytes; 0 is no limit.
// What does not fit is shortened, then left out with a word that it was; the
// logs keep everything. One short failure always stands.
func words(failures []failure, attempt, limit int) (string, error) {
	end := attemptNote(attempt)
	message, err := together(failures, failure.message)
	if err != nil || limit == 0 || len(message)+len(end) <= limit {
		return message + end, err
	}
	for shown := len(failures); shown > 0; shown-- {
		if message, err = together(failures[:shown], failure.short); err != nil {
			return "", err
		}
		message += leftOut(failures[shown:])
		if len(message)+len(end) <= limit {
			break
		}
	}
	return message + end, nil
}

func together(failures []failure, word func(failure) (string, error)) (string, error) {
	var messages []string
	for _, f := range failures {
		message, err := word(f)
		if err != nil {
			return "", err
		}
		messages = append(messages, message)
	}
	return strings.Join(messages, "\n\n"), nil
}

func leftOut(failures []failure) string {
	if len(failures) == 0 {
		return ""
	}
	count := "1 more hook"
	if len(failures) > 1 {
		count = fmt.Sprintf("%d more hooks", len(failures))
	}
	return fmt.Sprintf("\n\n%s failed; the output is in %s.", count, plaintext.Path(filepath.Dir(failures[0].shown)))
}

// short is message with everything in it bounded.
func (f failure) short() (string, error) {
	output, err := regular.ReadTail(f.result.Output.Path, shortTail+1)
	if err != nil {
		return "", fmt.Errorf("read output of hook %s: %w", f.hook.ID, err)
	}
	var files []string
	for _, file := range f.files[:min(len(f.files), shortFiles)] {
		files = append(files, cut(listed(file)))
	}
	names := strings.Join(files, ", ")
	if more := len(f.files) - len(files); more > 0 {
		names += fmt.Sprintf(", and %d more", more)
	}
	head := f.head(cut(plaintext.Line(f.hook.Name)), cut(strings.Join(f.hook.Match.Patterns, ", ")), names)
	return head + f.pointer(tail(strings.TrimSuffix(string(output), "\n"), shortLines, shortTail), shortLines), nil
}

// cut is a text's beginning, with a sign that it goes on.
func cut(text string) string {
	if len(text) <= shortLine {
		return text
	}
	end := shortLine
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// reprompts is how often the LLM is sent back for this failure. A hook that the
// caller's deadline ended may hang, which the LLM can mend, or just be slow,
// which it cannot: once will do.
func (f failure) reprompts() int {
	if f.cut {
		return 1
	}
	return maxReprompts
}

// still says what is the matter after the last re-prompt.
func (f failure) still() string {
	if f.cut {
		return fmt.Sprintf("hook %s does not end in the time that the agent gives (discobot-hooks connect AGENT --timeout 10m gives more)", f.hook.ID)
	}
	return fmt.Sprintf("hook %s still fails", f.hook.ID)
}

// plural is "hook a", or "hooks a, b".
func plural(ids []string) string {
	if len(ids) == 1 {
		return "hook " + ids[0]
	}
	return "hooks " + strings.Join(ids, ", ")
}

func reprompts(n int) string {
	if n == 1 {
		return "1 re-prompt"
	}
	return fmt.Sprintf("%d re-prompts", n)
}
