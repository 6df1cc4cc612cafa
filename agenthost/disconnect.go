package agenthost

import (
	"bytes"
	"context"
	"fmt"
	"slices"
)

// Disconnect takes our entries out of the configuration, and what [Host.Connect]
// made around them, where it is empty by then: lists, objects, the file,
// directories. What was made is noted in the state directory. Where there is no
// note, as in another clone of the workspace, the lists and objects on the way to
// our entries count as made, and the file only where it is for us alone.
func (h Host) Disconnect(ctx context.Context, o Options) (Outcome, error) {
	a := h.in(&o)
	if a.Name == OpenCode {
		return a.disconnectPlugin(ctx)
	}
	f, err := openConfig(a.path(o.User))
	if err != nil || f.missing {
		return Outcome{}, err
	}
	note, known := a.readRecord(f.path)
	if !known {
		note = record{File: a.ownFile, Made: []string{"version", "hooks", "hooks." + a.stop, "hooks." + a.start}}
	}
	edited, notes, err := a.unregister(f, a.events(), note.Made, known && !note.File)
	out := Outcome{Notes: notes}
	if err != nil || bytes.Equal(edited, f.content) {
		return out, err
	}
	change := Change{f.path, "changed"}
	if note.File && len(members(a.format.Plain(edited))) == 0 && !a.format.HasComments(edited) {
		change.Change, err = "removed", f.remove(ctx)
		removeEmpty(f.dir(), note.Dir)
	} else {
		err = f.write(ctx, edited)
	}
	if err != nil {
		return Outcome{}, err
	}
	out.Changes = append(out.Changes, change)
	if err := a.note(ctx, f.path, nil); err != nil {
		out.Notes = append(out.Notes, err.Error())
	}
	return out, nil
}

// unregister is the file's content without our entries, and without what was made
// for them and is empty. withoutVersion tells that the file was there before,
// without a version.
func (r *registration) unregister(f configFile, events []event, made []string, withoutVersion bool) (content []byte, notes []string, err error) {
	mark, content, err := r.open(f)
	if err != nil {
		return nil, nil, err
	}
	edit := editor{r: r, content: content}
	for _, e := range events {
		for _, entry := range slices.Backward(r.entries(content, e)) {
			switch entry.kind {
			case ours:
				edit.drop(entry)
			case compound:
				notes = append(notes, moreThanOurs(f.path, e))
			}
		}
	}
	if bytes.Equal(edit.content, content) {
		return f.content, notes, nil
	}
	for _, e := range events {
		if slices.Contains(made, "hooks."+e.name) {
			edit.cutEmpty("hooks", e.name)
		}
	}
	if slices.Contains(made, "hooks") {
		edit.cutEmpty("hooks")
	}
	// A version number alone says nothing; with the hooks of others beside it, it
	// goes only where they did without before.
	all := members(r.format.Plain(edit.content))
	if slices.Contains(made, "version") && string(all["version"]) == "1" && (len(all) == 1 || withoutVersion) {
		edit.cut([]string{"version"})
	}
	if edit.err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.path, edit.err)
	}
	return append(mark, edit.content...), notes, nil
}
