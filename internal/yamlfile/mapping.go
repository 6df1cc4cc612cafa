package yamlfile

import (
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"discobot-hooks/internal/wording"
)

// A Mapping is a YAML mapping by its keys. What it cannot give is a problem of
// the file. A key without a value is as good as none.
type Mapping struct {
	*File
	name   string                // the key that it is the value of, with a dot; empty at the top
	line   int                   // where it starts
	keys   map[string]int        // the lines of all keys it knows; nil: it is no mapping
	values map[string]*yaml.Node // those that have a value
}

// Keys are those that a mapping can have.
type Keys struct {
	Known []string

	// Elsewhere are other names that people know for them.
	Elsewhere map[string]string

	// Foreign tells that others may have keys of their own here, so that an
	// unknown one is no mistake.
	Foreign bool
}

// Name is a key as problems call it.
func (m Mapping) Name(key string) string { return m.name + key }

// Line is where the mapping starts.
func (m Mapping) Line() int { return m.line }

// Is tells whether it is a mapping at all.
func (m Mapping) Is() bool { return m.keys != nil }

// Value is that of a key; nil where there is none.
func (m Mapping) Value(key string) *yaml.Node { return m.values[key] }

// LineOf is that of a key; the mapping's own where the key is not there.
func (m Mapping) LineOf(key string) int {
	if line, ok := m.keys[key]; ok {
		return line
	}
	return m.line
}

// Mapping reads n, which is one. The name is what problems put before its keys.
func (f *File) Mapping(name string, n *yaml.Node, keys Keys) Mapping {
	m := Mapping{File: f, name: name, line: n.Line, keys: make(map[string]int), values: make(map[string]*yaml.Node)}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		_, twice := m.keys[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode || !slices.Contains(keys.Known, key.Value):
			if !keys.Foreign {
				f.Warnf(key.Line, "unknown key %s%s", wording.Quote(name+key.Value), wording.DidYouMean(key.Value, keys.Known, keys.Elsewhere))
			}
		case twice:
			f.Errorf(key.Line, "%s%s is here a second time: take one out", name, key.Value)
		default:
			m.keys[key.Value] = key.Line
			if value.Kind == yaml.AliasNode { // where aliases are allowed at all
				value = value.Alias
			}
			if value.ShortTag() != "!!null" {
				m.values[key.Value] = value
			}
		}
	}
	return m
}

// Wrong notes what is wrong with the value of a key.
func (m Mapping) Wrong(key, format string, args ...any) {
	line := m.line
	if n := m.values[key]; n != nil {
		line = n.Line
	} else if at, ok := m.keys[key]; ok {
		line = at
	}
	m.Errorf(line, m.name+key+format, args...)
}

// MappingAt reads the mapping below a key. It is empty where there is none,
// and without keys where there is something else, which is a problem already.
func (m Mapping) MappingAt(key string, keys Keys) Mapping {
	n := m.values[key]
	if n == nil {
		n = &yaml.Node{Line: max(m.line, m.keys[key])}
	} else if n.Kind != yaml.MappingNode {
		m.Wrong(key, " is %s: write it with indented lines such as %s: VALUE", Kind(n), keys.Known[len(keys.Known)-1])
		return Mapping{File: m.File}
	}
	return m.File.Mapping(m.name+key+".", n, keys)
}

// Text gives a value of one piece, as it is written: `command: true` is the
// program of that name.
func (m Mapping) Text(key string) string {
	n := m.values[key]
	switch {
	case n == nil:
		return ""
	case n.Kind != yaml.ScalarNode:
		m.Wrong(key, " is %s: write one value", Kind(n))
		return ""
	case strings.ContainsRune(n.Value, 0):
		m.Wrong(key, " has a NUL character, which no program can be given: take it out")
	}
	return n.Value
}

// Boolean gives true or false.
func (m Mapping) Boolean(key string, standard bool) bool {
	n := m.values[key]
	if n == nil {
		return standard
	}
	var b bool
	if n.ShortTag() != "!!bool" || n.Decode(&b) != nil {
		m.Wrong(key, " is %s: write true or false, without quotes", Show(n))
	}
	return b
}

// Count gives a number that is not negative.
func (m Mapping) Count(key string) float64 {
	n := m.values[key]
	if n == nil {
		return 0
	}
	var number float64
	tag := n.ShortTag()
	if tag != "!!int" && tag != "!!float" || n.Decode(&number) != nil || !(number >= 0) || math.IsInf(number, 0) {
		m.Wrong(key, " is %s: write a number from 0, without quotes", Show(n))
		return 0
	}
	return number
}

// Texts gives the items of a list, or one value alone.
func (m Mapping) Texts(key string) []*yaml.Node {
	n := m.values[key]
	if n == nil {
		return nil
	}
	items := n.Content
	switch n.Kind {
	case yaml.ScalarNode:
		items = []*yaml.Node{n}
	case yaml.MappingNode:
		m.Wrong(key, " is %s: write a list", Kind(n))
		return nil
	}
	if len(items) == 0 {
		m.Wrong(key, " is an empty list: write an item, or leave %s out", key)
	}
	for _, item := range items {
		switch {
		case item.Kind != yaml.ScalarNode:
			m.Errorf(item.Line, "%s%s has %s as an item: write one value", m.name, key, Kind(item))
			return nil
		case item.Value == "" || item.ShortTag() == "!!null":
			m.Errorf(item.Line, "%s%s has an empty item: write a value or take it out", m.name, key)
			return nil
		}
	}
	return items
}

// Show is a value in a message.
func Show(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return wording.Quote(n.Value)
	}
	return Kind(n)
}

// Kind says what a node is.
func Kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return "one value"
}
