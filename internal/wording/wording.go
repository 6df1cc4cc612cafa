// Package wording holds what messages about people's files have in common, so
// that all formats of hooks speak alike.
package wording

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"discobot-hooks/internal/plaintext"
)

// Quote shows a piece of a file, the start of a long one, on one line.
func Quote(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return "`" + plaintext.Line(text) + "`"
}

// Cause is an error of the file system without the path, which the message
// names already.
func Cause(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}

// maxTimeLimit is longer than anybody waits for a hook, and far from where a
// duration overflows.
const maxTimeLimit = 24 * time.Hour

// TimeLimit reads a time limit: a duration as Go writes it, such as 90s or
// 2m, or a number of seconds. It is more than zero and a day at most.
func TimeLimit(text string) (time.Duration, error) {
	return TimeLimitUpTo(text, maxTimeLimit)
}

// TimeLimitUpTo is TimeLimit with another longest one, which people know as
// written.
func TimeLimitUpTo(text string, most time.Duration) (time.Duration, error) {
	duration := text
	if isSeconds(text) {
		duration += "s"
	}
	d, err := time.ParseDuration(duration)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%s is no time limit: write a duration such as 90s or 2m, or a number of seconds", Quote(text))
	case d <= 0:
		return 0, fmt.Errorf("%s is no time limit: write more than zero, or leave it out for the default", Quote(text))
	case d > most:
		return 0, fmt.Errorf("%s is too long: write %dh at most", Quote(text), int(most.Hours()))
	}
	return d, nil
}

// isSeconds tells a plain number, such as 90 or 1.5.
func isSeconds(text string) bool {
	whole, part, broken := strings.Cut(text, ".")
	return isDigits(whole) && (!broken || isDigits(part))
}

func isDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }
