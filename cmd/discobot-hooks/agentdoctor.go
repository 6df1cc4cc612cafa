package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"discobot-hooks/agenthost"
	"discobot-hooks/frontmatter"
	"discobot-hooks/hook"
	"discobot-hooks/internal/workspace"
	"discobot-hooks/turn"
)

// agentDoctor is the part of doctor that looks at coding agents.
type agentDoctor struct {
	app       *app
	ws        workspace.Workspace
	lastFired func(stateRoot, workspace string) ([]turn.Fired, error)
	fire      bool
}

// present are the checks of the agents that the workspace shows signs of. Of one
// that does not know us that is all there is to say: nobody asked for it.
func (d agentDoctor) present() (checks []check) {
	options := d.app.placeOptions(d.ws)
	connected := false
	for _, host := range agenthost.Hosts() {
		switch {
		case host.Registered(options):
			connected = true
			checks = append(checks, d.host(host, options)...)
		case host.Present(options):
			checks = append(checks, check{host.Name, checkWarning, host.Title + " does not check its turns here", "discobot-hooks connect " + host.Name})
		}
	}
	if connected {
		checks = append(checks, trustCheck(d.ws)...)
	}
	return checks
}

// named are the checks of one agent.
func (d agentDoctor) named(ctx context.Context, name string) ([]check, error) {
	host, err := agenthost.Find(name)
	if err != nil {
		return nil, usageError{err}
	}
	options := d.app.placeOptions(d.ws)
	checks := append(d.host(host, options), d.workspaceChecks()...)
	if !d.fire {
		return checks, nil
	}
	finding, err := host.Fire(ctx, options, d.app.env)
	if err != nil {
		return nil, err
	}
	return append(checks, toCheck(host, finding)), nil
}

// workspaceChecks are what an agent's turns need of the workspace, where that is
// not in order.
func (d agentDoctor) workspaceChecks() (checks []check) {
	if state := stateCheck(d.ws); state.Status != checkOK {
		checks = append(checks, state)
	}
	set, err := frontmatter.Load(d.ws.Dir)
	if err != nil {
		checks = append(checks, failed("hooks", err))
	} else if len(set.For(hook.File)) == 0 {
		checks = append(checks, check{"hooks", checkWarning, noFileHooks, fileHookHint})
	}
	return append(checks, trustCheck(d.ws)...)
}

// What connect and doctor say of a workspace in which there is nothing to check.
const (
	noFileHooks  = "no file hook in .discobot/hooks: turns end unchecked"
	fileHookHint = "write one: an executable file with `type: file` and a `pattern` in its header"
)

func (d agentDoctor) host(host agenthost.Host, options agenthost.Options) (checks []check) {
	cwd, err := os.Getwd()
	if err != nil || d.app.flags.dir != "" {
		cwd = d.ws.Dir // who names the workspace does not say where the agent starts
	}
	if path, err := exec.LookPath("discobot-hooks"); err != nil {
		checks = append(checks, check{host.Name, checkProblem, "discobot-hooks is not in PATH, where the agent looks for it", "add its directory to PATH"})
	} else {
		checks = append(checks, check{Name: host.Name, Status: checkOK, Message: "calls " + path})
	}
	for _, finding := range host.Examine(options, cwd) {
		checks = append(checks, toCheck(host, finding))
	}
	return append(checks, d.lastFiredCheck(host))
}

func toCheck(host agenthost.Host, f agenthost.Finding) check {
	status := map[agenthost.Level]string{agenthost.OK: checkOK, agenthost.Warning: checkWarning, agenthost.Problem: checkProblem}[f.Level]
	return check{host.Name, status, f.Message, f.Hint}
}

// lastFiredCheck tells when the agent last had a turn evaluated.
func (d agentDoctor) lastFiredCheck(host agenthost.Host) check {
	all, err := d.lastFired(d.ws.StateRoot, d.ws.Dir)
	if err != nil {
		return failed(host.Name, err)
	}
	for _, fired := range all {
		if fired.Agent == host.Name {
			return check{Name: host.Name, Status: checkOK, Message: fmt.Sprintf("last evaluated a turn here at %s, in session %s: %s",
				fired.At.UTC().Format(time.RFC3339), fired.Session, fired.Result)}
		}
	}
	return check{host.Name, checkWarning, "has not evaluated a turn here yet", "let it end a turn; discobot-hooks doctor " + host.Name + " --fire tries the command meanwhile"}
}
