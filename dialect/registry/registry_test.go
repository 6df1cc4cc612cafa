package registry_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/dialect"
	"discobot-hooks/dialect/registry"
	"discobot-hooks/event"
	"discobot-hooks/hook"
)

var emitted = time.Date(2025, 1, 15, 11, 23, 45, 678, time.FixedZone("", 3600))

// workspace has the files, scripts among them executable.
func workspace(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		write(t, filepath.Join(dir, name), content)
	}
	return dir
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	mode := os.FileMode(0o644)
	if filepath.Ext(path) == ".sh" || filepath.Ext(path) == ".py" {
		mode = 0o755
	}
	// A fork of another test at this moment would hold the file open for
	// writing until its exec, and ours would fail with ETXTBSY.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// define is a hook file that runs a command.
func define(id, event, command string, more ...string) string {
	quoted, _ := json.Marshal(command)
	return "id: " + id + "\nevent_type: " + event + "\nhandler:\n  command: " + string(quoted) + "\n" + strings.Join(more, "\n")
}

// answer is a hook file that returns some JSON.
func answer(id, event, result string, more ...string) string {
	return define(id, event, "cat <<'END'\n"+result+"\nEND\n", more...)
}

func hookFiles(files ...string) map[string]string {
	all := make(map[string]string)
	for i, content := range files {
		all[registry.Dir+"/"+string(rune('a'+i))+".yaml"] = content
	}
	return all
}

// document reads a file of testdata: an example of the document.
func document(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	in := json.NewDecoder(strings.NewReader(text))
	in.UseNumber()
	var out map[string]any
	if err := in.Decode(&out); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return out
}

// emit takes an event through the engine, the shell and all. Nothing is to be
// warned of.
func emit(t *testing.T, f *registry.Format, name, data string) event.Report {
	t.Helper()
	return emitWarned(t, f, name, data, nil)
}

func emitWarned(t *testing.T, f *registry.Format, name, data string, want []string) event.Report {
	t.Helper()
	if data == "" {
		data = "{}"
	}
	var warnings []string
	defer func() { equal(t, "warnings", want, warnings) }()
	ev := &dialect.Event{Name: name, Data: object(t, data), Time: emitted, Warn: func(text string) {
		kind, _, _ := strings.Cut(text, ":")
		warnings = append(warnings, kind)
	}}
	report, err := engine(f).Emit(t.Context(), ev)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func engine(f *registry.Format) event.Engine {
	return event.Engine{
		Dialect: f, Workspace: f.Workspace, Env: os.Environ(),
		Record: func(session string) (string, hook.Recorder, error) { return session, unrecorded{}, nil },
	}
}

// unrecorded is for tests that are not about records.
type unrecorded struct{}

func (unrecorded) Begin(hook.Hook) (hook.Recording, error)                   { return unrecorded{}, nil }
func (unrecorded) Write(p []byte) (int, error)                               { return len(p), nil }
func (unrecorded) End(_ context.Context, r hook.Result) (hook.Result, error) { return r, nil }

// statuses are those of a report's hooks, by id.
func statuses(r event.Report) []string {
	var out []string
	for _, ran := range r.Hooks {
		out = append(out, ran.Info.ID+" "+string(ran.Judgement.Status))
	}
	return out
}

func load(t *testing.T, f *registry.Format) dialect.Set {
	t.Helper()
	set, err := f.Load()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func infos(set dialect.Set) []dialect.Info {
	var out []dialect.Info
	for _, h := range set.Hooks {
		out = append(out, h.Info())
	}
	return out
}

// messages are the problems as people read them.
func messages(problems []hook.Problem) []string {
	var out []string
	for _, p := range problems {
		out = append(out, string(p.Severity)+" "+p.String())
	}
	return out
}

func equal[T any](t *testing.T, what string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s mismatch (-want +got):\n%s", what, diff)
	}
}

func TestDefinitionsOfTheDocument(t *testing.T) {
	t.Parallel()
	files := make(map[string]string)
	for _, name := range []string{"skill_activation_prompt", "post_tool_use_tracker", "session_stop_build_check"} {
		files[registry.Dir+"/"+name+".yaml"] = document(t, "hooks/"+name+".yaml")
		files["scripts/hooks/"+name+".sh"] = "#!/bin/sh\n"
	}
	set := load(t, registry.New(workspace(t, files), ""))
	equal(t, "problems", nil, messages(set.Problems))
	info := func(id, event, summary, off string) dialect.Info {
		return dialect.Info{
			Hook: hook.Hook{
				ID: id, Name: id, Description: summary, Dialect: "registry", Event: hook.Event(event),
				File: registry.Dir + "/" + id + ".yaml", Action: hook.Action{RunAs: hook.AsUser, Timeout: time.Minute},
			},
			Kind: "script", Line: 2, Command: "./scripts/hooks/" + id + ".sh", Off: off,
		}
	}
	equal(t, "hooks", []dialect.Info{
		info("post_tool_use_tracker", "PostAbilityCall", "After each ability call, append a concise record to a log file and update a lightweight usage cache for later analysis.", ""),
		info("session_stop_build_check", "SessionStop", "On session stop, run lightweight build or test commands for changed services and summarize any blocking issues.", "disabled (enabled: false)"),
		info("skill_activation_prompt", "UserPromptSubmit", "Read the incoming user message, cross-check it against the ability pool, and suggest a small set of abilities that are likely useful.", ""),
	}, infos(set))
}

// The snippet of section 2.1 has conditions that hold for every call.
func TestDefinitionOfSection2(t *testing.T) {
	t.Parallel()
	dir := workspace(t, map[string]string{
		registry.Dir + "/post_tool_use_tracker.yaml": document(t, "2.1.yaml"),
		"scripts/hooks/post_tool_use_tracker.sh":     "#!/bin/sh\ncat <<'END'\n" + document(t, "2.3-answer.json") + "END\n",
	})
	f := registry.New(dir, "")
	report := emit(t, f, "PostAbilityCall", document(t, "2.3-context.json"))
	want := object(t, document(t, "2.3-answer.json"))
	want["logs"].([]any)[0].(map[string]any)["hook_id"] = "post_tool_use_tracker"
	equal(t, "result", want, report.Result)
}

func TestLoad(t *testing.T) {
	t.Parallel()
	t.Run("1d.1 files in byte order, .yaml and .yml", func(t *testing.T) {
		t.Parallel()
		dir := workspace(t, map[string]string{
			registry.Dir + "/b.yml":        define("b", "SessionStop", "true"),
			registry.Dir + "/a.yaml":       "\ufeffid: a\r\nevent_type: [SessionStart, SessionEnd]\r\nblocking: true\r\ntimeout: 1.5\r\nhandler: {kind: script, command: \"true\"}\r\n",
			registry.Dir + "/B.yaml":       define("B", "SessionStop", "true", "timeout: 2m"),
			registry.Dir + "/.hidden.yaml": "x",
			registry.Dir + "/README.md":    "x",
			registry.Dir + "/c.json":       "x",
		})
		set := load(t, registry.New(dir, ""))
		equal(t, "problems", nil, messages(set.Problems))
		var got []string
		for _, info := range infos(set) {
			got = append(got, info.ID+" "+string(info.Event)+" "+info.Action.Timeout.String())
		}
		equal(t, "hooks", []string{"B SessionStop 2m0s", "a SessionStart 1.5s", "a SessionEnd 1.5s", "b SessionStop 1m0s"}, got)
	})
	t.Run("1d.2 six events", func(t *testing.T) {
		t.Parallel()
		want := []string{"UserPromptSubmit", "PreAbilityCall", "PostAbilityCall", "SessionStart", "SessionEnd", "SessionStop"}
		equal(t, "events", want, registry.New("/", "").Description().Events)
		for _, name := range want {
			f := registry.New(workspace(t, hookFiles(define("a", name, "true"))), "")
			equal(t, name, []string{"a ok"}, statuses(emit(t, f, name, "")))
		}
	})
	t.Run("1d.11 one broken file does not stop the rest, first id kept", func(t *testing.T) {
		t.Parallel()
		set := load(t, registry.New(workspace(t, hookFiles("id: [", define("x", "SessionStop", "true"), define("x", "SessionEnd", "true"))), ""))
		equal(t, "hooks", 1, len(set.Hooks))
		equal(t, "problems", []string{
			"error .system/hooks/a.yaml:1: not YAML: did not find expected node content",
			"error .system/hooks/c.yaml:1: id x is that of .system/hooks/b.yaml: write another one",
		}, messages(set.Problems))
	})
	t.Run("no directory", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		f := registry.New(dir, "")
		equal(t, "set", dialect.Set{}, load(t, f))
		equal(t, "report", event.Report{}, emit(t, f, "SessionStop", ""))
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			t.Errorf("an event without hooks left %v, %v", entries, err)
		}
	})
	t.Run("a directory that cannot be read", func(t *testing.T) {
		t.Parallel()
		for _, make := range []func(string) error{
			func(path string) error { return os.WriteFile(path, nil, 0o644) },
			func(path string) error { return os.Symlink("nowhere", path) },
		} {
			dir := workspace(t, map[string]string{".system/x": ""})
			if err := make(filepath.Join(dir, registry.Dir)); err != nil {
				t.Fatal(err)
			}
			if _, err := registry.New(dir, "").Load(); err == nil || !strings.HasPrefix(err.Error(), "read hooks: ") {
				t.Errorf("Load() = %v, want an error", err)
			}
		}
	})
}

func TestRegistration(t *testing.T) {
	t.Parallel()
	t.Run("1d.10 the document's JSON, enabled hooks only", func(t *testing.T) {
		t.Parallel()
		files := make(map[string]string)
		for _, name := range []string{"skill_activation_prompt", "post_tool_use_tracker", "session_stop_build_check"} {
			files[registry.Dir+"/"+name+".yaml"] = strings.Replace(document(t, "hooks/"+name+".yaml"), "enabled: false", "enabled: true", 1)
		}
		files[registry.Dir+"/disabled.yaml"] = define("disabled", "SessionStart", "true", "enabled: false")
		files[registry.Dir+"/ci.yaml"] = define("ci", "SessionStart", "true", "environments: ci")
		r, _, err := registry.New(workspace(t, files), "dev").Registration()
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "registration", document(t, "2.2-registration.json"), string(got)+"\n")
	})
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		r, problems, err := registry.New(t.TempDir(), "").Registration()
		if err != nil || problems != nil {
			t.Fatal(problems, err)
		}
		got, err := json.Marshal(r)
		equal(t, "registration", "{}", string(got))
		if err != nil {
			t.Error(err)
		}
	})
	t.Run("problems of the rest", func(t *testing.T) {
		t.Parallel()
		_, problems, err := registry.New(workspace(t, hookFiles("")), "").Registration()
		equal(t, "problems", []string{"error .system/hooks/a.yaml: empty: fill it or remove it"}, messages(problems))
		if err != nil {
			t.Error(err)
		}
	})
}
