package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
)

const listLong = `List the workspace's hooks in the order in which they run. Those that cannot run
are named on stderr.`

const listExample = `  discobot-hooks list --json`

func (a *app) listCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the workspace's hooks",
		Long: listLong, Example: listExample, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			o, err := a.open()
			if err != nil {
				return err
			}
			if a.flags.json {
				hooks := make([]hookJSON, 0, len(o.set.Hooks))
				for _, h := range o.set.Hooks {
					hooks = append(hooks, toHookJSON(h, o.timeout(h)))
				}
				a.printJSON(map[string]any{"hooks": hooks})
				return nil
			}
			return a.printHooks(o.ws.Dir, o.set.Hooks)
		},
	}
}

func (a *app) printHooks(dir string, hooks []hook.Hook) error {
	if len(hooks) == 0 {
		fmt.Fprintf(a.err, "discobot-hooks: list: no hooks in %s\n", plaintext.Path(filepath.Join(dir, hook.Dir)))
		return nil
	}
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tTYPE\tRUNS\tNAME")
	for _, h := range hooks {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", h.ID, h.Event, plaintext.Line(when(h)), plaintext.Line(h.Name))
	}
	return table.Flush()
}

// when says in a few words what the hook waits for.
func when(h hook.Hook) string {
	switch h.Event {
	case hook.Session:
		text := "as " + string(h.Action.RunAs)
		if !h.Blocking {
			text += ", in the background"
		}
		return text
	case hook.File:
		return strings.Join(h.Match.Patterns, ", ")
	}
	return "at " + string(h.Event)
}

type hookJSON struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Event       hook.Event `json:"event"`
	File        string     `json:"file"`
	Pattern     []string   `json:"pattern"`
	Ignore      []string   `json:"ignore"`
	RunAs       hook.RunAs `json:"run_as"`
	NotifyLLM   bool       `json:"notify_llm"`
	Blocking    *bool      `json:"blocking,omitempty"` // session hooks alone
	Retries     int        `json:"retries"`
	TimeoutMS   int64      `json:"timeout_ms"`
}

func toHookJSON(h hook.Hook, timeout time.Duration) hookJSON {
	document := hookJSON{
		ID: h.ID, Name: h.Name, Description: h.Description, Event: h.Event, File: h.File,
		Pattern: append([]string{}, h.Match.Patterns...), Ignore: append([]string{}, h.Match.Ignore...),
		RunAs: h.Action.RunAs, NotifyLLM: h.NotifyLLM,
		Retries: h.Action.Retries, TimeoutMS: timeout.Milliseconds(),
	}
	if h.Event == hook.Session {
		document.Blocking = &h.Blocking
	}
	return document
}
