// Package jsonedit edits a JSON document and keeps every other byte: the order
// of keys, the spelling of numbers and strings, indentation, line ends and, in
// formats that have them, comments stay as their author wrote them.
//
// Start with [Append]. The document is standard JSON, or that with comments:
// what the program that owns the file would refuse is an error, and so is a
// comma behind the last entry, which no program refuses less. Errors about the
// document begin with the line and column they mean, counted in characters from
// 1.
package jsonedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// MaxBytes is how large a document may be, before the edit and after it.
const MaxBytes = 1 << 20

const atEnd = -1

// A Format is what a document may hold. Its zero value is standard JSON.
type Format struct {
	Comments bool // as JavaScript has them
}

// Append is [Format.Append] for standard JSON.
func Append(content []byte, path []string, value []byte) ([]byte, error) {
	return Format{}.Append(content, path, value)
}

// Insert is [Append] with the index that value gets, at most the number of
// elements.
func Insert(content []byte, path []string, index int, value []byte) ([]byte, error) {
	if index < 0 {
		return nil, fmt.Errorf("insert at %d: no such place in a list", index)
	}
	return Format{}.insert(content, path, index, value)
}

// Append adds value as the last element of the list at path, and creates the
// list and the objects on the way to it at need. Where a list is on the way,
// the path's next name is the number of one of its elements, from 0. Content of
// white space alone gives a new document. What is added takes the look of what
// is around it; value's own white space does not count.
func (f Format) Append(content []byte, path []string, value []byte) ([]byte, error) {
	return f.insert(content, path, atEnd, value)
}

func (f Format) insert(content []byte, path []string, index int, value []byte) ([]byte, error) {
	doc, added, err := f.prepare(content, value)
	if err != nil {
		return nil, err
	}
	at, err := doc.find(path)
	if err != nil {
		return nil, err
	}
	count := 0
	if at.list != nil {
		count = len(at.list.Elements)
	}
	if index == atEnd {
		index = count
	}
	if index > count {
		return nil, fmt.Errorf("insert at %d: the list has %d elements", index, count)
	}
	s := learn(doc, at)
	if at.list != nil {
		s.insertElement(doc, at, index, added)
	} else {
		s.addMember(at, &hujson.Array{Elements: []hujson.Value{{Value: added}}})
	}
	return doc.pack()
}

// prepare parses the document that is edited, a new one at need, and a value
// that goes into it.
func (f Format) prepare(content, value []byte) (*document, hujson.ValueTrimmed, error) {
	if blank(content) {
		content = []byte("{}\n")
	}
	doc, err := f.parse(content)
	if err != nil {
		return nil, nil, err
	}
	added, err := Format{}.parse(bytes.TrimSpace(value))
	if err != nil {
		return nil, nil, fmt.Errorf("value to insert: %w", err)
	}
	return doc, added.root.Value, nil
}

// Remove takes out the elements for which drop is true and says how many. A
// list that becomes empty goes, key and all; the object it was in stays. Where
// nothing is dropped, or nothing is at path, the content comes back as it is.
// drop sees each element, in order, as the document spells it and must not change
// it.
func Remove(content []byte, path []string, drop func(element []byte) bool) ([]byte, int, error) {
	if blank(content) {
		return content, 0, nil
	}
	doc, err := Format{}.parse(content)
	if err != nil {
		return nil, 0, err
	}
	at, err := doc.find(path)
	if err != nil || at.list == nil {
		return content, 0, err
	}
	var dropped []int
	for i, e := range at.list.Elements {
		if drop(content[e.StartOffset:e.EndOffset:e.EndOffset]) {
			dropped = append(dropped, i)
		}
	}
	if len(dropped) == 0 {
		return content, 0, nil
	}
	for _, i := range slices.Backward(dropped) {
		cut(at.list, i)
	}
	if len(at.list.Elements) == 0 {
		cut(at.object, at.index)
	}
	content, err = doc.pack()
	return content, len(dropped), err
}

// blank tells whether there is no document: JSON's white space, or nothing.
func blank(content []byte) bool { return len(bytes.Trim(content, " \t\r\n")) == 0 }

// A document is a parsed one with the bytes that its offsets mean.
type document struct {
	format  Format
	content []byte
	root    hujson.Value
}

func (f Format) parse(content []byte) (*document, error) {
	if len(content) > MaxBytes {
		return nil, fmt.Errorf("%d bytes of JSON: more than %d", len(content), MaxBytes)
	}
	// encoding/json has the last word on what is JSON. It also bounds the
	// depth, which hujson does not.
	var valid json.RawMessage
	if err := json.Unmarshal(f.Plain(content), &valid); err != nil {
		return nil, f.syntaxError(content, err)
	}
	root, err := hujson.Parse(content)
	if err != nil {
		return nil, err // names line and column too
	}
	return &document{f, content, root}, nil
}

// pack gives the edited document. Two valid pieces can make one that is too
// deep or too large for the next reader.
func (d *document) pack() ([]byte, error) {
	packed := d.root.Pack()
	if len(packed) > MaxBytes {
		return nil, fmt.Errorf("%d bytes of JSON after the edit: more than %d", len(packed), MaxBytes)
	}
	if !json.Valid(d.format.Plain(packed)) {
		return nil, errors.New("the document would be nested too deeply")
	}
	return packed, nil
}
