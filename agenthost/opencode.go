package agenthost

import (
	"bytes"
	_ "embed"
	"fmt"
	"time"
)

// OpenCode has no command hooks; this plugin of ours is its hook. It is a file
// of its own so that JavaScript's tools read it, and says at its top who wrote it.
//
//go:embed opencode.js
var openCodeJS []byte

const (
	openCodeArgs  = `const evalTurn = ["eval-turn", "--agent", "opencode"]`
	openCodeLimit = `const evalTurnMS = 130_000`

	// openCodeTimeout is what eval-turn assumes by itself, and the plugin allows.
	openCodeTimeout = 2 * time.Minute

	// openCodeGrace is how much longer than eval-turn's own limit the plugin
	// waits, so that only a hanging eval-turn is ended from outside.
	openCodeGrace = 10 * time.Second
)

// openCodePlugin is the plugin for an eval-turn that may take as long as
// timeout. Zero means two minutes; with these it has the same bytes in every
// repository. It is the same in the background: OpenCode never waits for plugins.
func openCodePlugin(timeout time.Duration, _ bool) []byte {
	if timeout == 0 || timeout == openCodeTimeout {
		return bytes.Clone(openCodeJS)
	}
	args := fmt.Sprintf(`const evalTurn = ["eval-turn", "--agent", "opencode", "--timeout", %q]`, timeout)
	limit := fmt.Sprintf(`const evalTurnMS = %d`, (timeout + openCodeGrace).Milliseconds())
	plugin := bytes.Replace(openCodeJS, []byte(openCodeArgs), []byte(args), 1)
	return bytes.Replace(plugin, []byte(openCodeLimit), []byte(limit), 1)
}
