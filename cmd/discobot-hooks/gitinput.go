package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"discobot-hooks/hook"
)

// maxGitInputBytes bounds what git gives a hook on stdin: half a million refs,
// one a line.
const maxGitInputBytes = 64 << 20

// gitInput reads what git gives these hooks on stdin. Only pre-push is given
// anything (githooks(5)); stdin of the others is nobody's, and may stay open.
func (a *app) gitInput(ctx context.Context, event hook.Event, hooks []hook.Hook, deadline time.Time) ([]byte, error) {
	if event != hook.PrePush || len(hooks) == 0 || isTerminal(a.in) {
		return nil, nil
	}
	ctx, cancel := context.WithDeadlineCause(ctx, deadline, errors.New("stdin was not closed in time; </dev/null is an empty one"))
	defer cancel()
	type answer struct {
		input []byte
		err   error
	}
	answered := make(chan answer, 1)
	go func() { // ends with the input, or with the process
		input, err := io.ReadAll(io.LimitReader(a.in, maxGitInputBytes+1))
		answered <- answer{input, err}
	}()
	select {
	case got := <-answered:
		if got.err == nil && len(got.input) > maxGitInputBytes {
			got.err = fmt.Errorf("more than %d bytes: push fewer refs at once", maxGitInputBytes)
		}
		if got.err != nil {
			return nil, fmt.Errorf("read stdin: %w", got.err)
		}
		return got.input, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func gitEventNames() string {
	var names []string
	for _, event := range hook.GitEvents() {
		names = append(names, string(event))
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
