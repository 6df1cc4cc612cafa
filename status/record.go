package status

import (
	"context"
	"errors"

	"discobot-hooks/hook"
)

// Begin starts the record of a run; see [hook.Recorder].
func (s *Store) Begin(h hook.Hook) (hook.Recording, error) {
	log, err := s.CreateLog(h.ID)
	if err != nil {
		return nil, err
	}
	return &recording{Log: log, store: s, hook: h}, nil
}

type recording struct {
	*Log
	store *Store
	hook  hook.Hook
}

// End notes the result even where the log could not be written: on a full
// disk the small file may still fit, and it is the one that matters.
func (r *recording) End(ctx context.Context, result hook.Result) (hook.Result, error) {
	out, logErr := r.Close()
	result.HookID, result.Output = r.hook.ID, out
	// The run happened: a signal that arrives now must not lose its record.
	err := r.store.Record(context.WithoutCancel(ctx), r.hook, result)
	return result, errors.Join(err, logErr)
}
