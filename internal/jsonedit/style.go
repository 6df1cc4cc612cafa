package jsonedit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// A style is how a document is laid out, as far as it shows.
type style struct {
	newline string
	unit    string // one level of indentation
	colon   string // behind a colon
	comma   string // behind a comma within a line
	pad     string // inside the braces of an object within a line
}

// learn takes each trait from the first place that shows it: the list that is
// edited, then the whole document.
func learn(d *document, at place) style {
	var seen traits
	if at.list != nil {
		for _, e := range at.list.Elements {
			seen.addAll(e)
		}
	}
	seen.addAll(d.root)
	s := style{newline: "\n", unit: seen.unit.or("  "), colon: seen.colon.or(" "), pad: seen.pad.or("")}
	s.comma = seen.comma.or(s.colon)
	if before, _, found := strings.Cut(string(d.content), "\n"); found && strings.HasSuffix(before, "\r") {
		s.newline = "\r\n"
	}
	return s
}

type traits struct{ unit, colon, comma, pad trait }

func (t *traits) addAll(root hujson.Value) {
	for v := range root.All() {
		if leads, closing := edges(v.Value); len(leads) > 0 {
			t.add(v.Value, leads, *closing)
		}
	}
}

func (t *traits) add(c hujson.ValueTrimmed, leads []*hujson.Extra, closing hujson.Extra) {
	inner, broken := indentation(*leads[0])
	outer, closed := indentation(closing)
	if deeper, ok := strings.CutPrefix(inner, outer); ok && broken && closed && deeper != "" {
		t.unit.see(deeper)
	}
	for _, lead := range leads[1:] {
		t.comma.seeInline(*lead)
	}
	if object, ok := c.(*hujson.Object); ok {
		t.pad.seeInline(*leads[0])
		t.colon.seeInline(object.Members[0].Value.BeforeExtra)
	}
}

// A trait is what was seen first.
type trait struct {
	text string
	seen bool
}

func (t *trait) see(text string) {
	if !t.seen {
		t.text, t.seen = text, true
	}
}

func (t *trait) seeInline(space hujson.Extra) {
	if _, broken := indentation(space); !broken && !commented(space) {
		t.see(string(space))
	}
}

func (t *trait) or(otherwise string) string {
	if t.seen {
		return t.text
	}
	return otherwise
}

// insertElement puts value into the list. In a list of objects on one line
// each, it is one more.
func (s style) insertElement(d *document, at place, index int, value hujson.ValueTrimmed) {
	dense := false
	for _, e := range at.list.Elements {
		if leads, _ := edges(e.Value); len(leads) > 0 {
			dense = !slices.Contains(d.content[e.StartOffset:e.EndOffset], '\n')
		}
	}
	lead := s.makeRoom(at.list, index, at.indent, at.inline)
	indent, broken := indentation(lead)
	s.layOut(value, indent, dense || !broken)
	at.list.Elements = slices.Insert(at.list.Elements, index, hujson.Value{BeforeExtra: lead, Value: value})
}

// addMember puts value, and the objects that the path to it lacks, at the end of
// the object.
func (s style) addMember(at place, value hujson.ValueTrimmed) {
	for _, name := range slices.Backward(at.rest[1:]) {
		value = &hujson.Object{Members: []hujson.ObjectMember{member(name, value)}}
	}
	lead := s.makeRoom(at.object, len(at.object.Members), at.indent, at.inline)
	indent, broken := indentation(lead)
	s.layOut(value, indent, !broken)
	added := member(at.rest[0], value)
	added.Name.BeforeExtra, added.Value.BeforeExtra = lead, hujson.Extra(s.colon)
	at.object.Members = append(at.object.Members, added)
}

func member(name string, value hujson.ValueTrimmed) hujson.ObjectMember {
	return hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)}, Value: hujson.Value{Value: value}}
}

// makeRoom returns the white space that goes before a new entry at index, and
// changes that of the neighbours at need. indent and inline are those of the
// line that an empty container stands on. Comments before the closing bracket
// come before an entry at the end.
func (s style) makeRoom(c hujson.ValueTrimmed, index int, indent string, inline bool) hujson.Extra {
	leads, closing := edges(c)
	if len(leads) == 0 {
		lead, end := s.breaks(c, indent, inline)
		if commented(*closing) {
			return s.behindComments(closing, lead, indent+s.unit)
		}
		*closing = end
		return lead
	}
	between := *leads[min(max(index, 1), len(leads)-1)]
	if indent, broken := indentation(between); broken {
		between = hujson.Extra(s.newline + indent) // without the empty lines
	} else if len(leads) == 1 || commented(between) {
		between = hujson.Extra(s.comma)
	}
	if index == len(leads) && commented(*closing) {
		outer, _ := indentation(*closing)
		return s.behindComments(closing, between, outer+s.unit)
	}
	if index > 0 {
		return between
	}
	first := *leads[0]
	*leads[0] = between
	return first
}

// behindComments moves the comments before a closing bracket to before the new
// last entry, which a line comment puts on a line of its own.
func (s style) behindComments(closing *hujson.Extra, lead hujson.Extra, indent string) hujson.Extra {
	comments := bytes.TrimRight(*closing, blanks)
	*closing = (*closing)[len(comments):]
	if _, broken := indentation(lead); !broken && lineOpen(comments) {
		lead = hujson.Extra(s.newline + indent)
	}
	return slices.Concat(comments, lead)
}

// breaks is what goes before a container's first entry, and behind the last.
func (s style) breaks(c hujson.ValueTrimmed, indent string, inline bool) (lead, closing hujson.Extra) {
	switch {
	case !inline:
		return hujson.Extra(s.newline + indent + s.unit), hujson.Extra(s.newline + indent)
	case c.Kind() == '{':
		return hujson.Extra(s.pad), hujson.Extra(s.pad)
	}
	return nil, nil
}

// layOut gives a value this style, whatever it had. indent is that of the line
// it begins on.
func (s style) layOut(v hujson.ValueTrimmed, indent string, inline bool) {
	leads, closing := edges(v)
	if closing == nil {
		return
	}
	if len(leads) == 0 {
		*closing = nil
		return
	}
	lead, end := s.breaks(v, indent, inline)
	*closing = end
	for i := range leads {
		*leads[i] = lead
		if inline && i > 0 {
			*leads[i] = hujson.Extra(s.comma)
		}
	}
	inner := indent + s.unit
	switch c := v.(type) {
	case *hujson.Object:
		for i := range c.Members {
			m := &c.Members[i]
			m.Name.AfterExtra, m.Value.BeforeExtra, m.Value.AfterExtra = nil, hujson.Extra(s.colon), nil
			s.layOut(m.Value.Value, inner, inline)
		}
	case *hujson.Array:
		for i := range c.Elements {
			c.Elements[i].AfterExtra = nil
			s.layOut(c.Elements[i].Value, inner, inline)
		}
	}
}

// edges are the white space before each entry of a container and that before
// its closing bracket; nil where v is no container.
func edges(v hujson.ValueTrimmed) (leads []*hujson.Extra, closing *hujson.Extra) {
	switch c := v.(type) {
	case *hujson.Object:
		for i := range c.Members {
			leads = append(leads, &c.Members[i].Name.BeforeExtra)
		}
		closing = &c.AfterExtra
	case *hujson.Array:
		for i := range c.Elements {
			leads = append(leads, &c.Elements[i].BeforeExtra)
		}
		closing = &c.AfterExtra
	}
	return leads, closing
}
