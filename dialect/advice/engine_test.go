package advice

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/dialect"
	"discobot-hooks/event"
	"discobot-hooks/hook"
)

// emit takes an event through the real engine and a real shell.
func emit(t *testing.T, name, agent string, all ...string) event.Report {
	t.Helper()
	workspace, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(workspace, DefaultFile), lines(all...))
	engine := event.Engine{
		Dialect: New(Options{Workspace: workspace, Agent: agent}), Workspace: workspace, Env: os.Environ(),
		Record: func(session string) (string, hook.Recorder, error) { return "s", &recorder{}, nil },
	}
	report, err := engine.Emit(context.Background(), &dialect.Event{Name: name, Time: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// A recorder that keeps nothing.
type recorder struct{}

func (*recorder) Begin(h hook.Hook) (hook.Recording, error) { return recording{h.ID}, nil }

type recording struct{ id string }

func (recording) Write(p []byte) (int, error) { return len(p), nil }

func (r recording) End(_ context.Context, result hook.Result) (hook.Result, error) {
	result.HookID = r.id
	return result, nil
}

func command(text string, more values) values {
	v := values{"advice_hook_command": text}
	for key, value := range more {
		v[key] = value
	}
	return v
}

func TestEnvironmentInARealShell(t *testing.T) {
	t.Parallel()
	const show = `printf '%s\n' "$GT_ADVICE_HOOK_ID" "$GT_ADVICE_HOOK_TRIGGER" "$GT_AGENT_ID" "$BD_ACTOR"; test "$GT_WORK_DIR" = "$(pwd -P)"; ls canary; exit 1`
	agent := "a'\"$(touch canary)`touch canary`\n;touch canary"
	report := emit(t, "session-end", agent, line("bd-1", command(show, values{"advice_hook_trigger": "session-end"})))
	if len(report.Hooks) != 1 {
		t.Fatal(report)
	}
	want := "bd-1\nsession-end\n" + agent + "\n" + agent + "\n"
	_, printed, _ := strings.Cut(report.Hooks[0].Judgement.Err, "\n")
	if got, ok := strings.CutPrefix(printed, want); !ok || !strings.Contains(got, "canary") || strings.HasPrefix(got, "canary") {
		t.Errorf("1a.7 the command sees %q, want %q and an ls that finds nothing", printed, want)
	}
}

func TestAllHooksRunBeforeABlock(t *testing.T) {
	t.Parallel()
	report := emit(t, "before-commit", polecat,
		line("bd-1", command("exit 3", values{"advice_hook_on_failure": "block", "title": "first"})),
		line("bd-2", command("exit 4", values{"advice_hook_on_failure": "block"})),
		line("bd-3", command("exit 5", values{"advice_hook_on_failure": "ignore"})),
		line("bd-4", command("exit 6", nil)),
		line("bd-5", nil),
		line("bd-6", values{"labels": []string{"rig:gastown"}}),
		line("bd-7", values{"advice_hook_trigger": "before-push"}),
	)
	var got []string
	for _, ran := range report.Hooks {
		got = append(got, ran.Info.ID+" "+string(ran.Result.Status)+" "+strconv.Itoa(ran.Result.ExitCode))
	}
	want := []string{"bd-1 blocked 3", "bd-2 blocked 4", "bd-3 failed 5", "bd-4 failed 6", "bd-5 ok 0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("1a.12 mismatch (-want +got):\n%s", diff)
	}
	if reason := `advice "first" (bd-1): exit 3`; !report.Blocked || report.Reason != reason {
		t.Errorf("1a.12 blocked %v, reason %q, want %q", report.Blocked, report.Reason, reason)
	}
}

func TestNoAgentNoHooks(t *testing.T) {
	t.Parallel()
	report := emit(t, "before-commit", "", line("bd-1", command("exit 1", values{"advice_hook_on_failure": "block"})))
	if report.Blocked || len(report.Hooks) > 0 {
		t.Errorf("1a.8 without an agent: %v", report)
	}
}

func TestTimeoutLeavesNoOrphan(t *testing.T) {
	t.Parallel()
	pids := filepath.Join(t.TempDir(), "pids")
	report := emit(t, "before-commit", polecat,
		line("bd-1", command("sleep 60 & echo $! >'"+pids+"'; wait", values{"advice_hook_timeout": 1, "advice_hook_on_failure": "block"})))
	if status := report.Hooks[0].Result.Status; status != hook.TimedOut || !report.Blocked {
		t.Errorf("1a.13 status %s, blocked %v", status, report.Blocked)
	}
	text, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if !gone(pid) {
		t.Errorf("1a.13 the command's child %d runs on", pid)
	}
}

// gone tells whether a process has ended, be it that nobody has reaped it.
func gone(pid int) bool {
	for range 200 {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if _, rest, _ := strings.Cut(string(stat), ") "); strings.HasPrefix(rest, "Z") || errors.Is(err, os.ErrNotExist) && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return true
		}
		time.Sleep(10 * time.Millisecond) // a signal that was sent takes effect
	}
	return false
}

func TestPlan(t *testing.T) {
	t.Parallel()
	f := New(Options{Agent: polecat, Issues: strings.NewReader(lines(
		line("bd-1", nil), line("bd-2", values{"labels": []string{"rig:gastown"}}), line("bd-3", values{"advice_hook_trigger": "before-push"}),
	))})
	engine := event.Engine{Dialect: f, Record: func(string) (string, hook.Recorder, error) { return "s", &recorder{}, nil }}
	plan, err := engine.Plan(context.Background(), &dialect.Event{Name: "before-commit"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range plan.Hooks {
		got = append(got, p.Info.ID)
	}
	for _, l := range plan.Left {
		got = append(got, l.Info.ID+": "+l.Reason)
	}
	want := []string{"bd-1", "bd-2: no labels that reach " + polecat, "bd-3: waits for before-push"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("1a.15 dry run mismatch (-want +got):\n%s", diff)
	}
}
