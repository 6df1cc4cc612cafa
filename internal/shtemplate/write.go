package shtemplate

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Limits of the environment: Linux takes 128 KiB for one variable, and for all
// of them and the arguments a quarter of the stack, 2 MiB as a rule.
const (
	maxValue = 96 << 10
	maxTotal = 512 << 10
)

const prefix = "HOOK_T"

// A writer writes the new command.
type writer struct {
	command string
	values  map[string]*Value
	taken   map[string]bool   // numbers that the command's author uses
	vars    map[string]string // by name, or by name and index of an element
	next    int
	total   int
	refs    int
	out     strings.Builder
	env     []string
}

func newWriter(command string, values map[string]*Value) *writer {
	w := &writer{command: command, values: values, taken: make(map[string]bool), vars: make(map[string]string)}
	for rest := command; ; {
		_, after, ok := strings.Cut(rest, prefix)
		if !ok {
			return w
		}
		digits := strings.TrimLeft(after, "0123456789")
		w.taken[after[:len(after)-len(digits)]] = true
		rest = after
	}
}

func (w *writer) write(found []template) error {
	done := 0
	for _, t := range found {
		w.out.WriteString(w.command[done:t.start])
		if err := w.put(t); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		done = t.end
	}
	w.out.WriteString(w.command[done:])
	if w.out.Len() > maxCommand {
		return fmt.Errorf("the command becomes longer than %d bytes: %s", maxCommand, wayOut)
	}
	return nil
}

func (w *writer) put(t template) error {
	value := w.values[t.name]
	if t.place.whole && value.IsList {
		return w.putElements(t.name, value.List)
	}
	text := value.Text
	if value.IsList {
		if err := fits(value.List); err != nil {
			return err
		}
		text = strings.Join(value.List, " ")
	}
	ref, err := w.reference(t.name, text)
	if err != nil {
		return err
	}
	switch t.place.quote {
	case bare:
		ref = `"` + ref + `"`
	case single:
		ref = `'"` + ref + `"'`
	}
	w.out.WriteString(ref)
	return nil
}

// putElements stops at the length that write refuses, not after it.
func (w *writer) putElements(name string, list []string) error {
	for i, element := range list {
		ref, err := w.reference(name+"/"+strconv.Itoa(i), element)
		if err != nil {
			return err
		}
		if i > 0 {
			w.out.WriteByte(' ')
		}
		w.out.WriteString(`"` + ref + `"`)
		if w.out.Len() > maxCommand {
			return fmt.Errorf("a list of %d elements: %s", len(list), wayOut)
		}
	}
	return nil
}

// fits keeps a huge list from being joined before it is refused.
func fits(list []string) error {
	size := len(list) - 1
	for _, element := range list {
		size += len(element)
	}
	if size > maxValue {
		return tooLarge(size)
	}
	return nil
}

func tooLarge(size int) error {
	return fmt.Errorf("%d bytes, more than the %d that fit in an environment variable: %s", size, maxValue, wayOut)
}

// reference gives the variable that holds a text, one for each key.
func (w *writer) reference(key, text string) (string, error) {
	w.refs++
	if ref, ok := w.vars[key]; ok {
		return ref, nil
	}
	switch {
	case strings.Contains(text, "\x00"):
		return "", fmt.Errorf("a NUL byte fits in no environment variable: %s", wayOut)
	case len(text) > maxValue:
		return "", tooLarge(len(text))
	case w.total+len(text) > maxTotal:
		return "", fmt.Errorf("all values together are more than %d bytes: %s", maxTotal, wayOut)
	}
	for w.taken[strconv.Itoa(w.next)] {
		w.next++
	}
	variable := prefix + strconv.Itoa(w.next)
	w.next++
	w.total += len(text)
	w.env = append(w.env, variable+"="+text)
	w.vars[key] = "${" + variable + "}"
	return w.vars[key], nil
}

// verify reads the new command once more: every reference must be one.
func (w *writer) verify() error {
	ours := make(map[string]bool)
	for _, ref := range w.vars {
		ours[ref] = true
	}
	text := w.out.String()
	for _, lang := range []syntax.LangVariant{syntax.LangPOSIX, syntax.LangBash} {
		file, err := parse(text, lang)
		if err != nil {
			return fmt.Errorf("the result does not parse: %w", err)
		}
		refs := 0
		syntax.Walk(file, func(node syntax.Node) bool {
			if exp, ok := node.(*syntax.ParamExp); ok {
				start, end := span(exp)
				if ours[text[start:min(end, len(text))]] {
					refs++
				}
			}
			return true
		})
		if refs != w.refs {
			return errors.New("a template is lost in the result: " + wayOut)
		}
	}
	return nil
}
