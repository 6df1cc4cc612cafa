package event

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
	"discobot-hooks/run"
)

// act runs one action within its time limit. All its processes share that.
func (e Engine) act(ctx context.Context, ev *dialect.Event, info dialect.Info, action dialect.Action, log io.Writer) dialect.Outcome {
	started := time.Now()
	limit := cmp.Or(info.Limit, info.Action.Timeout)
	if !e.Deadline.IsZero() {
		limit = min(limit, time.Until(e.Deadline))
	}
	if limit <= 0 {
		const reason = "hook was not run: the time that all hooks share was used up"
		_, _ = fmt.Fprintf(log, "[discobot-hooks: %s]\n", reason) // the log reports its own trouble
		return dialect.Outcome{Result: hook.Result{Status: hook.TimedOut, ExitCode: hook.ExitTimeout, Reason: reason, Started: started}}
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	outcome := action.Run(limited, dialect.Exec{Log: log, Process: func(p dialect.Process) dialect.Outcome {
		command := e.command(ev, info, p)
		command.Timeout = max(limit-time.Since(started), time.Millisecond)
		command.Stated = limit
		if p.Timeout > 0 && p.Timeout < command.Timeout {
			command.Timeout, command.Stated = p.Timeout, p.Timeout
		}
		return execute(ctx, command, log)
	}})
	outcome.Started = started
	outcome.Duration = time.Since(started)
	return outcome
}

func (e Engine) command(ev *dialect.Event, info dialect.Info, p dialect.Process) run.Command {
	inherited := e.Env
	if p.Isolated {
		inherited = run.BareEnv(e.Env)
	}
	env := append(inherited[:len(inherited):len(inherited)], run.HookEnv(info.Hook, ev.Session, e.Workspace)...)
	env = append(env, "DISCOBOT_HOOK_EVENT="+ev.Name)
	env = append(env, p.Env...)
	return run.Command{Path: run.LookPath(p.Argv[0], env), Args: p.Argv[1:], Dir: cmp.Or(p.Dir, e.Workspace), Env: env, Input: p.Input}
}

func execute(ctx context.Context, command run.Command, log io.Writer) dialect.Outcome {
	var out, errs kept
	command.Output, command.Stdout, command.Stderr = log, &out, &errs
	result := command.Run(ctx)
	return dialect.Outcome{Result: result, Stdout: out.bytes, Stderr: errs.bytes, Cut: out.cut}
}

// kept is the beginning of a stream.
type kept struct {
	bytes []byte
	cut   bool
}

func (k *kept) Write(p []byte) (int, error) {
	room := dialect.MaxKept - len(k.bytes)
	k.cut = k.cut || room < len(p)
	k.bytes = append(k.bytes, p[:min(room, len(p))]...)
	return len(p), nil
}
