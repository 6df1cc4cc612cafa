package pipeline

import (
	"context"

	"discobot-hooks/dialect"
)

// command is what a shell action runs. The command is bash's as its author
// wrote it; the variables are in its environment.
type command struct {
	Command string
	Tries
	Env []string // of the process that a detached one becomes; else made of values

	values values
}

// Run implements [dialect.Action].
func (c *command) Run(ctx context.Context, exec dialect.Exec) dialect.Outcome {
	env, err := c.environ()
	if err != nil {
		return failure(err.Error())
	}
	return c.run(ctx, exec, func() dialect.Outcome {
		return exec.Process(dialect.Process{Argv: []string{"bash", "-c", c.Command}, Env: env, Timeout: c.Timeout})
	})
}

func (c *command) environ() ([]string, error) {
	if c.Env != nil {
		return c.Env, nil
	}
	return c.values.environ()
}

func (c *command) wire() (wire, error) {
	env, err := c.environ()
	if err != nil {
		return wire{}, err
	}
	return wire{Shell: &command{Command: c.Command, Tries: c.Tries, Env: env}}, nil
}
