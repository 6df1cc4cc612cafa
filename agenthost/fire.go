package agenthost

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// fireSession is the session of [Host.Fire], nobody else's.
const fireSession = "discobot-hooks-doctor"

// Fire runs the registered command as the agent does at the end of a turn: by
// sh -c, in the workspace, with a payload of its form on stdin. The state
// directory is a temporary one, so that no session's is touched; the hooks are
// the workspace's own, and see all that is dirty as changed. env is the
// environment to run it in.
func (h Host) Fire(ctx context.Context, o Options, env []string) (Finding, error) {
	a := h.in(&o)
	line, limit := a.fireLine()
	if line == "" {
		return Finding{Problem, a.Title + " does not know us: there is nothing to fire", "discobot-hooks connect " + a.Name}, nil
	}
	state, err := os.MkdirTemp("", "discobot-hooks-fire-")
	if err != nil {
		return Finding{}, err
	}
	defer os.RemoveAll(state)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than %v", limit))
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.Env = a.Workspace, a.fireEnv(env, state)
	cmd.Stdin = bytes.NewReader(a.firePayload())
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // for what a child of it still holds
	err = cmd.Run()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // none of it is left, mostly
	}
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.Is(err, exec.ErrWaitDelay):
		err = errors.New("a child of it keeps stdout open, and agents wait for that")
	}
	return a.fired(line, err, stdout.Bytes(), stderr.String()), nil
}

// fireLine is the command and the time that the agent gives it.
func (a *agent) fireLine() (line string, limit time.Duration) {
	for _, path := range a.registered() {
		f, err := openConfig(path)
		if err != nil {
			continue
		}
		if a.Name == OpenCode {
			line := pluginLine(f.content)
			return line, event{word: evalTurn}.limit(line)
		}
		entry := a.own(f)[0] // registered has seen it
		limit, there := a.timeoutOf(entry)
		if !there {
			limit = DefaultTimeout
		}
		return entry.line, limit
	}
	return "", 0
}

// fireEnv is the environment of somebody's shell, made that of the agent.
func (a *agent) fireEnv(env []string, state string) []string {
	others := []string{"CLAUDECODE", "COPILOT_CLI"}
	for _, host := range Hosts() {
		others = append(others, host.dirVariables...)
	}
	for _, name := range others {
		env = append(env, name+"=")
	}
	for _, name := range a.dirVariables {
		env = append(env, name+"="+a.Workspace)
	}
	if a.Name == CopilotCLI {
		env = append(env, "COPILOT_CLI=1")
	}
	return append(env, "DISCOBOT_STATE_DIR="+state)
}

// firePayload is the least that the agent writes at the end of a turn.
func (a *agent) firePayload() []byte {
	p := map[string]any{"session_id": fireSession, "cwd": a.Workspace, "hook_event_name": "Stop", "stop_hook_active": false}
	switch a.Name {
	case ClaudeCode:
		p["prompt_id"], p["background_tasks"], p["session_crons"] = fireSession, []any{}, []any{}
	case Codex:
		p["turn_id"] = fireSession
	case GeminiCLI:
		p["hook_event_name"], p["prompt"], p["prompt_response"] = "AfterAgent", "", ""
	case QwenCode:
		p["prompt_id"], p["background_tasks"], p["crons"] = fireSession, []any{}, []any{}
	case CopilotCLI:
		p = map[string]any{"sessionId": fireSession, "cwd": a.Workspace, "stopReason": "end_turn", "stop_hook_active": false}
	case Cursor:
		p = map[string]any{"conversation_id": fireSession, "generation_id": fireSession, "hook_event_name": "stop",
			"cursor_version": "0", "workspace_roots": []string{a.Workspace}, "status": "completed", "loop_count": 0}
	case OpenCode:
		p = map[string]any{"directory": a.Workspace, "worktree": a.Workspace,
			"event": map[string]any{"type": "session.idle", "properties": map[string]any{"sessionID": fireSession}}}
	case Goose:
		p = map[string]any{"event": "Stop", "session_id": fireSession, "working_dir": a.Workspace}
	}
	return encode(p)
}

// fired says what came back.
func (a *agent) fired(line string, err error, stdout []byte, stderr string) Finding {
	first, _, _ := strings.Cut(strings.TrimSpace(stderr), "\n")
	var answer struct {
		Decision, Reason string
		Followup         string `json:"followup_message"`
	}
	var exit *exec.ExitError
	what := "fired `" + line + "`: "
	stdout = bytes.TrimSpace(stdout)
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == 2 && strings.Contains(line, "--background"):
		return Finding{OK, what + "it wakes the agent: " + first, ""}
	case errors.As(err, &exit):
		return Finding{Problem, fmt.Sprintf("%sexit code %d: %s", what, exit.ExitCode(), first), ""}
	case err != nil:
		return Finding{Problem, what + err.Error(), ""}
	case len(stdout) > 0 && json.Unmarshal(stdout, &answer) != nil:
		return Finding{Problem, what + "it prints what is no answer", "update " + program + " in PATH"}
	case first != "":
		return Finding{Warning, what + first, ""}
	case answer.Reason+answer.Followup != "":
		reason, _, _ := strings.Cut(answer.Reason+answer.Followup, "\n")
		return Finding{OK, what + "it sends the model back to work: " + reason, ""}
	}
	return Finding{OK, what + "the agent may stop", ""}
}
