package pipeline_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"discobot-hooks/dialect"
	"discobot-hooks/dialect/pipeline"
	"discobot-hooks/event"
	"discobot-hooks/hook"
)

// place is a workspace with a home, and what is emitted there.
type place struct {
	t       *testing.T
	options pipeline.Options
	warned  []string

	mu  sync.Mutex
	log bytes.Buffer // of all hooks
}

func newPlace(t *testing.T, files map[string]string) *place {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, options: pipeline.Options{
		Workspace: filepath.Join(top, "workspace"), Home: filepath.Join(top, "home"), State: filepath.Join(top, "state"), Approvals: filepath.Join(top, "approvals"),
		Session: "ws-1", Env: []string{"PATH=" + os.Getenv("PATH")},
	}}
	for _, dir := range []string{p.options.Workspace, p.options.Home} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range files {
		p.write(name, content)
		switch filepath.Base(name) {
		case "loop.yaml", "stage.yaml":
			p.options.Stage = name
		case "pipeline.yaml":
			p.options.Pipeline = name
		}
	}
	return p
}

// write puts a file into the workspace, or with ~/ into the home.
func (p *place) write(name, content string) {
	p.t.Helper()
	path := filepath.Join(p.options.Workspace, name)
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		path = filepath.Join(p.options.Home, rest)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) read(name string) string {
	p.t.Helper()
	content, err := os.ReadFile(filepath.Join(p.options.Workspace, name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(content)
}

// load gives the set and its problems as lines.
func (p *place) load() (dialect.Set, []string) {
	p.t.Helper()
	set, err := pipeline.New(p.options).Load()
	if err != nil {
		p.t.Fatal(err)
	}
	return set, lines(set.Problems)
}

func lines(problems []hook.Problem) []string {
	var out []string
	for _, p := range problems {
		out = append(out, string(p.Severity)+" "+p.String())
	}
	return out
}

// emit takes an event through the real engine.
func (p *place) emit(name string, data map[string]any) event.Report {
	p.t.Helper()
	report, err := p.engine().Emit(context.Background(), &dialect.Event{
		Name: name, Data: data, Time: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
		Warn: func(text string) { p.warned = append(p.warned, text) },
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return report
}

func (p *place) engine() event.Engine {
	return event.Engine{
		Dialect: pipeline.New(p.options), Workspace: p.options.Workspace, Env: append(slices.Clone(p.options.Env), "HOME="+p.options.Home),
		Record: func(session string) (string, hook.Recorder, error) { return "s", p, nil },
	}
}

// Begin implements [hook.Recorder].
func (p *place) Begin(h hook.Hook) (hook.Recording, error) { return &recording{p, h.ID}, nil }

type recording struct {
	*place
	id string
}

func (r *recording) Write(text []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.log.Write(text)
}

// logged is what all hooks have logged so far.
func (p *place) logged() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

func (r *recording) End(_ context.Context, result hook.Result) (hook.Result, error) {
	result.HookID = r.id
	return result, nil
}

// statuses are those of a report, in order.
func statuses(report event.Report) []hook.Status {
	var out []hook.Status
	for _, ran := range report.Hooks {
		out = append(out, ran.Result.Status)
	}
	return out
}

// ids are those of a set or a report.
func ids(hooks []dialect.Hook) []string {
	var out []string
	for _, h := range hooks {
		out = append(out, h.Info().ID)
	}
	return out
}

// emitHere emits with detached actions run at once, in this process.
func (p *place) emitHere(name string, data map[string]any) event.Report {
	p.t.Helper()
	engine := p.engine()
	engine.Detach = func(ctx context.Context, d event.Detached) (log string, unrecorded, err error) {
		action, err := pipeline.Decode(d.Action)
		if err != nil {
			return "", nil, err
		}
		return "", nil, p.engine().RunDetached(ctx, d, action, func(string, error) {})
	}
	report, err := engine.Emit(context.Background(), &dialect.Event{Name: name, Data: data, Time: time.Now()})
	if err != nil {
		p.t.Fatal(err)
	}
	return report
}
