package jsonedit

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	listPath = []string{"hooks", "PostExecutionEnd"}
	commit   = []byte(`{"type":"git-commit","message":"Complete issue #{{issueNumber}}: {{issueTitle}}"}`)
)

func isCommit(element []byte) bool {
	var h struct{ Type string }
	return json.Unmarshal(element, &h) == nil && h.Type == "git-commit"
}

const documented = `{
  "hooks": {
    "PostExecutionEnd": [
      {
        "type": "git-commit",
        "message": "Complete issue #{{issueNumber}}: {{issueTitle}}"
      }
    ]
  }
}
`

// In the tables $ stands for the element as the short form of what is added.
func short(s string) string { return strings.ReplaceAll(s, "$", `{"type":"git-commit"}`) }

func TestAppend(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"1c.14 the document's result in a new file", "", documented},
		{"white space alone is a new file", " \n", documented},
		{"an empty object takes lines", "{}", strings.TrimSuffix(documented, "\n")},
		{"empty lists and objects open", "{\n  \"hooks\": {\n    \"PostExecutionEnd\": [ ]\n  }\n}\n", documented},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			check(t, test.in, test.want, commit)
		})
	}
}

func TestAppendFollowsTheFile(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"one line", `{"a":1}`, `{"a":1,"hooks":{"PostExecutionEnd":[$]}}`},
		{"one line with a line end", "{\"a\":1}\n", "{\"a\":1,\"hooks\":{\"PostExecutionEnd\":[$]}}\n"},
		{"one line with spaces", `{ "a": 1, "b": [] }`, `{ "a": 1, "b": [], "hooks": { "PostExecutionEnd": [{ "type": "git-commit" }] } }`},
		{"one line, empty list", `{"hooks":{"PostExecutionEnd":[]}}`, `{"hooks":{"PostExecutionEnd":[$]}}`},
		{"one line, full list", `{"hooks":{"PostExecutionEnd":[1]}}`, `{"hooks":{"PostExecutionEnd":[1,$]}}`},
		{"one line, list with spaces", `{"hooks": {"PostExecutionEnd": [1, 2]}}`, `{"hooks": {"PostExecutionEnd": [1, 2, {"type": "git-commit"}]}}`},
		{"tabs, CRLF and no final line end", "{\r\n\t\"a\": 1\r\n}",
			"{\r\n\t\"a\": 1,\r\n\t\"hooks\": {\r\n\t\t\"PostExecutionEnd\": [\r\n\t\t\t{\r\n\t\t\t\t\"type\": \"git-commit\"\r\n\t\t\t}\r\n\t\t]\r\n\t}\r\n}"},
		{"four spaces, no space behind the colon", "{\n    \"hooks\":{\n        \"Stop\":[]\n    }\n}\n",
			"{\n    \"hooks\":{\n        \"Stop\":[],\n        \"PostExecutionEnd\":[\n            {\n                \"type\":\"git-commit\"\n            }\n        ]\n    }\n}\n"},
		{"one hook a line", "{\"hooks\": {\n  \"PostExecutionEnd\": [\n    { \"type\": \"command\", \"command\": \"npm test\" }\n  ]\n}}",
			"{\"hooks\": {\n  \"PostExecutionEnd\": [\n    { \"type\": \"command\", \"command\": \"npm test\" },\n    { \"type\": \"git-commit\" }\n  ]\n}}"},
		{"braces that hug", "{\"hooks\": {\"PostExecutionEnd\": [{\n  \"type\": \"x\"\n}, {\n  \"type\": \"y\"\n}]}}",
			"{\"hooks\": {\"PostExecutionEnd\": [{\n  \"type\": \"x\"\n}, {\n  \"type\": \"y\"\n}, {\"type\": \"git-commit\"}]}}"},
		{"commas first", "{\"hooks\": {\"PostExecutionEnd\": [\n  1\n, 2\n]}}", "{\"hooks\": {\"PostExecutionEnd\": [\n  1\n, 2, {\"type\": \"git-commit\"}\n]}}"},
		{"an empty line is not repeated", "{\n  \"a\": 1,\n\n  \"hooks\": {\"PostExecutionEnd\":[\n    1,\n\n    2\n  ]}\n}",
			"{\n  \"a\": 1,\n\n  \"hooks\": {\"PostExecutionEnd\":[\n    1,\n\n    2,\n    {\n      \"type\": \"git-commit\"\n    }\n  ]}\n}"},
		{"what others wrote stays", "{ \"a\" : 1e3,\"a\":-0.0 ,\"\\u0068ooks\":{\"PostExecutionEnd\":[1.50 ]\t} ,\"\\/\":\"\\u00e9\xff\" }",
			"{ \"a\" : 1e3,\"a\":-0.0 ,\"\\u0068ooks\":{\"PostExecutionEnd\":[1.50,{ \"type\": \"git-commit\" } ]\t} ,\"\\/\":\"\\u00e9\xff\" }"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			check(t, test.in, short(test.want), []byte("{\"type\"\n\t:\"git-commit\" }"))
		})
	}
}

// check appends, and takes out again.
func check(t *testing.T, in, want string, value []byte) {
	t.Helper()
	got, err := Append([]byte(in), listPath, value)
	if err != nil {
		t.Fatalf("Append(%q): %v", in, err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("Append(%q) mismatch (-want +got):\n%s", in, diff)
	}
	back, n, err := Remove(got, listPath, isCommit)
	if err != nil || n != 1 {
		t.Fatalf("Remove(%q) = %d, %v; want 1", got, n, err)
	}
	if !json.Valid(back) || bytes.Contains(back, []byte("git-commit")) {
		t.Errorf("Remove(%q) = %q", got, back)
	}
	if same, n, err := Remove(back, listPath, isCommit); err != nil || n != 0 || !bytes.Equal(same, back) {
		t.Errorf("Remove(%q) again = %q, %d, %v", back, same, n, err)
	}
}

func TestInsert(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in, want string
		index          int
	}{
		{"first of a line", `{"l":[1, 2]}`, `{"l":[0, 1, 2]}`, 0},
		{"first of one", `{"a":[3,4],"l":[ 1 ]}`, `{"a":[3,4],"l":[ 0,1 ]}`, 0},
		{"between", `{"l":[1, 2]}`, `{"l":[1, 0, 2]}`, 1},
		{"first of lines", "{\"l\":[\n 1\n]}", "{\"l\":[\n 0,\n 1\n]}", 0},
		{"between lines", "{\"l\":[\n 1,\n 2\n]}", "{\"l\":[\n 1,\n 0,\n 2\n]}", 1},
		{"last", "{\"l\":[\n 1\n]}", "{\"l\":[\n 1,\n 0\n]}", 1},
		{"into nothing", `{"a":1}`, `{"a":1,"l":[0]}`, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := Insert([]byte(test.in), []string{"l"}, test.index, []byte("0"))
			if err != nil || string(got) != test.want {
				t.Errorf("Insert(%q, %d) = %q, %v; want %q", test.in, test.index, got, err, test.want)
			}
		})
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in, want string
		n              int
	}{
		{"1c.14 all of them", `{"l":[0, 1, 0]}`, `{"l":[1]}`, 2},
		{"1c.14 an empty list goes, its object stays", "{\n  \"l\": [0]\n}\n", "{}\n", 1},
		{"the first key takes the place of the one that goes", "{\n  \"l\": [0],\n\n\n  \"m\": 1\n}", "{\n  \"m\": 1\n}", 1},
		{"the last key", "{\n  \"k\": 1 ,\n  \"l\": [0]\n}", "{\n  \"k\": 1\n}", 1},
		{"the first leaves its indentation", "{\"l\":[\n  0, 1\n]}", "{\"l\":[\n  1\n]}", 1},
		{"white space before a comma makes no trailing comma", "{\"l\":[1 ,0]}", `{"l":[1]}`, 1},
		{"comments are not read into strings", `{"l":["/* , ]", 0]}`, `{"l":["/* , ]"]}`, 1},
		{"nothing to drop", "{\"l\" : [ 1,2 ]\t}", "{\"l\" : [ 1,2 ]\t}", 0},
		{"an empty list of somebody else's stays", `{"l":[ ]}`, `{"l":[ ]}`, 0},
		{"no list", `{"m":0}`, `{"m":0}`, 0},
		{"no document", "", "", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, n, err := Remove([]byte(test.in), []string{"l"}, func(e []byte) bool { return string(e) == "0" })
			if err != nil || n != test.n || string(got) != test.want {
				t.Errorf("Remove(%q) = %q, %d, %v; want %q, %d", test.in, got, n, err, test.want, test.n)
			}
		})
	}
}

func TestErrorsNameThePlace(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"the document is a list", "\n []", "line 2, column 2: the document is a list, not an object"},
		{"hooks is a list", "{\n  \"hooks\": []}", "line 2, column 12: hooks is a list, not an object"},
		{"hooks is null", `{"é":1,"hooks":null}`, "line 1, column 16: hooks is null, not an object"},
		{"the list is a string", `{"hooks":{"PostExecutionEnd":"x"}}`, "line 1, column 30: hooks.PostExecutionEnd is a string, not a list"},
		{"the list is an object", `{"hooks":{"PostExecutionEnd":{}}}`, "line 1, column 30: hooks.PostExecutionEnd is an object, not a list"},
		{"the list is a number", `{"hooks":{"PostExecutionEnd":-1}}`, "line 1, column 30: hooks.PostExecutionEnd is a number, not a list"},
		{"the key is there twice", "{\"hooks\":{},\n\"h\\u006foks\":{}}", "line 2, column 1: hooks is there a second time"},
		{"a line comment", "{\n  // why\n}", "line 2, column 3: invalid character '/' looking for beginning of object key string (JSON has no comments)"},
		{"a block comment", "{\"a\": 1} /* */", "line 1, column 10: invalid character '/' after top-level value (JSON has no comments)"},
		{"a comma after the last member", "{\"a\":1,\n}", "line 2, column 1: invalid character '}' looking for beginning of object key string (JSON has no comma behind the last entry)"},
		{"a comma after the last element", "[1, ]", "line 1, column 5: invalid character ']' looking for beginning of value (JSON has no comma behind the last entry)"},
		{"half a document", "{\"a\":\n", "line 2, column 1: unexpected end of JSON input"},
		{"half a string", "{\"a\":\"n", "line 1, column 8: unexpected end of JSON input"},
		{"byte order mark", "\ufeff{}", "line 1, column 1: invalid character 'ï' looking for beginning of value"},
		{"too large", `"` + strings.Repeat("a", MaxBytes) + `"`, "1048578 bytes of JSON: more than 1048576"},
		{"too deep", strings.Repeat("[", MaxBytes), "line 1, column 10001: invalid character '[' exceeded max depth"},
		{"too large after it", `{"a":"` + strings.Repeat("a", MaxBytes-8) + `"}`, "1048609 bytes of JSON after the edit: more than 1048576"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got, err := Append([]byte(test.in), listPath, []byte("1")); err == nil || err.Error() != test.want {
				t.Errorf("Append = %.200q, %v; want %s", got, err, test.want)
			}
			if strings.HasPrefix(test.name, "too large after") {
				return
			}
			if got, n, err := Remove([]byte(test.in), listPath, isCommit); err == nil || n != 0 || err.Error() != test.want {
				t.Errorf("Remove = %.200q, %d, %v; want %s", got, n, err, test.want)
			}
		})
	}
}

func TestWrongArguments(t *testing.T) {
	t.Parallel()
	deep := []byte(strings.Repeat("[", 9999) + strings.Repeat("]", 9999))
	tests := []struct {
		name  string
		path  []string
		index int
		value []byte
		want  string
	}{
		{"no path", nil, 0, []byte("1"), "no path to a list"},
		{"negative index", []string{"l"}, -1, []byte("1"), "insert at -1: no such place in a list"},
		{"index behind the end", []string{"l"}, 2, []byte("1"), "insert at 2: the list has 1 elements"},
		{"index in no list", []string{"m"}, 1, []byte("1"), "insert at 1: the list has 0 elements"},
		{"value that is none", []string{"l"}, 0, nil, "value to insert: line 1, column 1: unexpected end of JSON input"},
		{"value with a comment", []string{"l"}, 0, []byte("1 /**/"), "value to insert: line 1, column 3: invalid character '/' after top-level value (JSON has no comments)"},
		{"value that makes it too deep", []string{"l"}, 0, deep, "the document would be nested too deeply"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got, err := Insert([]byte(`{"l":[0]}`), test.path, test.index, test.value); err == nil || err.Error() != test.want {
				t.Errorf("Insert = %.200q, %v; want %s", got, err, test.want)
			}
		})
	}
}
