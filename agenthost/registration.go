package agenthost

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"discobot-hooks/internal/jsonedit"
)

// What a host runs of ours. The program has no path, and the text is the same in
// every release, because Codex trusts a hook by a hash over command and time-out.
const (
	program     = "discobot-hooks"
	evalTurn    = "eval-turn"
	sessionWord = "session"
)

// DefaultTimeout is how long a host lets an evaluation take where nobody asks
// for another limit; StartTimeout is for the hooks at a session's start, which
// install dependencies. MinTimeout leaves hooks some seconds, and us those to end
// them in.
const (
	DefaultTimeout = 2 * time.Minute
	StartTimeout   = 10 * time.Minute
	MinTimeout     = 15 * time.Second
)

// A registration says where and in what form a host's configuration names hooks.
type registration struct {
	project   []string // the file below the workspace
	user      []string // the file below the user's directory of that agent
	home      string   // that directory, below the home
	homeVar   string   // the variable that names that directory instead; empty: none
	ownFile   bool     // the file is for us alone
	format    jsonedit.Format
	byteOrder bool // a byte order mark before the document is fine

	stop, start string // names of the events
	flat        bool   // entries stand in the event's list, without groups
	matcher     string // the group's, for start; empty: none

	commands   []string // the keys that hold the command
	typed      bool     // an entry says "type": "command"
	guard      string   // what follows our command at the end of a turn
	named      bool     // an entry has a name, for lists
	timeout    string   // the key of the time limit
	unit       time.Duration
	version    bool     // the document says "version": 1
	extra      []member // further members of an entry at stop
	background []member // those that make it run beside the next turn; nil: the host cannot
}

// A member is a key of an object and its value.
type member struct {
	key   string
	value any // a string, bool or number
}

// noReprompt makes every failure of ours one that the host merely reports.
const noReprompt = " || exit 1"

// registrationOf is that of the host with this name; nil for OpenCode, whose
// configuration names no commands.
func registrationOf(name string) *registration {
	r := &registration{commands: []string{"command"}, typed: true, timeout: "timeout", unit: time.Second, stop: "Stop", start: "SessionStart"}
	switch name {
	case ClaudeCode:
		r.project, r.user = []string{".claude", "settings.json"}, []string{"settings.json"}
		r.home, r.homeVar, r.byteOrder = ".claude", "CLAUDE_CONFIG_DIR", true
		r.matcher, r.background = "startup|resume", []member{{"asyncRewake", true}}
	case Codex:
		r.project, r.user = []string{".codex", "hooks.json"}, []string{"hooks.json"}
		r.home, r.homeVar, r.matcher = ".codex", "CODEX_HOME", "startup|resume"
	case GeminiCLI:
		r.project, r.user = []string{".gemini", "settings.json"}, []string{".gemini", "settings.json"}
		// It strips comments before it parses. It compares a session start's
		// matcher as a whole: "startup|resume" matches nothing there.
		r.homeVar, r.format.Comments, r.named, r.unit = "GEMINI_CLI_HOME", true, true, time.Millisecond
		// It takes an exit code of 2 and more with text on stderr for a re-prompt,
		// also the shell's own 127 where we are not installed: without end.
		r.stop, r.guard = "AfterAgent", noReprompt
	case QwenCode:
		r.project, r.user = []string{".qwen", "settings.json"}, []string{"settings.json"}
		r.home, r.homeVar = ".qwen", "QWEN_HOME"
		r.format.Comments, r.named, r.unit = true, true, time.Millisecond
	case CopilotCLI:
		r.project, r.user = []string{".github", "hooks", program + ".json"}, []string{"hooks", program + ".json"}
		r.home, r.homeVar, r.ownFile, r.version = ".copilot", "COPILOT_HOME", true, true
		r.stop, r.start, r.flat = "agentStop", "sessionStart", true
		r.commands, r.timeout = []string{"bash", "powershell"}, "timeoutSec"
	case Cursor:
		r.project, r.user = []string{".cursor", "hooks.json"}, []string{"hooks.json"}
		r.home, r.version, r.typed = ".cursor", true, false
		r.stop, r.start, r.flat = "stop", "sessionStart", true
		r.extra = []member{{"loop_limit", 5}}
	case Goose:
		r.project = []string{".agents", "plugins", program, "hooks", "hooks.json"}
		r.user, r.homeVar, r.ownFile = r.project, "GOOSE_PATH_ROOT", true
	default:
		return nil
	}
	return r
}

// path is where the host looks for the file.
func (a *agent) path(user bool) string {
	if !user {
		return filepath.Join(append([]string{a.Workspace}, a.project...)...)
	}
	dir := filepath.Join(a.Home, a.home)
	if named := a.Getenv(a.homeVar); a.homeVar != "" && filepath.IsAbs(named) {
		dir = named
	}
	return filepath.Join(append([]string{dir}, a.user...)...)
}

// An event is one of the two that a host tells us of.
type event struct {
	name    string // the host's
	word    string // our command
	entry   []member
	matcher string
}

// events are what connect registers.
func (a *agent) events() []event {
	stop := a.entry(a.stopCommand(), a.limit())
	stop = append(stop, a.extra...)
	if a.Options.Background {
		stop = append(stop, a.background...)
	}
	return []event{
		{name: a.stop, word: evalTurn, entry: stop},
		{name: a.start, word: sessionWord, entry: a.entry(program+" "+sessionWord+" --agent "+a.Name, StartTimeout), matcher: a.matcher},
	}
}

// stopCommand is the same text for the same options, come what may.
func (a *agent) stopCommand() string {
	words := []string{program, evalTurn, "--agent", a.Name}
	if a.limit() != DefaultTimeout {
		words = append(words, "--timeout", a.limit().String())
	}
	if a.Options.Background {
		words = append(words, "--background")
	}
	return strings.Join(words, " ") + a.guard
}

func (r *registration) entry(command string, limit time.Duration) (entry []member) {
	if r.named {
		entry = append(entry, member{"name", program})
	}
	if r.typed {
		entry = append(entry, member{"type", "command"})
	}
	for _, key := range r.commands {
		entry = append(entry, member{key, command})
	}
	return append(entry, member{r.timeout, int64(limit / r.unit)})
}

// element is what stands in the event's list: the entry, in a group of its own
// where the host has groups.
func (r *registration) element(e event) []byte {
	entry := object(e.entry)
	if r.flat {
		return entry
	}
	hooks := fmt.Appendf(nil, `"hooks":[%s]}`, entry)
	if e.matcher == "" {
		return slices.Concat([]byte("{"), hooks)
	}
	return slices.Concat(fmt.Appendf(nil, `{"matcher":%s,`, jsonOf(e.matcher)), hooks)
}

func object(members []member) []byte {
	var parts []string
	for _, m := range members {
		parts = append(parts, string(jsonOf(m.key))+":"+string(jsonOf(m.value)))
	}
	return []byte("{" + strings.Join(parts, ",") + "}")
}

func jsonOf(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // strings, bools and whole numbers are all that members have
	}
	return text
}
