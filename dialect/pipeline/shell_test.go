package pipeline_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/hook"
)

// shellHooks are awaited commands of one point.
func shellHooks(point string, commands ...string) string {
	out := "hooks:\n  " + point + ":\n"
	for _, command := range commands {
		quoted, _ := json.Marshal(command)
		out += "    - type: shell\n      await: true\n      command: " + string(quoted) + "\n"
	}
	return out
}

var seventeen = []string{"SESSION", "STAGE", "NEXT_STAGE", "ITERATION", "MAX_ITERATIONS", "PROGRESS", "STATUS", "CTX", "LAST_DECISION", "LAST_HOOK_STATUS", "CHANGED_FILES", "STAGE_OUTPUTS", "ERROR", "TIMESTAMP", "CALLBACK_URL", "HOOK_RESPONSE", "SPAWN_OUTPUT"}

// Facts 1b.8: the variables are those of the document, and no key of an event
// becomes another one.
func TestSeventeenVariables(t *testing.T) {
	t.Parallel()
	print := "for v in " + strings.Join(seventeen, " ") + "; do printf '%s=%s|' \"$v\" \"${!v-unset}\"; done; printf '%s' \"$PATH_IS\" \"$EVIL\" \"$BASH_ENV\""
	data := map[string]any{
		"session": "s", "stage": "work", "next_stage": "deploy", "iteration": json.Number("10"), "max_iterations": json.Number("25"),
		"progress": "p.md", "status": "s.json", "ctx": "c.json", "last_decision": "continue", "last_hook_status": "success",
		"changed_files": []any{"a b", "c"}, "stage_outputs": map[string]any{"a": []any{json.Number("1")}}, "error": "boom",
		"callback_url": "http://evil.example", "hook_response": "{\"action\":\"x\"}", "spawn_output": "[]\x00",
		"evil": "1", "EVIL": "1", "path": "/evil", "bash_env": "/evil",
	}
	for _, tt := range []struct {
		point string
		data  map[string]any
		want  string
	}{
		{"on_error", data, "SESSION=s|STAGE=work|NEXT_STAGE=deploy|ITERATION=10|MAX_ITERATIONS=25|PROGRESS=p.md|STATUS=s.json|CTX=c.json|LAST_DECISION=continue|LAST_HOOK_STATUS=success|CHANGED_FILES=a b\nc|STAGE_OUTPUTS={\"a\":[1]}|ERROR=boom|TIMESTAMP=2026-03-04T05:06:07Z|CALLBACK_URL=|HOOK_RESPONSE={\"action\":\"x\"}|SPAWN_OUTPUT=[]|"},
		{"on_iteration_complete", map[string]any{"error": "only in on_error", "timestamp": "then"}, "SESSION=ws-1|STAGE=|NEXT_STAGE=|ITERATION=|MAX_ITERATIONS=|PROGRESS=|STATUS=|CTX=|LAST_DECISION=|LAST_HOOK_STATUS=|CHANGED_FILES=|STAGE_OUTPUTS=|ERROR=|TIMESTAMP=then|CALLBACK_URL=|HOOK_RESPONSE=|SPAWN_OUTPUT=|"},
	} {
		t.Run(tt.point, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, map[string]string{"loop.yaml": shellHooks(tt.point, print)})
			p.options.Env = append(p.options.Env, "STAGE=of the caller", "ERROR=of the caller") // and not of the event
			report := p.emit(tt.point, tt.data)
			if diff := cmp.Diff(tt.want, report.Hooks[0].Judgement.Out); diff != "" {
				t.Errorf("environment mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// Facts 6, rule A: nothing is substituted; the shell expands.
func TestValuesAreNoShellText(t *testing.T) {
	t.Parallel()
	evil := "'; touch pwned; \"$(touch pwned)`touch pwned`\n$STAGE ${STAGE}"
	p := newPlace(t, map[string]string{"loop.yaml": shellHooks("on_error", `printf '%s' "${ERROR}" "${#STAGE}" '${STAGE}' "${NOPE:-none}"; for f in $CHANGED_FILES; do echo "[$f]"; done`)})
	report := p.emit("on_error", map[string]any{"error": evil, "stage": "abc", "changed_files": []any{"x", "y"}})
	want := evil + "3${STAGE}none[x]\n[y]\n"
	if diff := cmp.Diff(want, report.Hooks[0].Judgement.Out); diff != "" {
		t.Errorf("output mismatch (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(p.options.Workspace, "pwned")); err == nil {
		t.Error("a value ran as a command")
	}
}

// Facts 6, size: a value that execve would refuse is whole in a file.
func TestLongValueIsInAFile(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 100_000)
	p := newPlace(t, map[string]string{"loop.yaml": shellHooks("on_error", `printf '%s' "${#ERROR}" " "; wc -c < "$ERROR_FILE"; cmp <(printf %s "$ERROR") <(head -c 98304 "$ERROR_FILE"); printf %s "${STAGE_FILE-unset}"`)})
	report := p.emit("on_error", map[string]any{"error": long, "stage": "short"})
	if got := report.Hooks[0].Judgement.Out; got != "49152 200000\nunset" && got != "98304 200000\nunset" {
		t.Errorf("output %q, status %v", got, report.Hooks[0].Result)
	}
}

func TestWhatCarriesOver(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"loop.yaml": shellHooks("on_error", "printf '<%s>' \"$LAST_HOOK_STATUS\"; exit 3", "printf '<%s>' \"$LAST_HOOK_STATUS\"") +
		"    - {type: shell, await: true, command: 'false', when: \"${LAST_HOOK_STATUS} == 'failed'\"}\n" +
		"    - {type: shell, await: true, command: 'printf \"<%s>\" \"$LAST_HOOK_STATUS\"'}\n"})
	report := p.emit("on_error", map[string]any{"last_hook_status": "earlier", "hook_response": "kept", "spawn_output": "also"})
	var out []string
	for _, ran := range report.Hooks {
		out = append(out, ran.Judgement.Out)
	}
	if diff := cmp.Diff([]string{"<earlier>", "<failed>", "", "<success>"}, out); diff != "" {
		t.Errorf("1b.7 LAST_HOOK_STATUS mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]hook.Status{hook.Failed, hook.OK, hook.Skipped, hook.OK}, statuses(report)); diff != "" {
		t.Errorf("statuses mismatch (-want +got):\n%s", diff)
	}
	want := map[string]any{"last_hook_status": "success", "hook_response": "kept", "spawn_output": "also"}
	if diff := cmp.Diff(want, report.Result); diff != "" {
		t.Errorf("result mismatch (-want +got):\n%s", diff)
	}
}

func TestFailure(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, keys, command string
		want                hook.Status
		blocked             bool
		reason              string
		runs                int
	}{
		{"continue by default", "", "exit 3", hook.Failed, false, "exit 3", 1},
		{"abort", "on_failure: abort", "exit 3", hook.Blocked, true, "hook stage-workspace-on_error-1 failed: exit 3", 1},
		{"abort after a time limit", "{on_failure: abort, timeout: 0.2}", "sleep 60", hook.TimedOut, true, "hook stage-workspace-on_error-1 failed: hook timed out after 200ms and was killed", 1},
		{"a time limit", "timeout: 0.2", "sleep 60", hook.TimedOut, false, "hook timed out after 200ms and was killed", 1},
		{"retries that fail", "{on_failure: retry, retries: 2, retry_delay: 0}", "exit 3", hook.Failed, false, "exit 3", 3},
		{"three retries by default", "{on_failure: retry, retry_delay: 0}", "exit 3", hook.Failed, false, "exit 3", 4},
		{"a retry that succeeds", "{on_failure: retry, retry_delay: 0}", "test $(wc -l < runs) -eq 2", hook.OK, false, "", 2},
		{"no retries without retry", "retries: 3", "exit 3", hook.Failed, false, "exit 3", 1},
		{"each attempt has the time limit", "{on_failure: retry, retries: 1, retry_delay: 0, timeout: 0.2}", "sleep 60", hook.TimedOut, false, "hook timed out after 200ms and was killed", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			keys := strings.ReplaceAll(strings.Trim(tt.keys, "{}"), ", ", "\n      ")
			p := newPlace(t, map[string]string{"loop.yaml": shellHooks("on_error", "echo run >> runs; "+tt.command) + "      " + keys + "\n"})
			started := time.Now()
			report := p.emit("on_error", nil)
			ran := report.Hooks[0]
			if ran.Result.Status != tt.want || report.Blocked != tt.blocked || ran.Result.Reason != tt.reason {
				t.Errorf("status %s, blocked %v, reason %q; want %s, %v, %q", ran.Result.Status, report.Blocked, ran.Result.Reason, tt.want, tt.blocked, tt.reason)
			}
			if runs := strings.Count(p.read("runs"), "run"); runs != tt.runs {
				t.Errorf("ran %d times, want %d", runs, tt.runs)
			}
			if time.Since(started) > 30*time.Second {
				t.Error("it waited for a process that should be dead")
			}
		})
	}
}

func TestRetryDelay(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"loop.yaml": shellHooks("on_error", "date +%s%N >> at; exit 1") + "      on_failure: retry\n      retries: 1\n      retry_delay: 0.5\n"})
	p.emit("on_error", nil)
	first, second, _ := strings.Cut(strings.TrimSpace(p.read("at")), "\n")
	var a, b json.Number = json.Number(first), json.Number(second)
	from, _ := a.Int64()
	to, _ := b.Int64()
	if waited := time.Duration(to - from); waited < 500*time.Millisecond {
		t.Errorf("waited %v between attempts, want half a second at least", waited)
	}
	if log := p.log.String(); !strings.Contains(log, "=== Attempt 1/2 ===\n=== Attempt 2/2 ===\n") {
		t.Errorf("log %q", log)
	}
}

func TestWrongConditionSkipsAndIsTold(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, when, told string }{
		{"no condition", "${ITERATION} = 10", "hook stage-workspace-on_error-1 is skipped: when: column"},
		{"no number", "${ITERATION} % 2 == 0", "hook stage-workspace-on_error-1 is skipped: when: "},
		{"an unknown name", "${NOPE} == 'x'", "hook stage-workspace-on_error-1 is skipped: when: column"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			quoted, _ := json.Marshal(tt.when)
			p := newPlace(t, map[string]string{"loop.yaml": shellHooks("on_error", "exit 1") + "      on_failure: abort\n      when: " + string(quoted) + "\n"})
			report := p.emit("on_error", map[string]any{"iteration": "x"})
			if len(report.Hooks) != 1 || report.Hooks[0].Result.Status != hook.Skipped || report.Blocked {
				t.Errorf("report %+v, want a skipped hook", report)
			}
			if len(p.warned) != 1 || !strings.HasPrefix(p.warned[0], tt.told) {
				t.Errorf("told %q, want %q", p.warned, tt.told)
			}
		})
	}
}

// Facts 4: bash's own way of conditions would run what a value says.
func TestValueDoesNotChangeACondition(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"loop.yaml": shellHooks("on_error", "true") + "      when: \"${STAGE} == 'x'\"\n"})
	for _, evil := range []string{"x' == 'x' || '1' == '1", "x'", "' || true || '", "x\\"} {
		if report := p.emit("on_error", map[string]any{"stage": evil}); report.Hooks[0].Result.Status != hook.Skipped {
			t.Errorf("stage %q holds", evil)
		}
	}
	if report := p.emit("on_error", map[string]any{"stage": "x"}); report.Hooks[0].Result.Status != hook.OK {
		t.Errorf("stage x does not hold: %v", report.Hooks[0].Result)
	}
}
