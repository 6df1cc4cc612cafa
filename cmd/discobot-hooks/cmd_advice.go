package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"discobot-hooks/dialect"
	"discobot-hooks/dialect/advice"
	"discobot-hooks/event"
)

const adviceLong = `Add and list advice: issues of type "advice" in .beads/issues.jsonl, which may
have a command to run at the end of a session, or before a commit, a push or a
handoff. emit and install --advice run them.`

const adviceExample = `  discobot-hooks advice add "Always run tests" --rig beads --hook-command "make test" --hook-trigger before-commit
  discobot-hooks advice list`

func (a *app) adviceCommand() *cobra.Command {
	return group(
		&cobra.Command{Use: "advice", Short: "Add and list advice and its hooks", Long: adviceLong, Example: adviceExample},
		a.adviceAddCommand(), a.adviceListCommand(), a.adviceHooksCommand(),
	)
}

func (a *app) adviceAddCommand() *cobra.Command {
	var addition advice.Addition
	var file string
	var priority int
	cmd := &cobra.Command{
		Use: "add TITLE [flags]", Short: "Add advice, with or without a hook",
		Long:    "Append advice to the workspace's issues. Every other line of the file stays as it is.",
		Example: adviceExample[:len(adviceExample)-len("\n  discobot-hooks advice list")], Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			addition.Title = args[0]
			addition.TimeoutSet = cmd.Flags().Changed("hook-timeout")
			if cmd.Flags().Changed("priority") {
				addition.Priority = &priority
			}
			for _, name := range []string{"rig", "role", "agent", "label"} {
				if flag := cmd.Flags().Lookup(name); flag.Changed && strings.Trim(flag.Value.String(), "[]") == "" {
					return usageError{fmt.Errorf("read --%s: it is empty: without any target the advice would be for every agent", name)}
				}
			}
			if err := addition.Validate(); err != nil {
				return usageError{err}
			}
			path, err := a.issuesFile(file)
			if err != nil {
				return err
			}
			id, err := advice.Add(cmd.Context(), path, addition, time.Now(), a.getenv("BD_ACTOR"))
			if err != nil {
				return err
			}
			if a.flags.json {
				a.printJSON(map[string]string{"id": id, "file": path})
				return nil
			}
			fmt.Fprintf(a.out, "added %s\n", id)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&file, "file", "", "the `FILE` of issues; else .beads/issues.jsonl")
	flags.StringVar(&addition.ID, "id", "", "the new `ID`; else one is made")
	flags.StringVar(&addition.Description, "description", "", "more than the title says")
	flags.StringVar(&addition.Rig, "rig", "", "for the agents of this `RIG`")
	flags.StringVar(&addition.Role, "role", "", "for the agents in this `ROLE`")
	flags.StringVar(&addition.Agent, "agent", "", "for this `AGENT` alone")
	flags.StringSliceVar(&addition.Labels, "label", nil, "further `LABELS`; without any target it is global")
	flags.IntVar(&priority, "priority", 2, "0 to 4; 0 runs first")
	flags.StringVar(&addition.HookCommand, "hook-command", "", "shell `COMMAND` to run")
	flags.StringVar(&addition.HookTrigger, "hook-trigger", "", "when: session-end, before-commit, before-push or before-handoff")
	flags.IntVar(&addition.HookTimeout, "hook-timeout", advice.AdviceHookTimeoutDefault, "`SECONDS`, 1 to 300")
	flags.StringVar(&addition.HookOnFailure, "hook-on-failure", "", "block, warn or ignore; else warn")
	return cmd
}

func (a *app) issuesFile(file string) (string, error) {
	if file != "" {
		return file, nil
	}
	dir, err := a.workspaceDir()
	return filepath.Join(dir, ".beads", "issues.jsonl"), err
}

func (a *app) adviceListCommand() *cobra.Command {
	var flags dialectFlags
	cmd := &cobra.Command{
		Use: "list [flags]", Short: "List advice, for an agent or all",
		Long:    "List open advice in the order in which its hooks run: all or, with --agent or BD_ACTOR, what reaches that agent.",
		Example: "  discobot-hooks advice list --agent beads/polecats/quartz", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			ws, err := a.workspace()
			if err != nil {
				return err
			}
			options := a.adviceOptions(ws, flags)
			list, problems, err := advice.List(options)
			a.warnErrors(problems)
			if err != nil {
				return err
			}
			if a.flags.json {
				a.printJSON(map[string]any{"advice": append([]advice.Advice{}, list...)})
				return nil
			}
			for _, item := range list {
				fmt.Fprintln(a.out, item)
			}
			return nil
		},
	}
	flags.addAdvice(cmd.Flags())
	return cmd
}

func (a *app) adviceHooksCommand() *cobra.Command {
	var flags dialectFlags
	var trigger string
	var dryRun bool
	cmd := &cobra.Command{
		Use: "hooks [flags]", Short: "List the hooks of advice that apply",
		Long:    "List the hooks of advice: those that reach the agent or, where none is named, all.",
		Example: "  discobot-hooks advice hooks --trigger session-end --dry-run --agent beads/polecats/quartz", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if trigger != "" && !slices.Contains(advice.ValidAdviceHookTriggers, trigger) {
				return usageError{fmt.Errorf("read --trigger: %q is not session-end, before-commit, before-push or before-handoff", trigger)}
			}
			return a.adviceHooks(cmd, flags, trigger, dryRun)
		},
	}
	flags.addAdvice(cmd.Flags())
	cmd.Flags().StringVar(&trigger, "trigger", "", "only those of this `TRIGGER`")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would run, and why the rest would not")
	return cmd
}

// adviceHooks is list or, dry, emit with the document's own words.
func (a *app) adviceHooks(cmd *cobra.Command, flags dialectFlags, trigger string, dryRun bool) error {
	flags.dialect = advice.Name
	if !dryRun {
		flags.agent = cmp.Or(flags.agent, a.getenv("BD_ACTOR"))
		return a.list(cmd.Context(), trigger, flags)
	}
	return a.adviceDryRun(cmd.Context(), flags, trigger)
}

// adviceDryRun tells what would run at the trigger; empty: at each.
func (a *app) adviceDryRun(ctx context.Context, flags dialectFlags, trigger string) error {
	triggers := advice.ValidAdviceHookTriggers
	if trigger != "" {
		triggers = []string{trigger}
	}
	ws, err := a.workspace()
	if err != nil {
		return err
	}
	warn := a.warn // once: the next trigger would only repeat it
	var documents []eventJSON
	for _, name := range triggers {
		spoken := advice.New(a.adviceOptions(ws, flags))
		ev := &dialect.Event{Name: name, Data: map[string]any{}, Time: time.Now(), Session: a.flags.session, Warn: warn}
		engine := a.engine(ws, spoken)
		if len(documents) > 0 {
			engine.Found = nil // likewise
		}
		plan, err := engine.Plan(ctx, ev)
		if err != nil {
			return err
		}
		plan.Left = slices.DeleteFunc(plan.Left, func(l event.Left) bool { return string(l.Info.Event) != name })
		documents = append(documents, planDocument(ev, spoken, plan))
		if !a.flags.json {
			fmt.Fprintf(a.out, "%s:\n", name)
			a.printPlan(ev, spoken, plan)
		}
		warn = func(string) {}
	}
	if a.flags.json {
		a.printJSON(map[string]any{"events": documents})
	}
	return nil
}
