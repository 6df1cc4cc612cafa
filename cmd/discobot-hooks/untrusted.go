package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"discobot-hooks/internal/plaintext"
	"discobot-hooks/internal/trust"
	"discobot-hooks/internal/workspace"
	"discobot-hooks/session"
)

// untrusted says which of the workspace's session hooks will not run at an agent's
// start for want of trust; empty where none is.
func untrusted(ws workspace.Workspace) (string, error) {
	seen, _, err := session.Look(ws)
	if err != nil || len(seen) == 0 {
		return "", err
	}
	trusted, err := trust.Store{Root: ws.StateRoot}.Of(ws.Dir)
	if err != nil {
		return "", err
	}
	var names []string
	for _, one := range seen {
		name := filepath.Base(one.Hook.File)
		if same, _ := trusted.Has(name, one.Sum); !same && whyNot(one) == "" {
			names = append(names, plaintext.Path(name))
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	return fmt.Sprintf("session hooks that nobody has trusted do not run at an agent's start: %s", strings.Join(names, ", ")), nil
}

// trustHint is the way out.
const trustHint = "look at what they do, then run: discobot-hooks trust"

// trustCheck is the doctor's line about it, where there is something to say.
func trustCheck(ws workspace.Workspace) []check {
	const name = "trust"
	message, err := untrusted(ws)
	switch {
	case err != nil:
		return []check{failed(name, err)}
	case message != "":
		return []check{{name, checkWarning, message, trustHint}}
	}
	return nil
}
