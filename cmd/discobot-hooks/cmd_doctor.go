package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"discobot-hooks/frontmatter"
	"discobot-hooks/gitinstall"
	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/workspace"
	"discobot-hooks/turn"
)

const doctorLong = `Look at what the hooks need and say what is wrong: git, the git hook and what may
have displaced it, the binary that it calls, hooks that cannot run, the state
directory. Each check is one line, with the way out. Nothing is changed. The exit
code is 1 where there is a problem.

Of a coding agent it says whether that runs us at the end of a turn, and when it
last did: of AGENT alone, else of each that this workspace shows signs of. --fire
runs the command that the agent has registered, with a payload of the agent's form
and a state directory of its own: hooks run as at the end of a turn.`

const doctorExample = `  discobot-hooks doctor
  discobot-hooks doctor claude-code --fire`

// How a check ended.
const (
	checkOK      = "ok"
	checkWarning = "warning" // works, but not as meant
	checkProblem = "problem" // something does not work
)

// check is one line of the doctor's.
type check struct {
	Name    string `json:"name"`
	Status  string `json:"status"`
	Message string `json:"message"`
	Hint    string `json:"hint"` // the way out; empty where there is nothing to do
}

const installHint = "discobot-hooks install"

func (a *app) doctorCommand() *cobra.Command {
	var fire bool
	cmd := &cobra.Command{
		Use: "doctor [AGENT]", Short: "Say what keeps the hooks from running",
		Long: doctorLong, Example: doctorExample, Args: cobra.MaximumNArgs(1), ValidArgs: agentNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if fire && len(args) == 0 {
				return usageError{errors.New("read --fire: whose hook? name the agent")}
			}
			ws, err := a.workspace()
			if err != nil {
				return err
			}
			d := agentDoctor{app: a, ws: ws, lastFired: turn.LastFired, fire: fire}
			var checks []check
			if len(args) == 0 {
				checks = append(a.examine(cmd.Context(), ws), d.present()...)
			} else if checks, err = d.named(cmd.Context(), args[0]); err != nil {
				return err
			}
			if a.flags.json {
				a.printJSON(map[string]any{"checks": checks})
			}
			var sick bool
			for _, c := range checks {
				sick = sick || c.Status == checkProblem
				if !a.flags.json {
					fmt.Fprintln(a.out, c.line())
				}
			}
			if sick {
				return exitCode(exitFailed)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&fire, "fire", false, "run the command that AGENT has registered, as AGENT would")
	return cmd
}

func (c check) line() string {
	line := fmt.Sprintf("%-7s  %s: %s", c.Status, c.Name, plaintext.Line(c.Message))
	if c.Hint != "" {
		line += "; to mend it: " + plaintext.Line(c.Hint)
	}
	return line
}

func (a *app) examine(ctx context.Context, ws workspace.Workspace) []check {
	installer := a.installer(ws.Dir)
	checks := []check{gitCheck(ctx, installer)}
	set, err := frontmatter.Load(ws.Dir)
	checks = append(checks, hooksChecks(set, err)...)
	if checks[0].Status != checkProblem {
		checks = append(checks, a.gitHookChecks(ctx, installer, opened{ws: ws, set: set})...)
	}
	return append(checks, stateCheck(ws))
}

func gitCheck(ctx context.Context, installer gitinstall.Installer) check {
	version, err := installer.GitVersion(ctx)
	if err != nil {
		return failed("git", err)
	}
	return check{Name: "git", Status: checkOK, Message: "version " + version.String()}
}

// failed is a check that an error ended, with the error's own way out.
func failed(name string, err error) check {
	c := check{Name: name, Status: checkProblem, Message: err.Error()}
	var hint interface{ Hint() string }
	if errors.As(err, &hint) {
		c.Hint = hint.Hint()
	}
	return c
}

// hooksChecks names each hook that cannot run.
func hooksChecks(set frontmatter.Set, err error) (checks []check) {
	if err != nil {
		return []check{failed("hooks", err)}
	}
	for _, problem := range set.Problems {
		if problem.Severity == hook.Error {
			checks = append(checks, check{"hooks", checkProblem, problem.String(), "discobot-hooks validate says all"})
		}
	}
	if len(checks) == 0 {
		checks = append(checks, check{Name: "hooks", Status: checkOK, Message: fmt.Sprintf("%d can run", len(set.Hooks))})
	}
	return checks
}

// gitHookChecks compares what the workspace needs with what git runs.
func (a *app) gitHookChecks(ctx context.Context, installer gitinstall.Installer, o opened) (checks []check) {
	const name = "git hook"
	wanted, err := a.gitHooks(ctx, installer, o)
	if err != nil {
		return []check{failed(name, err)}
	}
	state, err := installer.Check(ctx)
	if err != nil {
		if len(wanted) == 0 {
			return []check{{Name: name, Status: checkOK, Message: "none is needed: " + err.Error()}}
		}
		return []check{failed(name, err)}
	}
	for _, d := range state.Displaced {
		checks = append(checks, displacedCheck(name, d))
	}
	for _, want := range wanted {
		displaced := slices.ContainsFunc(state.Displaced, func(d gitinstall.Displaced) bool { return d.Hook == want })
		if !displaced && !slices.Contains(state.Running, want) {
			checks = append(checks, check{name, checkProblem, notInstalled(want, state), installHint})
		}
	}
	for _, running := range state.Running {
		if !slices.Contains(wanted, running) {
			checks = append(checks, check{name, checkWarning, running + " is installed, and the workspace has no hooks for it", installHint})
		}
	}
	if len(checks) == 0 {
		checks = append(checks, check{Name: name, Status: checkOK, Message: running(state)})
	}
	return append(checks, binaryCheck(state, installer.Binary)...)
}

func displacedCheck(name string, d gitinstall.Displaced) check {
	c := check{name, checkProblem, d.Hook + " does not run: " + d.Message, d.Hint}
	if d.Called {
		c.Status, c.Message = checkWarning, d.Hook+" runs only if another manager calls it: "+d.Message
	}
	return c
}

func notInstalled(name string, state gitinstall.State) string {
	if state.Binary != "" {
		return name + " was installed, and is gone from " + state.Dir
	}
	return name + " is not installed"
}

func running(state gitinstall.State) string {
	where := state.Dir
	if state.Config {
		where = "git's configuration"
	}
	if len(state.Running) == 0 {
		return "none is needed"
	}
	return fmt.Sprintf("git runs %s from %s", strings.Join(state.Running, ", "), where)
}

// binaryCheck looks at what the note beside the hooks names.
func binaryCheck(state gitinstall.State, own string) []check {
	const name = "binary"
	info, err := os.Stat(state.Binary)
	switch {
	case state.Binary == "":
		return nil // nothing is installed, or git's configuration names it
	case errors.Is(err, fs.ErrNotExist) || err == nil && (!info.Mode().IsRegular() || info.Mode()&0o111 == 0):
		return []check{{name, checkProblem, "the git hook calls " + state.Binary + ", which is not there", installHint}}
	case err != nil:
		return []check{failed(name, err)}
	case own != "" && own != state.Binary:
		return []check{{name, checkWarning, "the git hook calls " + state.Binary + ", this is " + own, installHint}}
	}
	return []check{{Name: name, Status: checkOK, Message: state.Binary}}
}

// stateCheck asks the kernel, without a trace: what is not there yet will be
// made in the first directory above it that is.
func stateCheck(ws workspace.Workspace) check {
	const name = "state"
	dir := ws.State
	for {
		_, err := os.Stat(dir)
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: dir, Err: unix.ENOTDIR}
	}
	if err == nil {
		if access := unix.Access(dir, unix.W_OK|unix.X_OK); access != nil {
			err = &fs.PathError{Op: "write", Path: dir, Err: access}
		}
	}
	if err != nil {
		return check{name, checkProblem, "make " + ws.State + ": " + err.Error(), "mend HOME, let the user who runs the hooks write there, or set DISCOBOT_STATE_DIR"}
	}
	return check{Name: name, Status: checkOK, Message: ws.Tilde(ws.State)}
}
