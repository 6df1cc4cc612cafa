package jsonedit

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var jsonc = Format{Comments: true}

func TestSet(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		path     []string
		value    string
		want     string
	}{
		{"a new document", "", []string{"version"}, "1", "{\n  \"version\": 1\n}\n"},
		{"in place", `{"a" : 1 ,"b":2}`, []string{"a"}, `"x"`, `{"a" : "x" ,"b":2}`},
		{"at the end", "{\n\t\"a\": 1\n}", []string{"b"}, "true", "{\n\t\"a\": 1,\n\t\"b\": true\n}"},
		{"through a list", `{"l":[{"a":1},{"a":2}]}`, []string{"l", "1", "a"}, "3", `{"l":[{"a":1},{"a":3}]}`},
		{"through two lists", `{"l":[{"m":[{}]}]}`, []string{"l", "0", "m", "0", "a"}, "3", `{"l":[{"m":[{"a":3}]}]}`},
		{"objects on the way", `{"a":1}`, []string{"b", "c"}, "2", `{"a":1,"b":{"c":2}}`},
		{"comments stay", "{ // one\n  \"a\": /* two */ 1 // three\n}", []string{"a"}, "2", "{ // one\n  \"a\": /* two */ 2 // three\n}"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := jsonc.Set([]byte(test.in), test.path, []byte(test.value))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("Set mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		path     []string
		want     string
	}{
		{"a member", `{"a":1,"b":2}`, []string{"a"}, `{"b":2}`},
		{"the only one", "{\n  \"a\": 1\n}\n", []string{"a"}, "{}\n"},
		{"an element", "{\"l\":[\n  1,\n  2\n]}", []string{"l", "1"}, "{\"l\":[\n  1\n]}"},
		{"a list within a list's element", `{"l":[{"m":[1,2]}]}`, []string{"l", "0", "m", "0"}, `{"l":[{"m":[2]}]}`},
		{"a member of an element", `{"l":[{"m":[{"a":1,"b":2}]}]}`, []string{"l", "0", "m", "0", "a"}, `{"l":[{"m":[{"b":2}]}]}`},
		{"nothing there", `{"a" : 1}`, []string{"b", "c"}, `{"a" : 1}`},
		{"no such element", `{"l": [1]}`, []string{"l", "3"}, `{"l": [1]}`},
		{"a comment on its line stays", "{\n  \"a\": 1, // about a\n  \"b\": 2\n}", []string{"a"}, "{ // about a\n  \"b\": 2\n}"},
		{"a comment before the last stays", "{\n  \"a\": 1, // about a\n  \"b\": 2\n}", []string{"b"}, "{\n  \"a\": 1 // about a\n}"},
		{"comments on both sides stay", `{"a":1 /* 1 */ , /* 2 */ "b" /* 3 */ : 2 /* 4 */ }`, []string{"b"}, `{"a":1 /* 1 */ /* 2 */ /* 3 */ /* 4 */ }`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := jsonc.Cut([]byte(test.in), test.path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("Cut mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// Comments keep the place that people gave them, and cutting what was appended
// gives the bytes back.
func TestAppendAmongComments(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"on the last line", "{\n  \"l\": [\n    1 // one\n  ]\n}", "{\n  \"l\": [\n    1, // one\n    0\n  ]\n}"},
		{"below the last", "{\n  \"l\": [\n    1\n    // {2}\n  ]\n}", "{\n  \"l\": [\n    1,\n    // {2}\n    0\n  ]\n}"},
		{"in a line", `{"l":[1 /* one */]}`, `{"l":[1, /* one */0]}`},
		{"an empty list", "{\"l\": [ // none yet\n]}", "{\"l\": [ // none yet\n  0\n]}"},
		{"before an entry", "{\"l\": [\n  // one\n  1\n]}", "{\"l\": [\n  // one\n  1,\n  0\n]}"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := jsonc.Append([]byte(test.in), []string{"l"}, []byte("0"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("Append mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// Gemini strips comments and then takes JSON.parse: a trailing comma ends it.
func TestTrailingCommaIsRefused(t *testing.T) {
	t.Parallel()
	_, err := jsonc.Append([]byte("{ // hi\n\"a\": [1,], }"), []string{"l"}, []byte("0"))
	const want = `line 2, column 9: invalid character ']' looking for beginning of value (JSON has no comma behind the last entry)`
	if err == nil || err.Error() != want {
		t.Errorf("Append: %v, want %s", err, want)
	}
}

// FuzzEditsKeepComments sets, appends and cuts again: the meaning comes back,
// and no comment is lost on the way.
func FuzzEditsKeepComments(f *testing.F) {
	for _, seed := range []string{"{}", "", "// a\n{\"l\":[1 // b\n, /* c */ 2 /* d */ ] // e\n} // f", `{"l":[ /* a */ ] /* b */ , "m": "// no \" /*"}`,
		"{ // x\r\n}", "{\"l\": [ // y */\n{\"a\" /* b */ : /* c */ 1 }, 2 /**/]}", `{"m" /* 1 */ :2 /* 2 */ }`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if jsonc.Check(content) != nil || bytes.Contains(content, []byte("mark")) {
			return
		}
		edited, err := jsonc.Append(content, []string{"l"}, []byte(`{"mark":0}`))
		if err != nil {
			return
		}
		edited, err = jsonc.Set(edited, []string{"mark"}, []byte(`"x"`))
		if err != nil {
			return
		}
		for _, comment := range commentsOf(content) {
			if !bytes.Contains(edited, comment) {
				t.Fatalf("%q lost %q: %q", content, comment, edited)
			}
		}
		back := cutMark(t, edited)
		for _, comment := range commentsOf(content) {
			if !bytes.Contains(back, comment) {
				t.Fatalf("%q lost %q: %q", edited, comment, back)
			}
		}
		want, got := plainMeaning(content), plainMeaning(back)
		if !reflect.DeepEqual(want, got) {
			t.Errorf("%q became %q", content, back)
		}
	})
}

func cutMark(t *testing.T, content []byte) []byte {
	t.Helper()
	back, err := jsonc.Cut(content, []string{"mark"})
	if err != nil {
		t.Fatal(err)
	}
	n := len(plainMeaning(content)["l"].([]any)) - 1
	if back, err = jsonc.Cut(back, []string{"l", strconv.Itoa(n)}); err != nil {
		t.Fatal(err)
	}
	return back
}

// plainMeaning leaves out what the edits add: the mark, and an empty list.
func plainMeaning(content []byte) map[string]any {
	m := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(jsonc.Plain(content)))
	decoder.UseNumber()
	_ = decoder.Decode(&m) // no document is the empty one
	delete(m, "mark")
	if l, ok := m["l"].([]any); ok && len(l) == 0 {
		delete(m, "l")
	}
	return m
}

func commentsOf(content []byte) (comments [][]byte) {
	for i := 0; i < len(content); {
		switch n := commentLen(content[i:]); {
		case n > 0:
			comments = append(comments, bytes.TrimRight(content[i:i+n], blanks))
			i += n
		case content[i] == '"':
			i += stringLen(content[i:])
		default:
			i++
		}
	}
	return comments
}
