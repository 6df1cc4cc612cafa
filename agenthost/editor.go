package agenthost

import (
	"fmt"
	"slices"
	"strings"
)

// An editor makes one edit after the other, up to the first error.
type editor struct {
	r       *registration
	content []byte
	err     error
}

func (e *editor) apply(content []byte, err error) {
	if e.err = err; err == nil {
		e.content = content
	}
}

func (e *editor) set(path []string, value any) {
	if e.err == nil {
		e.apply(e.r.format.Set(e.content, path, jsonOf(value)))
	}
}

func (e *editor) append(path []string, value []byte) {
	if e.err == nil {
		e.apply(e.r.format.Append(e.content, path, value))
	}
}

func (e *editor) cut(path []string) {
	if e.err == nil {
		e.apply(e.r.format.Cut(e.content, path))
	}
}

// value is what stands at names from the document down, joined by dots; nil:
// nothing.
func (e *editor) value(names string) []byte {
	at := e.r.format.Plain(e.content)
	for _, name := range strings.Split(names, ".") {
		at = members(at)[name]
	}
	return at
}

func (e *editor) has(names string) bool { return e.value(names) != nil }

// cutEmpty cuts a list or object that has nothing in it, not even a comment.
func (e *editor) cutEmpty(path ...string) {
	if e.err == nil {
		e.apply(e.r.format.CutEmpty(e.content, path))
	}
}

// update gives the first of our entries, if there is one, the form that is wanted
// and takes the others out.
func (e *editor) update(want event, own []found) {
	for i, entry := range slices.Backward(own) {
		if i > 0 {
			e.drop(entry)
		} else {
			e.shape(want, entry)
		}
	}
}

// shape edits the members of one entry.
func (e *editor) shape(want event, at found) {
	for _, m := range want.entry {
		if _, there := at.object[m.key]; there && slices.Contains(e.r.extra, m) {
			continue // somebody chose another value
		}
		if !same(at.object, m) {
			e.set(slices.Concat(at.path, []string{m.key}), m.value)
		}
	}
	// Arguments beside the command, and what a background run needs.
	for _, key := range append([]string{"args"}, keys(e.r.background)...) {
		wanted := slices.ContainsFunc(want.entry, func(m member) bool { return m.key == key })
		if _, there := at.object[key]; there && !wanted {
			e.cut(slices.Concat(at.path, []string{key}))
		}
	}
}

func keys(members []member) (names []string) {
	for _, m := range members {
		names = append(names, m.key)
	}
	return names
}

// drop cuts an entry, and its group where no other hook is in it.
func (e *editor) drop(entry found) {
	if e.r.flat {
		e.cut(entry.path)
		return
	}
	group := entry.path[:len(entry.path)-2]
	e.cut(entry.path)
	if e.err == nil && e.groupIsEmpty(group) {
		e.cut(group)
	}
}

// groupIsEmpty tells whether nothing but a matcher is left.
func (e *editor) groupIsEmpty(path []string) bool {
	list := elements(e.value(path[0] + "." + path[1]))
	for i, element := range list {
		if fmt.Sprint(i) != path[2] {
			continue
		}
		group := members(element)
		delete(group, "matcher")
		return len(group) == 1 && len(elements(group["hooks"])) == 0
	}
	return false
}
