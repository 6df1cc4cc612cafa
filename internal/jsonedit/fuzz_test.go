package jsonedit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// Random documents of random layout: an element that is appended and taken out
// again leaves what was there.
func TestAppendThenRemove(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 3000 {
		content := []byte(space(r) + object(r, 3) + space(r))
		if !json.Valid(content) {
			t.Fatalf("the generator is wrong: %q", content)
		}
		roundTrip(t, content)
		if t.Failed() {
			return
		}
	}
}

func FuzzAppendThenRemove(f *testing.F) {
	for _, seed := range []string{"", "{}", documented, `{"hooks":{"PostExecutionEnd":[1 , 2]}, "a":1e3}`,
		"{\r\n\t\"hooks\" : {\r\n\t} }", `{"hooks":null}`, `{"a":1,"a":2} //`, "[1,]", `{"hooks":{"PostExecutionEnd":[]},"h\u006foks":1}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) { roundTrip(t, content) })
}

// element is one that no random document has.
const element = `{"mark":["` + "\u2028" + `",{},[],{"a":1.50}]}`

func roundTrip(t *testing.T, content []byte) {
	t.Helper()
	before := bytes.Clone(content)
	added, err := Append(content, listPath, []byte(element))
	if !bytes.Equal(before, content) {
		t.Fatalf("Append changed its argument %q to %q", before, content)
	}
	if err != nil {
		return
	}
	if !json.Valid(added) {
		t.Fatalf("Append(%q) = %q, which is no JSON", content, added)
	}
	keepsOutside(t, content, added)
	isMark := func(e []byte) bool { return bytes.Contains(e, []byte(`"mark"`)) && bytes.Contains(e, []byte("\u2028")) }
	back, n, err := Remove(added, listPath, isMark)
	if err != nil || n == 0 || !json.Valid(back) {
		t.Fatalf("Remove(%q) = %q, %d, %v", added, back, n, err)
	}
	keepsOutside(t, added, back)
	without, _, err := Remove(content, listPath, isMark)
	if err != nil {
		t.Fatal(err)
	}
	if want, got := meaning(without), meaning(back); !reflect.DeepEqual(want, got) {
		t.Errorf("Append and Remove made %q of %q", back, content)
	}
}

// keepsOutside checks that all bytes are kept but those of the member that
// path leads to, with the white space and the comma around it. The objects on
// the way may be the ones that are added.
func keepsOutside(t *testing.T, before, after []byte) {
	t.Helper()
	if blank(before) {
		return
	}
	doc, err := Format{}.parse(before)
	if err != nil {
		t.Fatal(err)
	}
	at, err := doc.find(listPath)
	if err != nil {
		t.Fatal(err)
	}
	members := at.object.Members
	var start, end int
	switch {
	case at.list != nil: // from the end of the previous member to the start of the next
		m := members[at.index]
		start, end = m.Name.StartOffset-len(m.Name.BeforeExtra)-1, m.Value.EndOffset
		if at.index > 0 {
			start = members[at.index-1].Value.EndOffset
		}
		if at.index+1 < len(members) {
			end = members[at.index+1].Name.StartOffset
		} else {
			end += len(m.Value.AfterExtra) + len(at.object.AfterExtra)
		}
	case len(members) > 0:
		start = members[len(members)-1].Value.EndOffset
		end = start
	default:
		start = bytes.IndexByte(before, '{') + 1 // the outermost object at least
		end = bytes.LastIndexByte(before, '}')
	}
	if !bytes.HasPrefix(after, bytes.TrimRight(before[:max(start, 0)], ", \t\r\n")) {
		t.Errorf("%q has not the beginning of %q up to %d", after, before, start)
	}
	if !bytes.HasSuffix(after, before[end:]) {
		t.Errorf("%q has not the end of %q from %d", after, before, end)
	}
}

// meaning is the document, less objects and lists on the path that are empty.
func meaning(content []byte) any {
	top := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	_ = decoder.Decode(&top) // no document is the empty one
	hooks, ok := top["hooks"].(map[string]any)
	if !ok {
		return top
	}
	if list, ok := hooks["PostExecutionEnd"].([]any); ok && len(list) == 0 {
		delete(hooks, "PostExecutionEnd")
	}
	if len(hooks) == 0 {
		delete(top, "hooks")
	}
	return top
}

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

func space(r *rand.Rand) string {
	return pick(r, "", "", " ", "\n", "\n  ", "\r\n\t", "\n\n    ", "\t", "\r")
}

func object(r *rand.Rand, depth int) string {
	var members []string
	for range r.IntN(4) {
		name := pick(r, `"hooks"`, `"PostExecutionEnd"`, `"a"`, `""`, `"\u0061"`, `"Stop"`)
		members = append(members, space(r)+name+space(r)+":"+space(r)+value(r, name, depth)+space(r))
	}
	if len(members) == 0 {
		return "{" + space(r) + "}"
	}
	return "{" + strings.Join(members, ",") + "}"
}

// value is one that its name makes likely, so that paths often lead somewhere.
func value(r *rand.Rand, name string, depth int) string {
	switch {
	case name == `"hooks"` && depth > 0 && r.IntN(5) > 0:
		return object(r, depth-1)
	case depth == 0 || name != `"PostExecutionEnd"` && r.IntN(2) == 0:
		return pick(r, "null", "true", "1e3", "-0", `"x,]}"`, `"\ud800"`, "12345678901234567890", fmt.Sprint(r.IntN(9)))
	case name != `"PostExecutionEnd"` && r.IntN(2) == 0:
		return object(r, depth-1)
	}
	var elements []string
	for range r.IntN(4) {
		elements = append(elements, space(r)+value(r, "", depth-1)+space(r))
	}
	if len(elements) == 0 {
		return "[" + space(r) + "]"
	}
	return "[" + strings.Join(elements, ",") + "]"
}
