package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

const (
	// maxEventBytes bounds the context of an event: an agent's whole output
	// may be in it.
	maxEventBytes = 16 << 20

	// stdinSoon is when people learn that we wait for input.
	stdinSoon = 3 * time.Second
)

// eventData reads the event's context from stdin: one JSON object, or nothing.
// It does not wait for the end of the input once it has the object, since some
// callers leave their end of the pipe open. Where stdin is taken, or a
// terminal, there is none.
func (a *app) eventData(ctx context.Context, taken bool) (map[string]any, error) {
	if taken || isTerminal(a.in) {
		return map[string]any{}, nil
	}
	type answer struct {
		data map[string]any
		err  error
	}
	answered := make(chan answer, 1)
	go func() { // ends with the input, or with the process
		data, err := decodeEvent(a.in)
		answered <- answer{data, err}
	}()
	soon := time.NewTimer(stdinSoon)
	defer soon.Stop()
	for {
		select {
		case got := <-answered:
			return got.data, got.err
		case <-soon.C:
			a.warn("waiting for the event's JSON on stdin; </dev/null is an empty one")
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func decodeEvent(from io.Reader) (map[string]any, error) {
	limited := &io.LimitedReader{R: from, N: maxEventBytes + 1}
	decoder := json.NewDecoder(limited)
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	switch {
	case limited.N <= 0:
		return nil, fmt.Errorf("read event: more than %d bytes on stdin", maxEventBytes)
	case errors.Is(err, io.EOF):
		return map[string]any{}, nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("read event: stdin: the JSON object ends too early")
	case err != nil:
		return nil, fmt.Errorf("read event: stdin: %w", err)
	}
	data, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("read event: stdin: want one JSON object")
	}
	rest, err := io.ReadAll(decoder.Buffered())
	if err == nil && len(bytes.TrimSpace(rest)) > 0 {
		err = errors.New("more than one JSON object")
	}
	if err != nil {
		return nil, fmt.Errorf("read event: stdin: %w", err)
	}
	return data, nil
}
