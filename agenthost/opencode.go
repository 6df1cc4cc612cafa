package agenthost

import (
	_ "embed"
	"time"
)

//go:embed opencode.js
var openCodeSource []byte

// openCodePlugin is the plugin's text.
func openCodePlugin(time.Duration, bool) []byte { return openCodeSource }
