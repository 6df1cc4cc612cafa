package event_test

import (
	"context"
	"discobot-hooks/dialect"
	"discobot-hooks/event"
	"discobot-hooks/hook"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// An action that nobody awaits, as its dialect makes it.
type detached struct {
	dialect.Action
	err error
}

func (d detached) Text() ([]byte, error) { return []byte("text"), d.err }

type background struct {
	command
	err error
}

func (b background) Prepare(ev *dialect.Event) (dialect.Action, error) {
	action, err := b.command.Prepare(ev)
	return detached{action, b.err}, err
}

func TestDetached(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                  string
		text                  error
		detach                func(context.Context, event.Detached) (string, error, error)
		want                  hook.Status
		reason, path, problem string
	}{
		{"handed over", nil, func(_ context.Context, d event.Detached) (string, error, error) {
			return "/log/" + d.Info.ID + d.Event + d.Session + string(d.Action), nil, nil
		}, hook.Detached, "", "/log/aestext", ""},
		{"nobody takes it", nil, nil, hook.Failed, "hook could not start: nobody is there to run it in the background", "", ""},
		{"it has no text", errors.New("no text"), func(context.Context, event.Detached) (string, error, error) { panic("handed over") }, hook.Failed, "hook could not start: no text", "", ""},
		{"it cannot start", nil, func(context.Context, event.Detached) (string, error, error) { return "", nil, errors.New("no process") }, hook.Failed, "hook could not start: no process", "", ""},
		{"it is not recorded", nil, func(context.Context, event.Detached) (string, error, error) { return "", errors.New("disk full"), nil }, hook.Detached, "", "", "record hook a: disk full"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, _ := engine(t, &plain{hooks: []dialect.Hook{background{command{id: "a", text: "exit 1"}, tt.text}}})
			e.Detach = tt.detach
			report, err := e.Emit(context.Background(), &dialect.Event{Name: "e"})
			if got := errorText(err); got != tt.problem {
				t.Errorf("error %q, want %q", got, tt.problem)
			}
			got := report.Hooks[0].Result
			if got.Status != tt.want || got.Reason != tt.reason || got.Output.Path != tt.path {
				t.Errorf("result %+v, want %s, %q, %q", got, tt.want, tt.reason, tt.path)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestRunDetached(t *testing.T) {
	t.Parallel()
	e, store := engine(t, nil)
	info := dialect.Info{Hook: hook.Hook{ID: "a", Dialect: "plain", Event: "e", Action: hook.Action{Timeout: time.Minute}}}
	path := ""
	begun := func(log string, unrecorded error) {
		if unrecorded != nil {
			t.Error(unrecorded)
		}
		path = log
	}
	d := event.Detached{Info: info, Event: "e", Session: "s"}
	if err := e.RunDetached(context.Background(), d, dialect.Shell("echo \"$DISCOBOT_HOOK_EVENT\"; exit 7", nil, nil), begun); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil || string(content) != "e\n" {
		t.Errorf("log %q, %v", content, err)
	}
	file, err := store.Read()
	if err != nil || file.Hooks["a"].LastExitCode != 7 {
		t.Errorf("recorded %+v, %v", file.Hooks["a"], err)
	}
}

// Somebody has to hear of it when the state cannot be written.
func TestRunDetachedUnrecorded(t *testing.T) {
	t.Parallel()
	e, _ := engine(t, nil)
	e.Record = func(string) (string, hook.Recorder, error) { return "s", broken{}, nil }
	told := ""
	d := event.Detached{Info: dialect.Info{Hook: hook.Hook{ID: "a", Action: hook.Action{Timeout: time.Minute}}}}
	out := filepath.Join(t.TempDir(), "ran")
	err := e.RunDetached(context.Background(), d, dialect.Shell("touch "+out, nil, nil), func(_ string, unrecorded error) { told = errorText(unrecorded) })
	if told != "no room" || errorText(err) != "record hook a: no room" {
		t.Errorf("told %q, error %v", told, err)
	}
	if _, err := os.Stat(out); err != nil {
		t.Errorf("it did not run: %v", err)
	}
}

type broken struct{}

func (broken) Begin(hook.Hook) (hook.Recording, error) { return nil, errors.New("no room") }
