package yamlfile

import "go.yaml.in/yaml/v3"

// maxNodes bounds what aliases make of a file: nine lines of them can stand
// for a billion nodes.
const maxNodes = 10_000

// Resolve gives a copy of n without aliases, anchors and merge keys (`<<`):
// what they stand for is in their place, at its own line. When it is not ok, a
// problem says why.
func (f *File) Resolve(n *yaml.Node) (*yaml.Node, bool) {
	r := resolver{file: f}
	out := r.copy(n, 0)
	return out, !r.failed
}

type resolver struct {
	file   *File
	nodes  int
	failed bool
}

func (r *resolver) fail(line int, format string, args ...any) {
	if !r.failed { // one reason is enough, and nothing after it is worth a word
		r.file.Errorf(line, format, args...)
	}
	r.failed = true
}

func (r *resolver) copy(n *yaml.Node, depth int) *yaml.Node {
	r.nodes++
	switch {
	case r.failed:
	case depth > maxDepth: // also an alias of what it is in
		r.fail(n.Line, "nested more than %d deep: write it flat", maxDepth)
	case r.nodes > maxNodes:
		r.fail(n.Line, "more than %d values, with what aliases (*name) stand for: write less", maxNodes)
	case n.Kind == yaml.AliasNode:
		return r.copy(n.Alias, depth+1)
	case n.Kind == yaml.ScalarNode && n.Style&yaml.TaggedStyle != 0:
		r.fail(n.Line, "tags (!name) are not supported: write the value alone, in quotes if it starts with !")
	}
	out := *n
	out.Anchor, out.Alias, out.Content = "", nil, nil
	if r.failed {
		return &out
	}
	if n.Kind == yaml.MappingNode {
		r.copyMapping(&out, n, depth)
		return &out
	}
	for _, child := range n.Content {
		out.Content = append(out.Content, r.copy(child, depth+1))
	}
	return &out
}

// copyMapping puts merged keys behind the mapping's own, which win; of several
// mappings that are merged the first wins (YAML merge key, tag:yaml.org,2002:merge).
func (r *resolver) copyMapping(out, n *yaml.Node, depth int) {
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], r.copy(n.Content[i+1], depth+1)
		if key.ShortTag() != "!!merge" {
			out.Content = append(out.Content, r.copy(key, depth+1), value)
			continue
		}
		sources := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode {
			sources = value.Content
		}
		for _, source := range sources {
			if source.Kind != yaml.MappingNode && !r.failed {
				r.fail(key.Line, "<< merges %s: name a mapping, such as <<: *name", Kind(source))
				return
			}
			merged = append(merged, source.Content...)
		}
	}
	for i := 0; i+1 < len(merged); i += 2 {
		if !hasKey(out, merged[i].Value) {
			out.Content = append(out.Content, merged[i], merged[i+1])
		}
	}
}

func hasKey(mapping *yaml.Node, key string) bool {
	for i := 0; i < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return true
		}
	}
	return false
}
