package jsonedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// A place is where a path leads: to value, which is list if it is one; or, where
// rest is not empty, to object, which lacks the rest.
type place struct {
	object *hujson.Object // whose member index value is; nil: it is a list's element
	index  int
	value  hujson.Value
	list   *hujson.Array
	rest   []string // the first is for object, the others for objects in it

	// The line on which list begins, or else object: its indentation, and
	// whether other entries stand before it on that line.
	indent string
	inline bool
}

// find follows a path to a list.
func (d *document) find(path []string) (place, error) {
	if len(path) == 0 {
		return place{}, errors.New("no path to a list")
	}
	at, err := d.findMember(path)
	if err == nil && at.rest == nil && at.list == nil {
		err = d.mismatch(at.value, path, "a list")
	}
	return at, err
}

// findMember follows a path to an object's member. Where a list is on the way,
// the next name is the number of one of its elements, from 0.
func (d *document) findMember(path []string) (at place, err error) {
	v := d.root
	for depth, name := range path {
		if list, ok := v.Value.(*hujson.Array); ok && depth > 0 {
			index, err := strconv.Atoi(name)
			if err != nil || index < 0 || index >= len(list.Elements) {
				return place{}, d.mismatch(v, path[:depth], "an object")
			}
			at = at.follow(list.Elements[index].BeforeExtra)
			v = list.Elements[index]
			at.object, at.value = nil, v
			at.list, _ = v.Value.(*hujson.Array)
			continue
		}
		object, ok := v.Value.(*hujson.Object)
		if !ok {
			return place{}, d.mismatch(v, path[:depth], "an object")
		}
		index, err := d.member(object, path[:depth+1])
		if err != nil {
			return place{}, err
		}
		at.object, at.index, at.list = object, index, nil
		if index < 0 {
			at.rest = path[depth:]
			return at, nil
		}
		m := object.Members[index]
		at = at.follow(m.Name.BeforeExtra, m.Value.BeforeExtra)
		v = m.Value
		at.value = v
		at.list, _ = v.Value.(*hujson.Array)
	}
	return at, nil
}

// follow notes on which line an entry begins that has this before it.
func (at place) follow(leads ...hujson.Extra) place {
	at.inline = true
	for _, lead := range leads {
		if indent, broken := indentation(lead); broken {
			at.indent, at.inline = indent, false
		}
	}
	return at
}

// member is the index of the member that path's last name means, or -1. Of two
// with that name readers take one or the other, so neither can be edited.
func (d *document) member(object *hujson.Object, path []string) (int, error) {
	found := -1
	for i, m := range object.Members {
		if m.Name.Value.(hujson.Literal).String() != path[len(path)-1] {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("%s: %s is there a second time", d.position(m.Name.StartOffset), strings.Join(path, "."))
		}
		found = i
	}
	return found, nil
}

func (d *document) mismatch(v hujson.Value, path []string, want string) error {
	name := "the document"
	if len(path) > 0 {
		name = strings.Join(path, ".")
	}
	return fmt.Errorf("%s: %s is %s, not %s", d.position(v.StartOffset), name, kind(v), want)
}

func kind(v hujson.Value) string {
	switch v.Value.Kind() {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case '0':
		return "a number"
	default: // null, true, false
		return v.Value.(hujson.Literal).String()
	}
}

func (d *document) position(offset int) string { return position(d.content, offset) }

func position(content []byte, offset int) string {
	line, column := Position(content, offset)
	return fmt.Sprintf("line %d, column %d", line, column)
}

// Position counts lines and characters up to an offset, from 1.
func Position(content []byte, offset int) (line, column int) {
	before := content[:min(offset, len(content))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
}

// syntaxError gives encoding/json's error a place, and says what people may
// have meant.
func (f Format) syntaxError(content []byte, err error) error {
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return err
	}
	// The offset counts the bytes read, with the wrong one if there is one.
	wrong := len(content)
	if !strings.HasPrefix(err.Error(), "unexpected end") {
		wrong = max(int(syntax.Offset)-1, 0)
	}
	return fmt.Errorf("%s: %w%s", position(content, wrong), err, hint(f.Plain(content)[:wrong], content[wrong:]))
}

func hint(before, rest []byte) string {
	closing := bytes.HasPrefix(rest, []byte("}")) || bytes.HasPrefix(rest, []byte("]"))
	switch {
	case bytes.HasPrefix(rest, []byte("/")):
		return " (JSON has no comments)"
	case closing && bytes.HasSuffix(bytes.TrimRight(before, " \t\r\n"), []byte(",")):
		return " (JSON has no comma behind the last entry)"
	}
	return ""
}
