package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"discobot-hooks/dialect"
	"discobot-hooks/dialect/advice"
	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
)

const listLong = `List the workspace's hooks, in whichever format, in the order in which they run:
all, or those that wait for EVENT. Those that cannot run are named on stderr.`

const listExample = `  discobot-hooks list --json`

func (a *app) listCommand() *cobra.Command {
	var flags dialectFlags
	cmd := &cobra.Command{
		Use: "list [EVENT] [flags]", Short: "List the workspace's hooks",
		Long: listLong, Example: listExample, Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.list(cmd.Context(), strings.Join(args, ""), flags)
		},
	}
	flags.add(cmd.Flags(), "only `D`: discobot, advice, pipeline, autoagent or registry")
	return cmd
}

// list lists the hooks of an event; empty: of all.
func (a *app) list(ctx context.Context, event string, flags dialectFlags) error {
	o, err := a.open()
	if err != nil {
		return err
	}
	others, ours, err := a.chosen(o.ws, flags)
	if err != nil {
		return err
	}
	if event != "" && !hasEvent(others, ours, event) {
		return usageError{fmt.Errorf("%q is no event", event)}
	}
	var listed []listing
	if ours {
		for _, h := range o.set.Hooks {
			listed = append(listed, listing{h.Event, rowOf(h), toHookJSON(h, o.timeout(h))})
		}
	}
	for _, d := range others {
		hooks, err := a.loadOther(ctx, d, flags)
		if err != nil {
			return err
		}
		for _, h := range hooks {
			info := h.Info()
			listed = append(listed, listing{info.Event, rowOfInfo(info), infoJSON(info)})
		}
	}
	if event != "" {
		listed = slices.DeleteFunc(listed, func(l listing) bool { return string(l.event) != event })
	}
	return a.printListings(o.ws.Dir, event, listed)
}

// loadOther reads another dialect's hooks: of advice only what reaches the
// agent, where one is named.
func (a *app) loadOther(ctx context.Context, d dialect.Dialect, flags dialectFlags) ([]dialect.Hook, error) {
	set, err := d.Load()
	a.warnErrors(set.Problems)
	var unreadable *dialect.FileError
	if errors.As(err, &unreadable) { // the other formats are not to be hidden by it
		a.warn(err.Error())
		return nil, nil
	}
	if err != nil || flags.agent == "" || d.Description().Name != advice.Name {
		return set.Hooks, err
	}
	ev := &dialect.Event{DryRun: true, Warn: a.warn}
	if err := d.Open(ctx, ev); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(set.Hooks, func(h dialect.Hook) bool { return h.Match(ev) != "" }), nil
}

func hasEvent(others []dialect.Dialect, ours bool, event string) bool {
	if ours && slices.Contains(hook.Events(), hook.Event(event)) {
		return true
	}
	return slices.ContainsFunc(others, func(d dialect.Dialect) bool {
		return slices.Contains(d.Description().Events, event)
	})
}

// listing is one hook as people and programs see it.
type listing struct {
	event    hook.Event
	row      [4]string
	document any
}

func (a *app) printListings(dir, event string, listed []listing) error {
	if a.flags.json {
		hooks := make([]any, 0, len(listed))
		for _, l := range listed {
			hooks = append(hooks, l.document)
		}
		a.printJSON(map[string]any{"hooks": hooks})
		return nil
	}
	if len(listed) == 0 {
		if event != "" {
			event = "for " + event + " "
		}
		fmt.Fprintf(a.err, "discobot-hooks: list: no hooks %sin %s\n", event, plaintext.Path(dir))
		return nil
	}
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tTYPE\tRUNS\tNAME")
	for _, l := range listed {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", plaintext.Line(l.row[0]), plaintext.Line(l.row[1]), plaintext.Line(l.row[2]), plaintext.Line(l.row[3]))
	}
	return table.Flush()
}

func rowOf(h hook.Hook) [4]string { return [4]string{h.ID, h.Type(), when(h), h.Name} }

func rowOfInfo(info dialect.Info) [4]string {
	runs := "at " + string(info.Event)
	if info.Off != "" {
		runs = "never: " + info.Off
	}
	return [4]string{info.ID, info.Type(), runs, info.Name}
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
	text := "at " + string(h.Event)
	if len(h.Match.Patterns) > 0 {
		text += " of " + strings.Join(h.Match.Patterns, ", ")
	}
	return text
}
