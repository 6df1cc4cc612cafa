package status

import (
	"context"
	"errors"
	"slices"

	"discobot-hooks/hook"
)

// Begin starts the record of a run; see [hook.Recorder].
func (s *Store) Begin(h hook.Hook) (hook.Recording, error) {
	log, err := s.CreateLog(s.key(h))
	if err != nil {
		return nil, err
	}
	return &recording{Log: log, store: s, hook: h}, nil
}

// key names the hook in the state: its id or, where a hook of another dialect
// has that already, with the dialect before it. Our own hooks keep their ids;
// they have no dots.
func (s *Store) key(h hook.Hook) string {
	if h.Dialect == "" {
		return h.ID
	}
	file, err := s.Read()
	if err != nil {
		return h.ID // recording says what is wrong
	}
	return file.key(h)
}

func (f *File) key(h hook.Hook) string {
	if known, ok := f.Hooks[h.ID]; ok && h.Dialect != "" && known.Type != h.Type() {
		return h.Dialect + "." + h.ID
	}
	return h.ID
}

// makeWay gives our own hook its id back from a hook of another dialect that
// had it first. The log is our hook's by now.
func (f *File) makeWay(h hook.Hook) {
	known, ok := f.Hooks[h.ID]
	if !ok || h.Dialect != "" || !slices.Contains(otherDialects, known.Type) {
		return
	}
	delete(f.Hooks, h.ID)
	known.OutputPath = ""
	f.Hooks[known.Type+"."+h.ID] = known
}

// otherDialects are what `type` says of hooks that are not ours.
var otherDialects = []string{"advice", "autoagent", "pipeline", "registry"}

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
