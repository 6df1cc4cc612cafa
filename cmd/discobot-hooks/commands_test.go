package main

import (
	"testing"

	"github.com/spf13/cobra"
)

// A command under another name than its own would be found only where all are
// made.
func TestCommandsAreFoundByTheirNames(t *testing.T) {
	t.Parallel()
	a := &app{stdio: stdio{out: &resultWriter{}}}
	all := a.rootCommand(nil)
	for _, c := range a.commands() {
		alone := a.rootCommand([]string{c.name})
		if cmd, _, err := alone.Find([]string{c.name}); err != nil || cmd == alone || cmd.Name() != c.name {
			t.Errorf("%s alone gives %v, %v", c.name, cmd.Name(), err)
		}
		if cmd, _, err := all.Find([]string{c.name}); err != nil || cmd == all || cmd.Name() != c.name {
			t.Errorf("%s among all gives %v, %v", c.name, cmd.Name(), err)
		}
	}
	if made, want := len(all.Commands()), len(a.commands())+1; made != want { // completion
		t.Errorf("%d commands, want %d: %v", made, want, names(all))
	}
}

func names(root *cobra.Command) (out []string) {
	for _, cmd := range root.Commands() {
		out = append(out, cmd.Name())
	}
	return out
}
