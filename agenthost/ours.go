package agenthost

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// A found entry is a hook in a configuration, wherever it stands.
type found struct {
	path   []string // to its object
	object map[string]any
	line   string // its command, with arguments
	kind   int
	agent  string // what the command says behind --agent
}

// checks tells whether the entry does for this agent what one of ours does: it is
// ours, or somebody's own line that names the agent.
func (a *agent) checks(entry found, e event) bool {
	if entry.kind != compound {
		return entry.kind == ours
	}
	named, err := Find(entry.agent)
	return err == nil && named.Name == a.Name || entry.agent == "auto" && e.word == evalTurn
}

// entries are the hooks at an event, in the document's order. What has another
// type than the host's has none of ours; an edit says what is wrong there.
func (r *registration) entries(content []byte, e event) (all []found) {
	hooks := members(members(r.format.Plain(content))["hooks"])
	for i, element := range elements(hooks[e.name]) {
		at := []string{"hooks", e.name, strconv.Itoa(i)}
		if r.flat {
			all = append(all, r.entryAt(at, element, e.word)...)
			continue
		}
		for j, hook := range elements(members(element)["hooks"]) {
			all = append(all, r.entryAt(slices.Concat(at, []string{"hooks", strconv.Itoa(j)}), hook, e.word)...)
		}
	}
	return all
}

// members are an object's, by their exact names; nil where raw is no object.
func members(raw []byte) (m map[string]json.RawMessage) {
	_ = json.Unmarshal(raw, &m) // nil then
	return m
}

// elements are a list's; nil where raw is none.
func elements(raw []byte) (list []json.RawMessage) {
	_ = json.Unmarshal(raw, &list) // nil then
	return list
}

// entryAt is the entry that a hook's object is; none where it is no object.
func (r *registration) entryAt(at []string, hook []byte, word string) []found {
	var object map[string]any
	if json.Unmarshal(hook, &object) != nil || object == nil {
		return nil
	}
	f := found{path: at, object: object}
	others := false
	// Copilot takes Claude's key too, and Claude a list of arguments beside it.
	for _, key := range append([]string{"command"}, r.commands...) {
		line, _ := object[key].(string)
		if line == "" {
			continue
		}
		line += arguments(object)
		kind, agent := commandKind(line, word)
		if f.kind, others = max(f.kind, kind), others || kind == foreign; agent != "" {
			f.agent = agent
		}
		if f.line == "" {
			f.line = strings.Join(strings.Fields(line), " ")
		}
	}
	if others && f.kind == ours {
		f.kind = compound // one shell runs us, the other something else
	}
	return []found{f}
}

// arguments are those beside a command. One that is more than a word is quoted, as
// no flag of ours is.
func arguments(object map[string]any) (text string) {
	args, _ := object["args"].([]any)
	for _, arg := range args {
		word, ok := arg.(string)
		if !ok || len(strings.Fields(word)) != 1 {
			word = strconv.Quote(word)
		}
		text += " " + word
	}
	return text
}

// same tells whether the object has this member.
func same(object map[string]any, m member) bool {
	var want any
	if json.Unmarshal(jsonOf(m.value), &want) != nil {
		return false
	}
	got, there := object[m.key]
	return there && got == want
}
