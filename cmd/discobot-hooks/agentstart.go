package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"discobot-hooks/agenthost"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/trust"
	"discobot-hooks/internal/wording"
	"discobot-hooks/internal/workspace"
	"discobot-hooks/session"
)

// maxNamed is how many hooks one message to people names.
const maxNamed = 10

// checkStart finds what is wrong with the flags of session --agent.
func (f agentFlags) checkStart(json bool) (agenthost.Host, error) {
	host, err := agenthost.Find(f.agent)
	switch {
	case err != nil:
		return host, err
	case json:
		return host, errors.New("read --json: with --agent stdout has the agent's own form")
	case f.timeout < agenthost.MinTimeout:
		return host, fmt.Errorf("read --timeout: %v is less than %v, which it takes to end a hook that will not", f.timeout, agenthost.MinTimeout)
	}
	return host, nil
}

// startAgent is session --agent. Whatever goes wrong with us, the agent starts:
// what is an error elsewhere is a note here.
func (a *app) startAgent(ctx context.Context, asked agentFlags, host agenthost.Host) error {
	deadline := time.Now().Add(asked.timeout - agentMargin)
	if a.off() || initRan() {
		return nil
	}
	var payload agenthost.Start
	var err error
	if !asked.background && !isTerminal(a.in) {
		payload, err = agenthost.ReadStart(a.payload(ctx), host, a.getenv)
	}
	if err != nil {
		a.note(oneLine(err) + ": the session hooks of the current directory run")
	}
	switch {
	case !payload.Starts():
		return nil
	case os.Geteuid() == 0:
		a.noteRoot(payload)
		return nil
	}
	message, err := a.startHooks(ctx, asked, host, payload, deadline)
	if cause := context.Cause(ctx); cause != nil {
		return cause // a signal: nobody reads the answer
	}
	if err != nil {
		a.note(strings.TrimSuffix(oneLine(err)+"; "+hintOf(err), "; "))
	}
	if message != "" {
		a.note(message)
		message = "discobot-hooks: " + plaintext.Line(message) // others write there, too
	}
	if !asked.background {
		_, _ = a.out.Write(host.Answer("", message)) // the writer keeps its error for the end
	}
	return nil
}

// noteRoot says why nothing happens, where something would.
func (a *app) noteRoot(payload agenthost.Start) {
	if a.flags.dir == "" {
		a.flags.dir = workspace.OfAgent(payload.Dirs)
	}
	ws, err := a.workspace()
	if err != nil {
		return
	}
	if seen, _, err := session.Look(ws); err == nil && len(seen) > 0 {
		a.note("session hooks do not run: at an agent's start they run as the user, never as root")
	}
}

// startHooks runs the hooks and returns what people should know.
func (a *app) startHooks(ctx context.Context, asked agentFlags, host agenthost.Host, payload agenthost.Start, deadline time.Time) (string, error) {
	stage, err := a.stageFor(payload)
	if err != nil {
		return "", err
	}
	ws := stage.Workspace
	stage.Log = a.logger(zerolog.WarnLevel) // some agents show our stderr
	begins := &session.AgentStart{Stage: stage, Trust: trust.Store{Root: ws.StateRoot}}
	if asked.background {
		return "", begins.RunBackground(ctx)
	}
	begins.Deadline = deadline
	begins.Background = func() error {
		return start(a.background("session", "--agent", host.Name, "--background", "--dir", ws.Dir, "--session", ws.Session))
	}
	begun, err := begins.Run(ctx)
	told := []string{askTrust(ws.Dir, begun.Asked)}
	if len(begun.Failures) > 0 {
		told = append(told, fmt.Sprintf("session hooks failed: %s; their output is in %s",
			plaintext.Line(strings.Join(begun.Failures, ", ")), plaintext.Path(ws.Tilde(filepath.Join(ws.State, "output")))))
	}
	return strings.TrimPrefix(strings.Join(told, ". "), ". "), err
}

// stageFor is the stage in the workspace and session that the agent says, unless
// the command line does.
func (a *app) stageFor(payload agenthost.Start) (session.Stage, error) {
	if a.flags.dir == "" {
		a.flags.dir = workspace.OfAgent(payload.Dirs)
	}
	stage, err := a.stage(sessionFlags{})
	if err != nil || a.flags.session != "" || payload.Session == "" {
		return stage, err
	}
	ws, err := stage.Workspace.InSession(payload.Session, "the agent's payload")
	if err != nil {
		a.note(err.Error()) // the workspace's own session will do
		return stage, nil
	}
	stage.Workspace = ws
	return stage, nil
}

// askTrust names the hooks that did not run, or is empty.
func askTrust(dir string, asked []session.Asked) string {
	if len(asked) == 0 {
		return ""
	}
	var names []string
	for _, hook := range asked[:min(len(asked), maxNamed)] {
		names = append(names, fmt.Sprintf("%s (%s)", strconv.Quote(hook.File), why(hook)))
	}
	if more := len(asked) - maxNamed; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("session hooks did not run: %s. Look at what they do, then run: discobot-hooks trust --dir %s",
		strings.Join(names, ", "), wording.ShellWord(dir))
}

func why(hook session.Asked) string {
	switch {
	case hook.Unread != "":
		return hook.Unread
	case hook.Changed:
		return "changed since it was trusted"
	}
	return "not trusted yet"
}

// initRan tells whether init started all there is here: it ran the session hooks
// before the agent.
func initRan() bool {
	line, err := os.ReadFile("/proc/1/cmdline")
	return err == nil && isInit(line)
}

// isInit reads a command line as proc(5) has it.
func isInit(line []byte) bool {
	argv := strings.Split(string(bytes.TrimSuffix(line, []byte{0})), "\x00")
	if end := slices.Index(argv, "--"); end >= 0 {
		argv = argv[:end]
	}
	return len(argv) > 1 && filepath.Base(argv[0]) == "discobot-hooks" && slices.Contains(argv[1:], initName)
}
