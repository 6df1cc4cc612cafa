package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"discobot-hooks/agenthost"
	"discobot-hooks/internal/git"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/trust"
	"discobot-hooks/internal/wording"
	"discobot-hooks/session"
)

const (
	// agentTimeout is what connect registers.
	agentTimeout = 10 * time.Minute

	// payloadLimit is how long an agent has to write its payload. Agents write
	// it before they do anything else.
	payloadLimit = 3 * time.Second

	// endBefore is how long before the agent's limit the hooks are ended: one that
	// ignores TERM takes five seconds more, and its output one.
	endBefore = 10 * time.Second

	// maxNamed is how many hooks one message to people names.
	maxNamed = 10
)

type agentFlags struct {
	name       string
	timeout    time.Duration
	background bool
}

// startOfAgent is session --agent. Whatever goes wrong, the agent starts: what
// is an error elsewhere is a warning here.
func (a *app) startOfAgent(ctx context.Context, flags agentFlags) error {
	began := time.Now()
	host, err := agenthost.Find(flags.name)
	switch {
	case err != nil:
		return usageError{err}
	case flags.timeout <= 0:
		return usageError{fmt.Errorf("read --timeout: %v is not above 0", flags.timeout)}
	case a.off(), initRan():
		return nil
	}
	var payload agenthost.SessionStart
	if !flags.background {
		payload = a.sessionPayload(ctx)
	}
	switch {
	case !payload.Begins():
		return nil
	case os.Geteuid() == 0:
		a.warn("session hooks do not run: at an agent's start they run as the user, never as root")
		return nil
	}
	start, err := a.agentStart(host, payload)
	if err == nil && flags.background {
		err = start.RunBackground(ctx)
	} else if err == nil {
		start.Deadline = began.Add(flags.timeout - min(endBefore, flags.timeout/2))
		var begun session.Begun
		begun, err = start.Run(ctx)
		a.askTrust(host, start.Workspace.Dir, begun.Asked)
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		a.warn(strings.TrimSuffix(oneLine(err)+"; "+hintOf(err), "; "))
	}
	return nil
}

// agentStart resolves workspace and session as the payload says, but for what
// the command line does.
func (a *app) agentStart(host agenthost.Host, payload agenthost.SessionStart) (*session.AgentStart, error) {
	if a.flags.dir == "" && filepath.IsAbs(payload.Dir) {
		top, ok := git.TopLevel(payload.Dir)
		if !ok {
			top = payload.Dir
		}
		a.flags.dir = top
	}
	stage, err := a.stage(sessionFlags{})
	if err != nil {
		return nil, err
	}
	if payload.Session != "" && a.flags.session == "" {
		ws, err := stage.Workspace.InSession(payload.Session, "the agent")
		if err == nil {
			stage.Workspace = ws
		} else {
			a.warn(err.Error()) // the workspace's own session will do
		}
	}
	stage.Log = a.logger(zerolog.WarnLevel)
	ws := stage.Workspace
	return &session.AgentStart{
		Stage: stage, Trust: trust.Store{Root: ws.StateRoot},
		Background: func() error {
			return start(a.background("session", "--agent", host.Name, "--background", "--dir", ws.Dir, "--session", ws.Session))
		},
	}, nil
}

// sessionPayload reads what the agent writes. Where it writes nothing of use,
// the hooks run all the same: the directory we are in says for which workspace.
func (a *app) sessionPayload(ctx context.Context) agenthost.SessionStart {
	if isTerminal(a.in) {
		return agenthost.SessionStart{}
	}
	type answer struct {
		payload agenthost.SessionStart
		err     error
	}
	answered := make(chan answer, 1)
	go func() { // ends with the input, or with the process
		payload, err := agenthost.ReadSessionStart(a.in)
		answered <- answer{payload, err}
	}()
	ctx, cancel := context.WithTimeoutCause(ctx, payloadLimit, fmt.Errorf("read session start: nothing on stdin for %v", payloadLimit))
	defer cancel()
	select {
	case got := <-answered:
		if got.err != nil {
			a.warn(got.err.Error())
		}
		return got.payload
	case <-ctx.Done():
		a.warn(context.Cause(ctx).Error())
		return agenthost.SessionStart{}
	}
}

// askTrust names the hooks that did not run: on stderr, and where the agent
// shows people something also there.
func (a *app) askTrust(host agenthost.Host, dir string, asked []session.Asked) {
	if len(asked) == 0 {
		return
	}
	var names []string
	for i, hook := range asked {
		if i == maxNamed {
			names = append(names, fmt.Sprintf("and %d more", len(asked)-maxNamed))
			break
		}
		names = append(names, fmt.Sprintf("%s (%s)", strconv.Quote(hook.File), why(hook)))
	}
	text := fmt.Sprintf("session hooks did not run: %s. Look at what they do, then run: discobot-hooks trust --dir %s",
		strings.Join(names, ", "), wording.ShellWord(dir))
	a.warn(text)
	_, _ = a.out.Write(host.StartNote("discobot-hooks: " + plaintext.Line(text))) // the writer keeps its error
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
