package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/term"

	"discobot-hooks/frontmatter"
	"discobot-hooks/hook"
	"discobot-hooks/internal/account"
	"discobot-hooks/internal/lossy"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/progress"
	"discobot-hooks/internal/wording"
	"discobot-hooks/internal/workspace"
	"discobot-hooks/run"
	"discobot-hooks/status"
)

// app is one run of the program: its edges and what the command line said.
type app struct {
	stdio
	env     []string
	flags   globalFlags
	command string // the name of the command, once it is known
	started bool   // the command line was in order
	catch   func() // begins to catch signals, which takes a tenth of a millisecond
	stop    func() // ends that

	// talk is stderr for what we have to say: a log that nobody reads must
	// not hold up the start of an agent.
	talk *lossy.Writer
}

type globalFlags struct {
	dir, session        string
	json                bool
	logFormat, logLevel string
}

func (a *app) getenv(name string) string {
	for _, entry := range slices.Backward(a.env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// off tells whether DISCOBOT_HOOKS=0 switches our hooks off.
func (a *app) off() bool { return a.getenv("DISCOBOT_HOOKS") == "0" }

// workspace resolves workspace and session for whoever runs us.
func (a *app) workspace() (workspace.Workspace, error) {
	return a.workspaceOf(account.OwnHome(a.getenv))
}

func (a *app) workspaceOf(home string) (workspace.Workspace, error) {
	return workspace.Resolve(workspace.Options{Dir: a.flags.dir, Session: a.flags.session, Home: home, Getenv: a.getenv})
}

func (a *app) workspaceDir() (string, error) {
	return workspace.Dir(workspace.Options{Dir: a.flags.dir, Getenv: a.getenv})
}

// opened is what most commands begin with.
type opened struct {
	ws      workspace.Workspace
	set     frontmatter.Set
	timeout func(hook.Hook) time.Duration
}

// open resolves the workspace and reads its hooks and their time limits.
func (a *app) open() (o opened, err error) {
	if o.ws, err = a.workspace(); err != nil {
		return o, err
	}
	if o.timeout, err = a.timeouts(run.DefaultTimeout); err != nil {
		return o, err
	}
	o.set, err = a.load(o.ws)
	return o, err
}

func (a *app) store(ws workspace.Workspace) *status.Store { return status.NewStore(ws.State, a.warn) }

// load reads the workspace's hooks and names those that cannot run. What is
// merely odd is for validate to say.
func (a *app) load(ws workspace.Workspace) (frontmatter.Set, error) {
	set, err := frontmatter.Load(ws.Dir)
	a.warnErrors(set.Problems)
	return set, err
}

// timeouts returns each hook's time limit: DISCOBOT_HOOK_TIMEOUT, else the
// header's, else fallback.
func (a *app) timeouts(fallback time.Duration) (func(hook.Hook) time.Duration, error) {
	var override time.Duration
	if text := a.getenv("DISCOBOT_HOOK_TIMEOUT"); text != "" {
		var err error
		if override, err = wording.TimeLimit(text); err != nil {
			return nil, fmt.Errorf("read DISCOBOT_HOOK_TIMEOUT: %w", err)
		}
	}
	return func(h hook.Hook) time.Duration {
		switch {
		case override > 0:
			return override
		case h.Action.Timeout > 0:
			return h.Action.Timeout
		}
		return fallback
	}, nil
}

// warn tells people one line.
func (a *app) warn(text string) {
	log := a.logger(zerolog.WarnLevel)
	log.Warn().Msg(plaintext.Line(text))
}

func (a *app) progress() func(hook.Hook) run.Watcher {
	printer := progress.Printer{
		Out: a.err, Terminal: isTerminal(a.err) && a.getenv("TERM") != "dumb",
		Width: func() int {
			width, _, _ := term.GetSize(int(a.err.Fd())) // an error leaves 0: not known
			return width
		},
	}
	return printer.Watch
}

// logger logs to stderr: for people on a terminal, else one JSON document a
// line, at the level of --log-level or else the command's own.
func (a *app) logger(level zerolog.Level) zerolog.Logger {
	if parsed, err := zerolog.ParseLevel(a.flags.logLevel); err == nil && a.flags.logLevel != "" {
		level = parsed
	}
	if a.flags.logFormat == "console" || a.flags.logFormat == "" && isTerminal(a.err) {
		console := zerolog.ConsoleWriter{Out: a.talk, TimeFormat: time.TimeOnly, NoColor: a.getenv("NO_COLOR") != "" || !isTerminal(a.err)}
		return zerolog.New(console).Level(level).With().Timestamp().Logger()
	}
	return zerolog.New(a.talk).Level(level).With().Timestamp().Logger()
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// printJSON writes the command's one JSON document.
func (a *app) printJSON(document any) {
	encoder := json.NewEncoder(a.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(document) // the writer keeps its error for the end
}

// checkFlags rejects values that a flag does not have.
func (a *app) checkFlags() error {
	if format := a.flags.logFormat; format != "" && format != "json" && format != "console" {
		return usageError{fmt.Errorf("read --log-format: %q is not json or console", format)}
	}
	if level := a.flags.logLevel; level != "" {
		if _, err := zerolog.ParseLevel(level); err != nil {
			return usageError{fmt.Errorf("read --log-level: %q is not trace, debug, info, warn or error", level)}
		}
	}
	return nil
}
