package registry

import (
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"discobot-hooks/internal/wording"
)

// mapping is a YAML mapping by its keys. What it cannot give is a problem of
// the file. A key without a value is as good as none.
type mapping struct {
	*file
	name   string                // the key that it is the value of, with a dot; empty at the top
	line   int                   // where it starts
	keys   map[string]int        // the lines of all keys it knows; nil: it is no mapping
	values map[string]*yaml.Node // those that have a value
}

// otherNames are what people call the format's keys elsewhere.
var otherNames = map[string]string{
	"description": "summary", "event": "event_type", "events": "event_type", "env": "environments", "name": "id",
	"run": "handler", "script": "handler", "type": "kind",
}

// mapping reads n, which is one.
func (f *file) mapping(name string, n *yaml.Node, known ...string) mapping {
	m := mapping{file: f, name: name, line: n.Line, keys: make(map[string]int), values: make(map[string]*yaml.Node)}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		_, twice := m.keys[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode || !slices.Contains(known, key.Value):
			f.warnf(key.Line, "unknown key %s%s", wording.Quote(name+key.Value), wording.DidYouMean(key.Value, known, otherNames))
		case twice:
			f.errorf(key.Line, "%s%s is here a second time: take one out", name, key.Value)
		default:
			m.keys[key.Value] = key.Line
			if value.ShortTag() != "!!null" {
				m.values[key.Value] = value
			}
		}
	}
	return m
}

// wrong notes what is wrong with the value of a key.
func (m mapping) wrong(key, format string, args ...any) {
	line := m.line
	if n := m.values[key]; n != nil {
		line = n.Line
	} else if at, ok := m.keys[key]; ok {
		line = at
	}
	m.errorf(line, m.name+key+format, args...)
}

// mappingAt reads the mapping below a key. It is empty where there is none,
// and without keys where there is something else, which is a problem already.
func (m mapping) mappingAt(key string, known ...string) mapping {
	n := m.values[key]
	if n == nil {
		n = &yaml.Node{Line: max(m.line, m.keys[key])}
	} else if n.Kind != yaml.MappingNode {
		m.wrong(key, " is %s: write it with indented lines such as %s: VALUE", kind(n), known[len(known)-1])
		return mapping{file: m.file}
	}
	return m.file.mapping(m.name+key+".", n, known...)
}

// text gives a value of one piece, as it is written: `command: true` is the
// program of that name.
func (m mapping) text(key string) string {
	n := m.values[key]
	switch {
	case n == nil:
		return ""
	case n.Kind != yaml.ScalarNode:
		m.wrong(key, " is %s: write one value", kind(n))
		return ""
	case strings.ContainsRune(n.Value, 0):
		m.wrong(key, " has a NUL character, which no program can be given: take it out")
	}
	return n.Value
}

func (m mapping) boolean(key string, standard bool) bool {
	n := m.values[key]
	if n == nil {
		return standard
	}
	var b bool
	if n.ShortTag() != "!!bool" || n.Decode(&b) != nil {
		m.wrong(key, " is %s: write true or false, without quotes", show(n))
	}
	return b
}

// count gives a number that is not negative.
func (m mapping) count(key string) float64 {
	n := m.values[key]
	if n == nil {
		return 0
	}
	var number float64
	tag := n.ShortTag()
	if tag != "!!int" && tag != "!!float" || n.Decode(&number) != nil || !(number >= 0) || math.IsInf(number, 0) {
		m.wrong(key, " is %s: write a number from 0, without quotes", show(n))
		return 0
	}
	return number
}

// texts gives the items of a list, or one value alone.
func (m mapping) texts(key string) []*yaml.Node {
	n := m.values[key]
	if n == nil {
		return nil
	}
	items := n.Content
	switch n.Kind {
	case yaml.ScalarNode:
		items = []*yaml.Node{n}
	case yaml.MappingNode:
		m.wrong(key, " is %s: write a list", kind(n))
		return nil
	}
	if len(items) == 0 {
		m.wrong(key, " is an empty list: write an item, or leave %s out", key)
	}
	for _, item := range items {
		switch {
		case item.Kind != yaml.ScalarNode:
			m.errorf(item.Line, "%s%s has %s as an item: write one value", m.name, key, kind(item))
			return nil
		case item.Value == "" || item.ShortTag() == "!!null":
			m.errorf(item.Line, "%s%s has an empty item: write a value or take it out", m.name, key)
			return nil
		}
	}
	return items
}

// show is a value in a message.
func show(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return wording.Quote(n.Value)
	}
	return kind(n)
}

func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return "one value"
}
