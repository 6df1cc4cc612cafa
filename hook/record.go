package hook

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"
)

// A Recorder keeps what hooks print and how they end.
type Recorder interface {
	// Begin starts the record of a run in place of the hook's previous log.
	Begin(Hook) (Recording, error)
}

// A Recording is one run's record. What the hook prints is written to it;
// End then notes the result, unless it is an aborted one, and returns it with
// HookID and Output filled in. End must be called.
type Recording interface {
	io.Writer
	End(context.Context, Result) (Result, error)
}

// maxTimeout keeps a slip of the keyboard from meaning "for ever".
const maxTimeout = 24 * time.Hour

// ParseTimeout reads a time limit as headers and DISCOBOT_HOOK_TIMEOUT write
// it: a Go duration such as 90s or 2m, or a number of seconds.
func ParseTimeout(text string) (time.Duration, error) {
	limit, err := time.ParseDuration(text)
	if seconds, numErr := strconv.ParseFloat(text, 64); numErr == nil {
		limit, err = time.Duration(seconds*float64(time.Second)), nil
		if seconds > maxTimeout.Seconds() {
			limit = maxTimeout + 1
		}
	}
	if err != nil || limit <= 0 || limit > maxTimeout {
		return 0, fmt.Errorf("%q is no time limit: write 90s, 5m or a number of seconds, above 0 and up to 24h", text)
	}
	return limit, nil
}
