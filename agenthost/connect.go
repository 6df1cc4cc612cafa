package agenthost

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Options say what to register, and where. Workspace, Home, StateRoot and Getenv
// must be set.
type Options struct {
	Workspace string // absolute
	Home      string
	StateRoot string // where it is noted what connecting made
	Getenv    func(string) string

	User       bool          // the user's configuration, not the workspace's
	Background bool          // evaluate beside the next turn
	Timeout    time.Duration // of an evaluation; zero: [DefaultTimeout]
}

func (o *Options) limit() time.Duration {
	if o.Timeout == 0 {
		return DefaultTimeout
	}
	return o.Timeout
}

// An agent is a host in one place, as the methods of [Host] see it.
type agent struct {
	Host
	*Options
	*registration // nil for OpenCode
}

func (h Host) in(o *Options) *agent { return &agent{h, o, registrationOf(h.Name)} }

// A Change is what happened to a file.
type Change struct {
	Path   string `json:"path"`
	Change string `json:"change"` // created, changed or removed
}

// Outcome is what [Host.Connect] and [Host.Disconnect] did.
type Outcome struct {
	Changes []Change
	Notes   []string // what was left as it is, and why
}

// ErrNoBackground tells that the host cannot evaluate beside the next turn.
var ErrNoBackground = errors.New("this agent runs no hook in the background")

// Connect registers us at the end of a turn and at a session's start. All else in
// the configuration stays as it is, comments too; an entry of ours that is there,
// whoever wrote it, gets the form that is asked for. Asked twice it changes
// nothing. A file that the host would refuse is left alone: that is an error.
func (h Host) Connect(ctx context.Context, o Options) (Outcome, error) {
	a := h.in(&o)
	if o.Background && !h.Background {
		return Outcome{}, ErrNoBackground
	}
	if a.Name == OpenCode {
		return a.connectPlugin(ctx)
	}
	f, err := openConfig(a.path(o.User))
	if err != nil {
		return Outcome{}, err
	}
	edited, made, notes, err := a.register(f, a.events())
	for _, path := range a.codexInline() {
		notes = append(notes, path+" has our hook too, which Codex runs beside this one: take it out")
	}
	out := Outcome{Notes: notes}
	if err != nil || !f.missing && bytes.Equal(edited, f.content) {
		return out, err
	}
	if known, ok := a.readRecord(f.path); ok && !made.fresh {
		made.File, made.Dir = known.File, known.Dir
		made.Made = slices.Compact(slices.Sorted(slices.Values(append(made.Made, known.Made...))))
	}
	change := "changed"
	if f.missing {
		change, made.File, made.Dir = "created", true, firstMissing(f.dir())
	}
	// The note comes first: one too many does no harm.
	if err := a.note(ctx, f.path, &made.record); err != nil {
		out.Notes = append(out.Notes, err.Error())
	}
	if err := f.write(ctx, edited); err != nil {
		return Outcome{}, err
	}
	out.Changes = append(out.Changes, Change{f.path, change})
	return out, nil
}

// made is what an edit adds. It is fresh where the file had no entry of ours, so
// that an older note means nothing.
type made struct {
	record
	fresh bool
}

// register is the file's content with the events in it.
func (a *agent) register(f configFile, events []event) (content []byte, m made, notes []string, err error) {
	mark, content, err := a.open(f)
	if err != nil {
		return nil, m, nil, err
	}
	m.fresh = true
	edit := editor{r: a.registration, content: content}
	if a.version && !edit.has("version") {
		m.Made = append(m.Made, "version")
		edit.set([]string{"version"}, 1)
	}
	for _, e := range events {
		own, stands, left := a.survey(f.path, edit.content, e)
		notes = append(notes, left...)
		if stands {
			m.fresh = false
			edit.update(e, own)
			continue
		}
		for _, name := range []string{"hooks", "hooks." + e.name} {
			if !edit.has(name) {
				m.Made = append(m.Made, name)
			}
		}
		edit.append([]string{"hooks", e.name}, a.element(e))
	}
	if edit.err != nil {
		return nil, m, nil, fmt.Errorf("%s: %w", f.path, edit.err)
	}
	return append(mark, edit.content...), m, notes, nil
}

// survey finds our entries at an event, and notes those of others that run us too:
// they are nobody's to edit but their author's. stands tells that no entry need be
// added, since there is one, or a line of somebody's that names this agent: a second
// one would count each stop twice.
func (a *agent) survey(path string, content []byte, e event) (own []found, stands bool, notes []string) {
	for _, entry := range a.entries(content, e) {
		stands = stands || a.checks(entry, e)
		if entry.kind == ours {
			own = append(own, entry)
		}
	}
	for _, entry := range a.entries(content, e) {
		if entry.kind != compound {
			continue
		}
		note := moreThanOurs(path, e)
		switch {
		case !a.checks(entry, e):
			note += ", and does not count for " + a.Title + ": its command lacks --agent " + a.Name
		case len(own) == 0:
			note += ", and no second one is added"
		default:
			note += ", beside our own"
		}
		notes = append(notes, note)
	}
	return own, stands, notes
}

func moreThanOurs(path string, e event) string {
	return fmt.Sprintf("%s: %s has a hook that runs %s and more: it stays as it is", path, e.name, e.word)
}

// byteOrderMark is what some editors put before UTF-8.
var byteOrderMark = []byte("\ufeff")

// open takes the mark off, and refuses what the host would.
func (r *registration) open(f configFile) (mark, content []byte, err error) {
	content = f.content
	if r.byteOrder && bytes.HasPrefix(content, byteOrderMark) {
		mark, content = slices.Clip(content[:len(byteOrderMark)]), content[len(byteOrderMark):]
	}
	if err := r.format.Check(content); err != nil {
		return nil, nil, &refusedError{path: f.path, err: err}
	}
	return mark, content, nil
}

// A refusedError is a configuration that is not the JSON that its host reads.
type refusedError struct {
	path string
	err  error
}

func (e *refusedError) Error() string { return fmt.Sprintf("read %s: %v", e.path, e.err) }

func (e *refusedError) Unwrap() error { return e.err }

// Hint says whose file it is.
func (e *refusedError) Hint() string {
	return "mend the file: the agent does not read it as it is; nothing was written"
}
