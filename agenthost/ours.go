package agenthost

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A command in somebody's configuration is one of these.
const (
	foreign  = iota
	ours     // it runs one of our commands, whoever wrote it
	compound // it does that and more, so that no edit of ours may touch it
)

// commandKind tells what a command line is. word is our subcommand that counts.
func commandKind(line, word string) int {
	words := strings.Fields(line)
	at := slices.IndexFunc(words, isProgram)
	if at < 0 || !slices.Contains(words[at+1:], word) {
		return foreign
	}
	if strings.ContainsAny(line, ";|&<>()`\n") {
		return compound
	}
	return ours
}

// isProgram tells of the bare name, a path to it, and either in quotes.
func isProgram(word string) bool {
	name := path.Base(strings.ReplaceAll(strings.Trim(word, `"'`), `\`, "/"))
	return strings.TrimSuffix(name, ".exe") == program
}

// A found entry is a hook in a configuration, wherever it stands.
type found struct {
	path   []string // to its object
	object map[string]any
	line   string // its command, with arguments
	kind   int
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
	// Copilot takes Claude's key too, and Claude a list of arguments beside it.
	for _, key := range append([]string{"command"}, r.commands...) {
		line, _ := object[key].(string)
		args, _ := object["args"].([]any)
		for _, arg := range args {
			text, _ := arg.(string)
			line += " " + text
		}
		f.kind = max(f.kind, commandKind(line, word))
		if f.line == "" {
			f.line = strings.Join(strings.Fields(line), " ")
		}
	}
	return []found{f}
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
