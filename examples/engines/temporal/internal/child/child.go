// Package child has what temporal-engine and temporal-worker tell each other
// about a child pipeline. Start at [Child], which goes out, and [Ending], which
// comes back.
//
// It does not promise that either side can trust the other: who may start
// workflows in the namespace may run pipelines as the worker's user.
package child

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// Child is one child pipeline to be run: the argument of the workflow and of
// its activity.
type Child struct {
	SessionDir string `json:"sessionDir"` // absolute, no link in it
	Pipeline   string `json:"pipeline"`
	Inputs     []byte `json:"inputs"`    // a JSON document, byte by byte: JSON in JSON could grow sixfold
	Workspace  string `json:"workspace"` // absolute

	// Heartbeat is for how long a worker may be silent before it counts as
	// lost and another one starts over.
	Heartbeat time.Duration `json:"heartbeat"`
	// Timeout is for how long all attempts may take together.
	Timeout time.Duration `json:"timeout"`
}

// Check tells what makes a child impossible to run, wherever that is.
func (c Child) Check() error {
	switch {
	case !filepath.IsAbs(c.SessionDir):
		return fmt.Errorf("session directory %q: not absolute", c.SessionDir)
	case !filepath.IsAbs(c.Workspace):
		return fmt.Errorf("workspace %q: not absolute", c.Workspace)
	case c.Pipeline == "" || strings.HasPrefix(c.Pipeline, "-"):
		return fmt.Errorf("pipeline %q: not a name", c.Pipeline)
	case !json.Valid(c.Inputs):
		return errors.New("inputs: not a JSON document")
	case c.Heartbeat < time.Second || c.Timeout < time.Second:
		return errors.New("time limits: less than a second")
	}
	return nil
}

// WorkflowID is the same for each start of a child in the same directory, which
// is how a repeated start finds the one at work. The task queue is part of it,
// since it stands for a file system: two machines may well have directories of
// the same name.
func (c Child) WorkflowID(taskQueue string) string {
	return "discobot-child-" + digest(taskQueue, c.SessionDir)
}

// Fingerprint differs between children that want something else of the same
// directory. Time limits do not count.
func (c Child) Fingerprint() string {
	return digest(c.Pipeline, string(c.Inputs), c.Workspace)
}

func digest(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(sum, "%d:%s", len(part), part) // lengths, so that no two lists look alike
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
