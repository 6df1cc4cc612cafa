package run

import (
	"context"

	"discobot-hooks/hook"
)

// Unrecorded is the recording of a run whose record cannot begin: it keeps
// nothing, and End says why. Whoever makes a disk full or a directory unwritable
// must not keep a hook from running by it.
func Unrecorded(h hook.Hook, why error) hook.Recording { return unrecorded{h.ID, why} }

type unrecorded struct {
	id  string
	why error
}

func (unrecorded) Write(p []byte) (int, error) { return len(p), nil }

func (u unrecorded) End(_ context.Context, result hook.Result) (hook.Result, error) {
	result.HookID = u.id
	return result, u.why
}
