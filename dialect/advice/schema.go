package advice

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"discobot-hooks/internal/safename"
)

// The names that advice_hook_trigger has for the points at which an agent's
// advice runs.
const (
	AdviceHookTriggerSessionEnd    = "session-end"
	AdviceHookTriggerBeforeCommit  = "before-commit"
	AdviceHookTriggerBeforePush    = "before-push"
	AdviceHookTriggerBeforeHandoff = "before-handoff"
)

// ValidAdviceHookTriggers lists them all. It is not to be changed.
var ValidAdviceHookTriggers = []string{
	AdviceHookTriggerSessionEnd,
	AdviceHookTriggerBeforeCommit,
	AdviceHookTriggerBeforePush,
	AdviceHookTriggerBeforeHandoff,
}

// What advice_hook_on_failure makes of a command that fails. An empty value
// means AdviceHookOnFailureWarn.
const (
	AdviceHookOnFailureBlock  = "block"
	AdviceHookOnFailureWarn   = "warn"
	AdviceHookOnFailureIgnore = "ignore"
)

// ValidAdviceHookOnFailure lists them all. It is not to be changed.
var ValidAdviceHookOnFailure = []string{
	AdviceHookOnFailureBlock,
	AdviceHookOnFailureWarn,
	AdviceHookOnFailureIgnore,
}

// The limits of advice_hook_timeout, in seconds, and of advice_hook_command,
// in characters. A timeout of zero means the default.
const (
	AdviceHookTimeoutDefault = 30
	AdviceHookTimeoutMax     = 300
	AdviceHookCommandMax     = 1000
)

const (
	issueType  = "advice"
	statusOpen = "open"

	titleMax = 500 // characters; beads' own limit
	idMax    = 120 // bytes; an id also names a log
)

func checkID(id string) error {
	if safename.Is(id, idMax) {
		return nil
	}
	return fmt.Errorf("id %.*q cannot name a log: use letters, digits, `.`, `_` and `-` after a first letter or digit, %d at most", idMax, id, idMax)
}

func checkCommand(command string) error {
	switch n := utf8.RuneCountInString(command); {
	case n > AdviceHookCommandMax:
		return fmt.Errorf("advice_hook_command has %d characters: write %d at most, or call a script", n, AdviceHookCommandMax)
	case strings.Contains(command, "\x00"):
		return errors.New("advice_hook_command holds a NUL, which no command can: take it out")
	}
	return nil
}

func checkTrigger(trigger string) error {
	return checkWord("advice_hook_trigger", trigger, ValidAdviceHookTriggers)
}

func checkOnFailure(onFailure string) error {
	return checkWord("advice_hook_on_failure", onFailure, ValidAdviceHookOnFailure)
}

// checkWord allows the empty word too: what that means is the field's own.
func checkWord(field, word string, valid []string) error {
	if word == "" || slices.Contains(valid, word) {
		return nil
	}
	return fmt.Errorf("%s %.80q is none: write one of %s", field, word, strings.Join(valid, ", "))
}

func checkTimeout(seconds int) error {
	if seconds >= 0 && seconds <= AdviceHookTimeoutMax {
		return nil
	}
	return fmt.Errorf("advice_hook_timeout is %d: write seconds from 1 to %d", seconds, AdviceHookTimeoutMax)
}
