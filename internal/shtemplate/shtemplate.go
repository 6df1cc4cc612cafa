// Package shtemplate puts values into shell commands that hold {{name}}
// templates, without ever putting one into the command's text: each template
// becomes a reference to an environment variable, quoted as its place in the
// command needs, and the value goes into the environment. What a value holds
// is then data, in any shell.
//
// [Rewrite] does it, [Check] tells before any value is there what it will
// refuse. Places where a shell has no safe reference (arithmetic, a quoted
// here-document, a name) are refused, and so is what POSIX shells and bash
// would read differently: /bin/sh may be either. For bash evaluates more than
// what looks like code: the name of a variable, what declare, local, export -a
// or a variable like RANDOM is given, what stands after >&. Such places are
// refused as a class, and where it takes an expansion to know whether a word
// makes one ([ $op {{x}} ]), as if it did. Other shells (ksh, zsh) evaluate
// still more, and are not what this is for.
//
// A warning is what is left for a command that has its arguments or its input
// parsed again (eval, sh -c, ssh, sed, or a command whose name is an
// expansion), for a variable such as PATH, and for a value put into a variable
// of the command's own that is used so later: no quoting can help, and the
// event's JSON on standard input is the way out. It takes well-known programs
// by their names, and follows a variable from one assignment to its use: not
// through read, positional parameters, functions, files or other variables,
// nor does it look into text that eval or another file runs. Also nothing
// keeps a value that begins with a hyphen from being an option of a program:
// put -- before it.
package shtemplate

import (
	"fmt"
	"strings"

	"discobot-hooks/hook"
)

// A Value is what a name stands for. A List stands for one argument an element
// where the template is a whole argument of a command or a whole item of a for
// loop (an empty one for none), and is joined by spaces everywhere else.
type Value struct {
	Text   string
	List   []string
	IsList bool
}

// A Rewritten command is safe to give to sh -c with Env added to its
// environment. Warnings begin with line:column.
type Rewritten struct {
	Command  string
	Env      []string // HOOK_T0=…
	Warnings []string
}

// A Spot is something about a template in a command. Line and Column begin at
// 1; Column counts bytes.
type Spot struct {
	Line, Column int
	Severity     hook.Severity
	Message      string
}

func (s Spot) String() string { return fmt.Sprintf("%d:%d: %s", s.Line, s.Column, s.Message) }

const wayOut = "read it from stdin as JSON instead"

// Rewrite replaces the templates that lookup knows; the others stay as they
// are, and so does the whole command, with a warning, when it does not parse
// as shell. It asks lookup once for a name. The error names line:column of the
// first template that cannot be made safe.
func Rewrite(command string, lookup func(name string) (Value, bool)) (Rewritten, error) {
	values := make(map[string]*Value) // nil: not known
	found := templates(command, func(name string) bool {
		if _, asked := values[name]; !asked {
			values[name] = nil
			if value, ok := lookup(name); ok {
				values[name] = &value
			}
		}
		return values[name] != nil
	})
	if len(found) == 0 {
		return Rewritten{Command: command}, nil
	}
	spots, parsed := check(command, found)
	out := Rewritten{Command: command}
	for _, spot := range spots {
		if spot.Severity == hook.Error {
			return Rewritten{}, fmt.Errorf("rewrite command: %s", spot)
		}
		out.Warnings = append(out.Warnings, spot.String())
	}
	if !parsed {
		return out, nil
	}
	writer := newWriter(command, values)
	if err := writer.write(found); err != nil {
		return Rewritten{}, fmt.Errorf("rewrite command: %w", err)
	}
	out.Command, out.Env = writer.out.String(), writer.env
	if err := writer.verify(); err != nil {
		return Rewritten{}, fmt.Errorf("rewrite command: %w", err)
	}
	return out, nil
}

// Check says what Rewrite will refuse (an error), or what is unsafe by itself
// (a warning), in the order of the command, taking every name as known.
func Check(command string) []Spot {
	found := templates(command, func(string) bool { return true })
	if len(found) == 0 {
		return nil
	}
	spots, _ := check(command, found)
	return spots
}

// check fills in the templates' places. Without a parse there are none.
func check(command string, found []template) (spots []Spot, parsed bool) {
	at := func(offset int, severity hook.Severity, message string) Spot {
		before := command[:offset]
		return Spot{
			Line:     1 + strings.Count(before, "\n"),
			Column:   offset - strings.LastIndex(before, "\n"),
			Severity: severity,
			Message:  message,
		}
	}
	if why := unreadable(command, found); why != "" {
		return []Spot{at(found[0].start, hook.Error, fmt.Sprintf("%s: %s; %s", found[0], why, wayOut))}, true
	}
	masked, ok := mask(command, found)
	if !ok {
		return []Spot{at(found[0].start, hook.Error, found[0].String()+": every stand-in for it occurs in the command; "+wayOut)}, true
	}
	if err := locate(masked, found); err != nil {
		offset, text := syntaxError(err, len(command))
		return []Spot{at(offset, hook.Warning, "the command does not parse as shell, so its templates stay as they are: "+text)}, false
	}
	for _, t := range found {
		switch {
		case t.place.bad != "":
			spots = append(spots, at(t.start, hook.Error, fmt.Sprintf("%s %s; %s", t, t.place.bad, wayOut)))
		case t.place.again != "":
			spots = append(spots, at(t.start, hook.Warning, fmt.Sprintf("%s %s; %s", t, t.place.again, wayOut)))
		}
	}
	return spots, true
}
