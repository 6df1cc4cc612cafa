package event_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/dialect"
	"discobot-hooks/event"
	"discobot-hooks/hook"
	"discobot-hooks/run"
	"discobot-hooks/status"
)

// plain is the smallest dialect: each hook is a shell command that waits for
// "e", and exit code 2 blocks.
type plain struct {
	hooks  []dialect.Hook
	runsOn bool
	folded []string
	closed bool
}

func (p *plain) Description() dialect.Description {
	return dialect.Description{Name: "plain", Events: []string{"e"}, RunsOn: p.runsOn}
}
func (p *plain) Load() (dialect.Set, error)                 { return dialect.Set{Hooks: p.hooks}, nil }
func (p *plain) Open(context.Context, *dialect.Event) error { return nil }
func (p *plain) Fold(_ *dialect.Event, h dialect.Hook, _ dialect.Judgement) {
	p.folded = append(p.folded, h.Info().ID)
}
func (p *plain) Close(context.Context, *dialect.Event, bool) map[string]any {
	p.closed = true
	return map[string]any{"folded": len(p.folded)}
}

type command struct {
	id, event, text, unmatched string
	off                        string
	refuse                     error
	timeout                    time.Duration
}

func (c command) Info() dialect.Info {
	waitsFor := c.event
	if waitsFor == "" {
		waitsFor = "e"
	}
	timeout := c.timeout
	if timeout == 0 {
		timeout = time.Minute
	}
	return dialect.Info{Off: c.off, Command: c.text, Hook: hook.Hook{
		ID: c.id, Dialect: "plain", Event: hook.Event(waitsFor), Action: hook.Action{Timeout: timeout},
	}}
}
func (c command) Match(*dialect.Event) string { return c.unmatched }
func (c command) Prepare(*dialect.Event) (dialect.Action, error) {
	return dialect.Shell(c.text, []string{"GREETING=hello"}, []byte("input\n")), c.refuse
}
func (c command) Judge(_ *dialect.Event, o dialect.Outcome) dialect.Judgement {
	j := dialect.Judgement{Status: o.Status, Out: string(o.Stdout), Err: string(o.Stderr)}
	if o.ExitCode == 2 {
		j.Status, j.Block, j.Reason = hook.Blocked, true, "because of "+c.id+"\n"
	}
	return j
}

func engine(t *testing.T, p *plain) (event.Engine, *status.Store) {
	t.Helper()
	store := status.NewStore(t.TempDir(), func(text string) { t.Error(text) })
	return event.Engine{
		Dialect: p, Workspace: t.TempDir(), Env: os.Environ(),
		Record: func(session string) (string, hook.Recorder, error) { return "s", store, nil },
	}, store
}

func TestEmit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		runsOn  bool
		hooks   []dialect.Hook
		want    string // id=status/exit of what the event selected
		blocked bool
		reason  string
	}{
		{"none", false, nil, "", false, ""},
		{"in the order of the dialect", false, []dialect.Hook{command{id: "b", text: "true"}, command{id: "a", text: "exit 3"}}, "b=ok/0 a=failed/3", false, ""},
		{"other events, switched off and unmatched hooks are not listed", false, []dialect.Hook{
			command{id: "a", event: "other", text: "true"}, command{id: "b", off: "disabled", text: "true"},
			command{id: "c", unmatched: "no", text: "true"}, command{id: "d", text: "true"},
		}, "d=ok/0", false, ""},
		{"a block ends the event", false, []dialect.Hook{command{id: "a", text: "exit 2"}, command{id: "b", text: "true"}}, "a=blocked/2", true, "because of a"},
		{"or not, and the first reason counts", true, []dialect.Hook{command{id: "a", text: "exit 2"}, command{id: "b", text: "exit 2"}, command{id: "c", text: "true"}}, "a=blocked/2 b=blocked/2 c=ok/0", true, "because of a"},
		{"a refused hook does not run, and the rest do", false, []dialect.Hook{
			command{id: "a", text: "exit 2", refuse: errors.New("unsafe")}, command{id: "b", text: "exit 2", refuse: &dialect.Skip{Reason: "not now"}}, command{id: "c", text: "true"},
		}, "a=invalid/0 b=skipped/0 c=ok/0", false, ""},
		{"a time limit", false, []dialect.Hook{command{id: "a", text: "trap '' USR1; sleep 60", timeout: 50 * time.Millisecond}, command{id: "b", text: "true"}}, "a=timeout/124 b=ok/0", false, ""},
		{"a command that is not there", false, []dialect.Hook{command{id: "a", text: "no-such-command"}}, "a=failed/127", false, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := &plain{hooks: test.hooks, runsOn: test.runsOn}
			e, _ := engine(t, p)
			report, err := e.Emit(t.Context(), &dialect.Event{Name: "e", Time: time.Now()})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, summary(report)); diff != "" {
				t.Errorf("hooks mismatch (-want +got):\n%s", diff)
			}
			if report.Blocked != test.blocked || report.Reason != test.reason {
				t.Errorf("blocked %v for %q, want %v for %q", report.Blocked, report.Reason, test.blocked, test.reason)
			}
			if !p.closed || report.Result["folded"] != len(report.Hooks) {
				t.Errorf("closed %v, result %v after %d hooks", p.closed, report.Result, len(report.Hooks))
			}
		})
	}
}

func summary(report event.Report) string {
	var words []string
	for _, ran := range report.Hooks {
		words = append(words, ran.Info.ID+"="+string(ran.Result.Status)+"/"+strconv.Itoa(ran.Result.ExitCode))
	}
	return strings.Join(words, " ")
}

// Both streams are told apart for the dialect and together in the log; stdin
// and the environment are the hook's, and what it does not read is no failure.
func TestEmitHandsOver(t *testing.T) {
	t.Parallel()
	p := &plain{hooks: []dialect.Hook{
		command{id: "reads", text: `echo "$GREETING $DISCOBOT_HOOK_TYPE $DISCOBOT_HOOK_EVENT $DISCOBOT_HOOK_ID $DISCOBOT_SESSION_ID"; cat; pwd >&2`},
		command{id: "ignores", text: "exec <&-; true"},
	}}
	e, store := engine(t, p)
	var shown []string
	e.Show = func(ran event.Ran) { shown = append(shown, ran.Judgement.Out) }
	report, err := e.Emit(t.Context(), &dialect.Event{Name: "e", Time: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"hello plain e reads s\ninput\n", ""}, shown); diff != "" {
		t.Errorf("shown mismatch (-want +got):\n%s", diff)
	}
	if got := report.Hooks[0].Judgement.Err; got != e.Workspace+"\n" {
		t.Errorf("stderr %q, want the workspace", got)
	}
	log, err := os.ReadFile(filepath.Join(store.Dir(), "output", "reads.log"))
	if err != nil || !strings.Contains(string(log), "hello") || !strings.Contains(string(log), e.Workspace) {
		t.Errorf("log %q, %v: want both streams", log, err)
	}
	file, err := store.Read()
	if err != nil || file.Hooks["reads"].Type != "plain" || file.Hooks["ignores"].LastResult != "success" {
		t.Errorf("status %+v, %v", file, err)
	}
}

// What is beyond the limit is in the log, and the report says that it is.
func TestEmitLongOutput(t *testing.T) {
	t.Parallel()
	e, _ := engine(t, &plain{hooks: []dialect.Hook{command{id: "a", text: "head -c 3000000 /dev/zero"}}})
	report, err := e.Emit(t.Context(), &dialect.Event{Name: "e", Time: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	ran := report.Hooks[0]
	if len(ran.Judgement.Out) != dialect.MaxKept || !ran.Cut || ran.Result.Output.Bytes != 3_000_000 {
		t.Errorf("kept %d, cut %v, logged %d", len(ran.Judgement.Out), ran.Cut, ran.Result.Output.Bytes)
	}
}

// A signal ends the running hook and the event; nothing is judged by it.
func TestEmitAborted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	p := &plain{hooks: []dialect.Hook{command{id: "a", text: "echo started; sleep 60"}, command{id: "b", text: "true"}}}
	e, store := engine(t, p)
	e.Watch = func(hook.Hook) run.Watcher { return cancelling{io.Discard, func() { cancel(interrupted) }} }
	report, err := e.Emit(ctx, &dialect.Event{Name: "e", Time: time.Now()})
	if !errors.Is(err, interrupted) || len(report.Hooks) != 0 || p.closed {
		t.Errorf("error %v, %d hooks, closed %v: want the cause, none, false", err, len(report.Hooks), p.closed)
	}
	if file, err := store.Read(); err != nil || len(file.Hooks) != 0 {
		t.Errorf("recorded %+v, %v: want nothing", file.Hooks, err)
	}
}

// cancelling calls off once the hook has printed something.
type cancelling struct {
	io.Writer
	off func()
}

func (c cancelling) Write(p []byte) (int, error) { c.off(); return len(p), nil }
func (cancelling) Done(hook.Result)              {}

// All hooks share the caller's limit, and the one that meets it says so.
func TestEmitDeadline(t *testing.T) {
	t.Parallel()
	e, _ := engine(t, &plain{hooks: []dialect.Hook{command{id: "a", text: "sleep 60"}, command{id: "b", text: "sleep 60"}}})
	e.Deadline = time.Now().Add(100 * time.Millisecond)
	report, err := e.Emit(t.Context(), &dialect.Event{Name: "e", Time: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if got := summary(report); got != "a=timeout/124 b=timeout/124" {
		t.Errorf("hooks %s", got)
	}
	if got := report.Hooks[1].Result.Reason; !strings.Contains(got, "not run") {
		t.Errorf("reason of the second %q: want that it was not run", got)
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	e, store := engine(t, &plain{hooks: []dialect.Hook{
		command{id: "a", text: "touch ran"}, command{id: "b", event: "other"}, command{id: "c", off: "disabled"},
		command{id: "d", unmatched: "no file matches"}, command{id: "e", refuse: errors.New("unsafe")},
	}})
	plan, err := e.Plan(t.Context(), &dialect.Event{Name: "e", Time: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range plan.Hooks {
		got = append(got, p.Info.ID+"="+string(p.Status)+p.Reason)
	}
	for _, left := range plan.Left {
		got = append(got, left.Info.ID+": "+left.Reason)
	}
	want := []string{"a=", "e=invalidunsafe", "b: waits for other", "c: disabled", "d: no file matches"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Plan mismatch (-want +got):\n%s", diff)
	}
	for _, path := range []string{filepath.Join(e.Workspace, "ran"), filepath.Join(store.Dir(), "status.json")} {
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a dry run left %s", path)
		}
	}
}

// failing keeps no record, as a full disk does.
type failing struct{ io.Writer }

func (f failing) Begin(hook.Hook) (hook.Recording, error) { return f, nil }
func (failing) End(_ context.Context, r hook.Result) (hook.Result, error) {
	return r, errors.New("disk full")
}

// A block must reach the caller, whatever becomes of its record.
func TestEmitUnrecordedBlock(t *testing.T) {
	t.Parallel()
	p := &plain{runsOn: true, hooks: []dialect.Hook{command{id: "a", text: "exit 2"}, command{id: "b", text: "true"}}}
	e, _ := engine(t, p)
	e.Record = func(string) (string, hook.Recorder, error) { return "s", failing{io.Discard}, nil }
	report, err := e.Emit(t.Context(), &dialect.Event{Name: "e", Time: time.Now()})
	if err == nil || !strings.Contains(err.Error(), "record hook a: disk full") || !strings.Contains(err.Error(), "record hook b: disk full") {
		t.Errorf("error %v, want what is not recorded", err)
	}
	if !report.Blocked || report.Reason != "because of a" || summary(report) != "a=blocked/2 b=ok/0" || !p.closed {
		t.Errorf("report %+v, closed %v", report, p.closed)
	}
}

// A signal that arrives as a hook ends keeps the next one from starting.
func TestEmitStoppedBetweenHooks(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	p := &plain{hooks: []dialect.Hook{command{id: "a", text: "true"}, command{id: "b", text: "touch ran"}}}
	e, _ := engine(t, p)
	e.Watch = func(hook.Hook) run.Watcher { return endWatcher{io.Discard, func() { cancel(interrupted) }} }
	if _, err := e.Emit(ctx, &dialect.Event{Name: "e", Time: time.Now()}); !errors.Is(err, interrupted) {
		t.Errorf("error %v, want the cause", err)
	}
	if _, err := os.Lstat(filepath.Join(e.Workspace, "ran")); err == nil {
		t.Error("the second hook ran")
	}
}

// endWatcher calls off once the hook has ended.
type endWatcher struct {
	io.Writer
	off func()
}

func (e endWatcher) Done(hook.Result) { e.off() }
