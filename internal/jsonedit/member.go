package jsonedit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// Set gives the member at path, whose last name is that of a member, this value:
// in the place of the one that is there, or at the end of its object. Objects
// that the path lacks are made. See [Format.Append] for the rest.
func (f Format) Set(content []byte, path []string, value []byte) ([]byte, error) {
	if len(path) == 0 {
		return nil, errors.New("no path to a member")
	}
	doc, v, err := f.prepare(content, value)
	if err != nil {
		return nil, err
	}
	at, err := doc.findMember(path)
	if err != nil {
		return nil, err
	}
	if at.object == nil {
		return nil, fmt.Errorf("set %s: an element of a list is no member", strings.Join(path, "."))
	}
	s := learn(doc, place{})
	if at.rest != nil {
		s.addMember(at, v)
		return doc.pack()
	}
	s.layOut(v, at.indent, at.inline)
	at.object.Members[at.index].Value.Value = v
	return doc.pack()
}

// Cut takes out what path leads to: a member, or the element of a list whose
// number is the path's last name. The rest stays, emptied containers and
// comments around the entry too; where there is nothing at path, all does.
func (f Format) Cut(content []byte, path []string) ([]byte, error) {
	if blank(content) || len(path) == 0 {
		return content, nil
	}
	doc, err := f.parse(content)
	if err != nil {
		return nil, err
	}
	last := path[len(path)-1]
	if len(path) > 1 {
		at, err := doc.findMember(path[:len(path)-1])
		if err != nil || at.rest != nil {
			return content, err
		}
		if at.list != nil {
			if i, err := strconv.Atoi(last); err == nil && i >= 0 && i < len(at.list.Elements) {
				cut(at.list, i)
			}
			return doc.pack()
		}
	}
	at, err := doc.findMember(path)
	if err != nil || at.rest != nil {
		return content, err
	}
	cut(at.object, at.index)
	return doc.pack()
}

// CutEmpty is [Format.Cut] of a member that is a list or an object with nothing
// in it, not even a comment; any other stays.
func (f Format) CutEmpty(content []byte, path []string) ([]byte, error) {
	if blank(content) || len(path) == 0 {
		return content, nil
	}
	doc, err := f.parse(content)
	if err != nil {
		return nil, err
	}
	at, err := doc.findMember(path)
	if err != nil || at.rest != nil || at.object == nil {
		return content, err
	}
	leads, closing := edges(at.object.Members[at.index].Value.Value)
	if closing == nil || len(leads) > 0 || commented(*closing) {
		return content, nil
	}
	cut(at.object, at.index)
	return doc.pack()
}

// cut takes entry i out of a container. What is left is whole: a new first entry
// stands where the first stood, no comma follows the last, and comments around
// the entry stay.
func cut(c hujson.ValueTrimmed, i int) {
	leads, closing := edges(c)
	next := closing
	if i+1 < len(leads) {
		next = leads[i+1]
	}
	if around := commentsAround(c, i); commented(around) {
		*next = join(around, *next)
	} else if i == 0 && !commented(*next) {
		*next = *leads[0]
	}
	switch c := c.(type) {
	case *hujson.Object:
		c.Members = slices.Delete(c.Members, i, i+1)
		if n := len(c.Members); n > 0 {
			closeBehind(&c.Members[n-1].Value, closing)
		}
	case *hujson.Array:
		c.Elements = slices.Delete(c.Elements, i, i+1)
		if n := len(c.Elements); n > 0 {
			closeBehind(&c.Elements[n-1], closing)
		}
	}
	if len(leads) == 1 && !commented(*closing) {
		*closing = nil
	}
}

// closeBehind makes v the last entry: hujson takes any AfterExtra of that for a
// trailing comma.
func closeBehind(v *hujson.Value, closing *hujson.Extra) {
	if commented(v.AfterExtra) {
		*closing = join(v.AfterExtra, *closing)
	}
	v.AfterExtra = nil
}

// HasComments tells whether any comment stands in the document, which is one.
func (f Format) HasComments(content []byte) bool {
	return f.Comments && string(f.Plain(content)) != string(content)
}

// Check is nil where content is a document, or blank.
func (f Format) Check(content []byte) error {
	if blank(content) {
		return nil
	}
	doc, err := f.parse(content)
	if err != nil {
		return err
	}
	if _, ok := doc.root.Value.(*hujson.Object); !ok {
		return doc.mismatch(doc.root, nil, "an object")
	}
	return nil
}
