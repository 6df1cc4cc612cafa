package autoagent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"discobot-hooks/dialect"
	"discobot-hooks/dialect/autoagent"
	"discobot-hooks/event"
	"discobot-hooks/hook"
	"discobot-hooks/status"
)

// A world is a workspace and a home, with the real engine around them.
type world struct {
	t               *testing.T
	workspace, home string
	env             []string
	warned          []string
	shown           strings.Builder // what people see of hooks
}

func newWorld(t *testing.T, config string) *world {
	t.Helper()
	w := &world{t: t, workspace: t.TempDir(), home: t.TempDir()}
	w.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.home, "LC_ALL=C"}
	if config != "" {
		write(t, w.path(), config)
	}
	return w
}

// path is the workspace's configuration.
func (w *world) path() string { return filepath.Join(w.workspace, autoagent.ConfigFile) }

func (w *world) format() *autoagent.Format {
	return autoagent.New(autoagent.Options{Workspace: w.workspace, Home: w.home, Env: w.env, DefaultSession: "ws-0123456789ab"})
}

// noon is when all events happen.
var noon = time.Date(2024, 1, 1, 12, 0, 0, 250e6, time.UTC)

func (w *world) event(name, data string) *dialect.Event {
	w.t.Helper()
	if data == "" {
		data = "{}"
	}
	decoder := json.NewDecoder(strings.NewReader(data))
	decoder.UseNumber()
	ev := &dialect.Event{Name: name, Time: noon, Warn: func(text string) { w.warned = append(w.warned, text) }}
	if err := decoder.Decode(&ev.Data); err != nil {
		w.t.Fatal(err)
	}
	return ev
}

func (w *world) engine() event.Engine {
	store := status.NewStore(w.t.TempDir(), func(text string) { w.t.Error(text) })
	return event.Engine{
		Dialect: w.format(), Workspace: w.workspace, Env: w.env,
		Record: func(session string) (string, hook.Recorder, error) { return session, store, nil },
		Show: func(ran event.Ran) {
			w.shown.WriteString(ran.Judgement.Out)
			w.shown.WriteString(ran.Judgement.Err)
		},
	}
}

func (w *world) emit(name, data string) event.Report { return w.emitEvent(w.event(name, data)) }

func (w *world) emitEvent(ev *dialect.Event) event.Report {
	w.t.Helper()
	report, err := w.engine().Emit(w.t.Context(), ev)
	if err != nil {
		w.t.Fatal(err)
	}
	return report
}

// summary is id=status/exit of each hook that the event selected.
func summary(report event.Report) string {
	var out []string
	for _, ran := range report.Hooks {
		out = append(out, fmt.Sprintf("%s=%s/%d", ran.Info.ID, ran.Result.Status, ran.Result.ExitCode))
	}
	return strings.Join(out, " ")
}

func (w *world) read(path string) string {
	w.t.Helper()
	content, err := os.ReadFile(filepath.Join(w.workspace, path))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(content)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// hooksAt is a configuration with these hooks at one point.
func hooksAt(point string, hooks ...string) string {
	return fmt.Sprintf(`{"hooks": {%q: [%s]}}`, point, strings.Join(hooks, ", "))
}

// running is a hook that runs a command, with more keys at need.
func running(command string, more ...string) string {
	text, err := json.Marshal(command)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"type": "command", "command": %s%s}`, text, strings.Join(append([]string{""}, more...), ", "))
}

func problems(set dialect.Set) string {
	var out []string
	for _, p := range set.Problems {
		out = append(out, fmt.Sprintf("%s %s", p.Severity, p))
	}
	return strings.Join(out, "\n")
}

func ids(set dialect.Set) string {
	var out []string
	for _, h := range set.Hooks {
		out = append(out, h.Info().ID)
	}
	return strings.Join(out, " ")
}

// files names the files of the workspace.
func (w *world) files() string {
	w.t.Helper()
	entries, err := os.ReadDir(w.workspace)
	if err != nil {
		w.t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return strings.Join(names, " ")
}
