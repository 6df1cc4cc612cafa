// Package jsonedit edits one list in a JSON document and keeps every other
// byte: the order of keys, the spelling of numbers and strings, indentation
// and line ends stay as their author wrote them.
//
// Start with [Append]. The document is standard JSON: comments and trailing
// commas are an error, since the program that owns the file would refuse them.
// Errors about the document begin with the line and column they mean, counted
// in characters from 1.
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

// Append adds value as the last element of the list at path, and creates the
// list and the objects on the way to it at need. Content of white space alone
// gives a new document. What is added takes the look of what is around it;
// value's own white space does not count.
func Append(content []byte, path []string, value []byte) ([]byte, error) {
	return insert(content, path, atEnd, value)
}

// Insert is [Append] with the index that value gets, at most the number of
// elements.
func Insert(content []byte, path []string, index int, value []byte) ([]byte, error) {
	if index < 0 {
		return nil, fmt.Errorf("insert at %d: no such place in a list", index)
	}
	return insert(content, path, index, value)
}

func insert(content []byte, path []string, index int, value []byte) ([]byte, error) {
	if blank(content) {
		content = []byte("{}\n")
	}
	doc, err := parse(content)
	if err != nil {
		return nil, err
	}
	added, err := parse(bytes.TrimSpace(value))
	if err != nil {
		return nil, fmt.Errorf("value to insert: %w", err)
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
		s.insertElement(doc, at, index, added.root.Value)
	} else {
		s.addMember(at, added.root.Value)
	}
	return doc.pack()
}

// Remove takes out the elements for which drop is true and says how many. A
// list that becomes empty goes, key and all; the object it was in stays. Where
// nothing is dropped, or nothing is at path, the content comes back as it is.
// drop sees each element as the document spells it and must not change it.
func Remove(content []byte, path []string, drop func(element []byte) bool) ([]byte, int, error) {
	if blank(content) {
		return content, 0, nil
	}
	doc, err := parse(content)
	if err != nil {
		return nil, 0, err
	}
	at, err := doc.find(path)
	if err != nil || at.list == nil {
		return content, 0, err
	}
	before := len(at.list.Elements)
	kept := slices.DeleteFunc(slices.Clone(at.list.Elements), func(e hujson.ArrayElement) bool {
		return drop(content[e.StartOffset:e.EndOffset:e.EndOffset])
	})
	switch len(kept) {
	case before:
		return content, 0, nil
	case 0:
		lead := at.object.Members[0].Name.BeforeExtra
		at.object.Members = slices.Delete(at.object.Members, at.index, at.index+1)
		mend(at.object, lead)
	default:
		lead := at.list.Elements[0].BeforeExtra
		at.list.Elements = kept
		mend(at.list, lead)
	}
	content, err = doc.pack()
	return content, before - len(kept), err
}

// blank tells whether there is no document: JSON's white space, or nothing.
func blank(content []byte) bool { return len(bytes.Trim(content, " \t\r\n")) == 0 }

// A document is a parsed one with the bytes that its offsets mean.
type document struct {
	content []byte
	root    hujson.Value
}

func parse(content []byte) (*document, error) {
	if len(content) > MaxBytes {
		return nil, fmt.Errorf("%d bytes of JSON: more than %d", len(content), MaxBytes)
	}
	// encoding/json has the last word on what is JSON. It also bounds the
	// depth, which hujson does not.
	var valid json.RawMessage
	if err := json.Unmarshal(content, &valid); err != nil {
		return nil, syntaxError(content, err)
	}
	root, err := hujson.Parse(content)
	if err != nil {
		return nil, err // names line and column too
	}
	return &document{content, root}, nil
}

// pack gives the edited document. Two valid pieces can make one that is too
// deep or too large for the next reader.
func (d *document) pack() ([]byte, error) {
	packed := d.root.Pack()
	if len(packed) > MaxBytes {
		return nil, fmt.Errorf("%d bytes of JSON after the edit: more than %d", len(packed), MaxBytes)
	}
	if !json.Valid(packed) {
		return nil, errors.New("the document would be nested too deeply")
	}
	return packed, nil
}
