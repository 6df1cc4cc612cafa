package turn

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"discobot-hooks/filewatch"
	"discobot-hooks/hook"
	"discobot-hooks/status"
)

// addPending notes the hooks that the changes concern, then moves snapshot
// and marker: in this order, so that a kill in between repeats work but loses
// none.
func (e Evaluator) addPending(ctx context.Context, now *state, changed []filewatch.File) error {
	ids := e.moved(*now)
	for _, h := range e.Hooks {
		matcher, err := compile(h)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(changed, func(f filewatch.File) bool { return matcher.Match(f.Path) }) {
			ids = append(ids, h.ID)
		}
	}
	err := e.Store.Update(ctx, func(f *status.File) error {
		theirs := now.elsewhere()
		if f.New || now.entered {
			// Deleted, set aside as unreadable, or of the workspace that we come
			// from: what was pending still is.
			f.AddPending(slices.Sorted(maps.Keys(now.Pending))...)
			f.AddPending(theirs...)
		}
		old := without(f.PendingHooks, theirs)
		f.AddPending(ids...)
		here := slices.DeleteFunc(slices.Clone(f.PendingHooks), func(id string) bool {
			_, noted := now.Pending[id]
			return slices.Contains(theirs, id) && !noted && !slices.Contains(ids, id)
		})
		gone := e.gone(here)
		f.RemovePending(without(gone, theirs)...)
		f.LastEvaluatedAt = time.Now()
		now.keepPending(without(here, gone), old, e.Hooks)
		return nil
	})
	if err != nil {
		return err
	}
	if err := now.write(e.Store.Dir()); err != nil {
		return err
	}
	return filewatch.TouchMarker(e.Store.Dir())
}

// moved are the hooks whose file was pending under an id that is now another
// file's: a new neighbour can take the plain id (lint.sh, then LINT.rb).
func (e Evaluator) moved(now state) []string {
	var ids []string
	for _, h := range e.Hooks {
		for id, p := range now.Pending {
			if p.File == h.File && id != h.ID {
				ids = append(ids, h.ID)
				now.Pending[h.ID] = p
			}
		}
	}
	return ids
}

// gone are the pending ids whose hook file is not there any more. One that is
// merely broken stays pending: a hook must not be got rid of by breaking it.
func (e Evaluator) gone(pending []string) []string {
	var gone []string
	for _, id := range pending {
		exists := slices.ContainsFunc(e.Hooks, func(h hook.Hook) bool { return h.ID == id })
		if !exists && !e.Broken[id] {
			e.Warn(fmt.Sprintf("hook %s is pending, but it is no file hook any more: pending no longer", id))
			gone = append(gone, id)
		}
	}
	return gone
}

// pending are the hooks to run, in their order.
func (e Evaluator) pending(now state) ([]hook.Hook, error) {
	file, err := e.Store.Read()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(e.Hooks), func(h hook.Hook) bool {
		_, here := now.Pending[h.ID]
		return !here || !slices.Contains(file.PendingHooks, h.ID)
	}), nil
}

func without(ids, others []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(others, id) })
}
