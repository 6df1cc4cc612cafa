package pipeline

import (
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"discobot-hooks/internal/yamlfile"
)

// tree makes JSON values of YAML. Numbers stay as they are written where JSON
// can write them so, and what YAML alone takes for a date is text.
func tree(in yamlfile.Mapping, n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		object := make(map[string]any)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if _, twice := object[key.Value]; twice || key.Kind != yaml.ScalarNode {
				in.Errorf(key.Line, "%s is no key, or is here a second time: write each key once, as text", yamlfile.Show(key))
			}
			object[key.Value] = tree(in, n.Content[i+1])
		}
		return object
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			list[i] = tree(in, item)
		}
		return list
	}
	return scalar(in, n)
}

func scalar(in yamlfile.Mapping, n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		var b bool
		if n.Decode(&b) == nil {
			return b
		}
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return json.Number(n.Value)
		}
		var number float64
		if n.Decode(&number) == nil {
			if text, err := json.Marshal(number); err == nil {
				return json.Number(text)
			}
		}
		in.Errorf(n.Line, "JSON has no number %s: write it in quotes", yamlfile.Show(n))
	}
	return n.Value
}

// expandTree is a copy of a tree with the texts in it expanded. Keys stay: a
// value must not choose what it is the value of.
func expandTree(value any, expand func(string) string) any {
	switch value := value.(type) {
	case string:
		return expand(value)
	case []any:
		list := make([]any, len(value))
		for i, item := range value {
			list[i] = expandTree(item, expand)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(value))
		for key, item := range value {
			object[key] = expandTree(item, expand)
		}
		return object
	}
	return value
}

// leaves calls fn with each text below a node, in the order of the file.
func leaves(n *yaml.Node, fn func(*yaml.Node)) {
	if n == nil {
		return
	}
	if n.Kind == yaml.ScalarNode {
		fn(n)
		return
	}
	for i, child := range n.Content {
		if n.Kind == yaml.SequenceNode || i%2 == 1 {
			leaves(child, fn)
		}
	}
}

// callbackActions are the answers that a body offers: what stands as action
// behind ${CALLBACK_URL}?, in the order of the file.
func callbackActions(body *yaml.Node) (actions []string, mentioned bool) {
	leaves(body, func(n *yaml.Node) {
		parts := strings.Split(n.Value, "${CALLBACK_URL}")
		mentioned = mentioned || len(parts) > 1
		for _, part := range parts[1:] {
			if action := actionOf(part); action != "" && !slices.Contains(actions, action) {
				actions = append(actions, action)
			}
		}
	})
	return actions, mentioned
}
