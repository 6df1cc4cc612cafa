package main

import (
	"fmt"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"discobot-hooks/agenthost"
	"discobot-hooks/hook"
	"discobot-hooks/internal/plaintext"
	"discobot-hooks/turn"
)

const evalTurnName = "eval-turn"

const evalTurnLong = `Evaluate the end of an LLM turn: run the file hooks whose pattern matches what
changed since the last evaluation, and those still pending.

Where all pass, nothing is printed and the exit code is 0. Where one fails, the
message for the LLM is on stdout and the exit code is 2; after three re-prompts
in a row the LLM may stop: a warning, and exit code 0. A failed hook stays
pending until it passes.

With --agent it is a coding agent's end-of-turn hook (see connect): it reads the
agent's JSON on stdin, answers in that agent's form, and exits with 0 whatever the
answer, or with --background with 2 for a message on stderr.`

const evalTurnExample = `  discobot-hooks eval-turn --turn user || echo "send stdout to the LLM"
  echo '{"session_id":"s1","cwd":"'$PWD'"}' | discobot-hooks eval-turn --agent claude-code`

func (a *app) evalTurnCommand() *cobra.Command {
	var options turn.Options
	var began string
	var asked agentFlags
	cmd := &cobra.Command{
		Use: evalTurnName + " [flags]", Short: "Run the file hooks that a turn's changes call for",
		Long: evalTurnLong, Example: evalTurnExample, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if options.Turn, err = turn.ParseTurn(began); err != nil {
				return usageError{err}
			}
			if !cmd.Flags().Changed("agent") {
				for _, name := range []string{"timeout", "background"} {
					if cmd.Flags().Changed(name) {
						return usageError{fmt.Errorf("read --%s: it goes with --agent", name)}
					}
				}
				return a.evalTurn(cmd, options)
			}
			if err := asked.check(a.flags.json); err != nil {
				return usageError{err}
			}
			return a.evalAgentTurn(cmd, asked, options)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&began, "turn", "", "who began the turn: `user` or hook; else hook if the last evaluation asked for a re-prompt")
	flags.BoolVar(&options.KeepGoing, "keep-going", false, "run all pending hooks and report every failure in one message")
	flags.StringVar(&asked.agent, "agent", "", "the coding agent that asks, by `NAME`, or auto: its payload tells")
	flags.DurationVar(&asked.timeout, "timeout", agenthost.DefaultTimeout, "with --agent, how long the agent waits for us: hooks end before")
	flags.BoolVar(&asked.background, "background", false, "with --agent, the agent does not wait: it takes a message on stderr and exit code 2")
	return cmd
}

func (a *app) evalTurn(cmd *cobra.Command, options turn.Options) error {
	outcome := turn.Outcome{Verdict: hook.Proceed}
	if !a.off() {
		o, err := a.open()
		if err != nil {
			return err
		}
		if outcome, err = a.evaluator(o).Evaluate(cmd.Context(), options); err != nil {
			return err
		}
	}
	if a.flags.json {
		a.printJSON(outcomeJSON(outcome))
	} else if outcome.Message != "" {
		fmt.Fprintln(a.out, outcome.Message)
	}
	if outcome.Verdict == hook.Reprompt {
		return exitCode(exitBlocked)
	}
	return nil
}

func (a *app) evaluator(o opened) turn.Evaluator {
	return turn.Evaluator{
		Workspace: o.ws, Store: a.store(o.ws), Hooks: o.set.For(hook.File), Broken: o.set.Broken,
		Env: a.env, Timeout: o.timeout, Watch: a.progress(), Warn: a.warn,
	}
}

func outcomeJSON(o turn.Outcome) any {
	hooks := make([]ranJSON, 0, len(o.Results))
	for _, ran := range o.Results {
		hooks = append(hooks, toRanJSON(ran.Hook, ran.Result))
	}
	changed := make([]string, 0, len(o.Changed))
	for _, path := range o.Changed {
		if !utf8.ValidString(path) {
			path = plaintext.Path(path) // two names must not become one
		}
		changed = append(changed, path)
	}
	return struct {
		Verdict hook.Verdict `json:"verdict"`
		Message string       `json:"message"`
		Attempt int          `json:"attempt"`
		Changed []string     `json:"changed"`
		Hooks   []ranJSON    `json:"hooks"`
	}{o.Verdict, o.Message, o.Attempt, changed, hooks}
}
