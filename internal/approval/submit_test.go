package approval

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

const (
	jsonKind = "application/json"
	formKind = "application/x-www-form-urlencoded"
)

type submission struct {
	kind, query, body string
}

var submissions = map[string]struct { // read only
	submission
	status  int // zero: accepted
	action  string
	message string
	stored  string // empty: the body itself
}{
	"json":                      {submission: submission{jsonKind, "", `{"action":"approve","message":"ok"}`}, action: "approve", message: "ok"},
	"json keeps its bytes":      {submission: submission{jsonKind, "", " {\"action\" : \"x\",\n\"big\": 12345678901234567890, \"h\":\"<&>\"}\n"}, action: "x"},
	"json with a charset":       {submission: submission{"application/json; charset=utf-8", "", `{"action":"a"}`}, action: "a"},
	"json without a type":       {submission: submission{"", "", `{"action":"a"}`}, action: "a"},
	"json that curl calls form": {submission: submission{formKind, "action=approve", `{"action":"reject"}`}, action: "reject"},
	"json before the query":     {submission: submission{jsonKind, "action=approve", `{"action":"Reject"}`}, action: "Reject"},
	"json, action by the query": {submission: submission{jsonKind, "action=approve", `{"message":"ok"}`}, action: "approve", message: "ok"},
	"json, null action":         {submission: submission{jsonKind, "action=approve", `{"action":null}`}, status: 400},
	"a service's result":        {submission: submission{jsonKind, "action=done", `{"result":[1],"message":{"a":1}}`}, action: "done"},
	"the link does not answer":  {submission: submission{jsonKind, "action=approve", `{"Action":"reject"}`}, status: 400},
	"json keys are exact":       {submission: submission{jsonKind, "", `{"Action":"reject","ACTION":"approve"}`}, status: 400},
	"json that names no action": {submission: submission{jsonKind, "", `{"message":"ok"}`}, status: 400},
	"an empty action":           {submission: submission{jsonKind, "", `{"action":""}`}, status: 400},
	"form":                      {submission: submission{formKind, "", "message=a%0D%0Ab+&action=approve"}, action: "approve", message: "a\nb", stored: `{"action":"approve","message":"a\nb"}`},
	"form before the query":     {submission: submission{formKind, "action=approve", "action=reject"}, action: "reject", stored: `{"action":"reject","message":""}`},
	"multipart": {submission: submission{"multipart/form-data; boundary=B", "",
		"--B\r\nContent-Disposition: form-data; name=\"action\"\r\n\r\napprove\r\n--B\r\nContent-Disposition: form-data; name=\"message\"\r\n\r\nok\r\n--B--\r\n"},
		action: "approve", message: "ok", stored: `{"action":"approve","message":"ok"}`},
	"query":                     {submission: submission{"", "action=approve&message=ok", ""}, action: "approve", message: "ok", stored: `{"action":"approve","message":"ok"}`},
	"query, any type":           {submission: submission{"text/plain", "action=approve", ""}, action: "approve", stored: `{"action":"approve","message":""}`},
	"spaces around are no name": {submission: submission{formKind, "", "action=+reject+"}, action: "reject", stored: `{"action":"reject","message":""}`},
	"64 characters":             {submission: submission{"", "action=" + url.QueryEscape(strings.Repeat("é", 64)), ""}, action: strings.Repeat("é", 64), stored: `{"action":"` + strings.Repeat("é", 64) + `","message":""}`},

	"nothing":                  {submission: submission{"", "", ""}, status: 400},
	"blank body":               {submission: submission{jsonKind, "", " \n"}, status: 400},
	"form without an action":   {submission: submission{formKind, "", "message=ok"}, status: 400},
	"broken form":              {submission: submission{formKind, "action=approve", "action=%zz"}, status: 400},
	"broken multipart":         {submission: submission{"multipart/form-data; boundary=B", "action=approve", "--B\r\nx"}, status: 400},
	"multipart, no boundary":   {submission: submission{"multipart/form-data", "action=approve", "--B--"}, status: 400},
	"broken json":              {submission: submission{jsonKind, "action=approve", `{"action":"approve"`}, status: 400},
	"two values":               {submission: submission{jsonKind, "action=approve", `{"action":"a"} {}`}, status: 400},
	"an array":                 {submission: submission{jsonKind, "action=approve", `["approve"]`}, status: 400},
	"null":                     {submission: submission{jsonKind, "action=approve", `null`}, status: 400},
	"action is a number":       {submission: submission{jsonKind, "action=approve", `{"action":1}`}, status: 400},
	"json that is not UTF-8":   {submission: submission{jsonKind, "", "{\"action\":\"a\",\"b\":\"\xff\"}"}, status: 400},
	"65 characters":            {submission: submission{"", "action=" + strings.Repeat("a", 65), ""}, status: 400},
	"a control character":      {submission: submission{jsonKind, "", `{"action":"re\u0000ject"}`}, status: 400},
	"a character of no width":  {submission: submission{jsonKind, "", `{"action":"re\u200bject"}`}, status: 400},
	"a line end in the middle": {submission: submission{formKind, "", "action=a%0Ab"}, status: 400},
	"text":                     {submission: submission{"text/plain", "action=approve", "approve"}, status: 415},
	"xml":                      {submission: submission{"application/xml", "action=approve", "<a/>"}, status: 415},
	"unknown bytes":            {submission: submission{"", "action=approve", "approve"}, status: 415},
}

func TestParseAnswer(t *testing.T) {
	t.Parallel()
	for name, test := range submissions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			query, err := url.ParseQuery(test.query)
			if err != nil {
				t.Fatal(err)
			}
			got, err := parseAnswer(test.kind, query, []byte(test.body))
			if refused, ok := errors.AsType[*refusal](err); ok != (test.status != 0) || ok && refused.status != test.status {
				t.Fatalf("parseAnswer: %v (%+v), want status %d", err, refused, test.status)
			}
			if err != nil {
				return
			}
			if test.stored == "" {
				test.stored = test.body
			}
			want := answerRecord{Action: test.action, Message: test.message, Body: []byte(test.stored)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("parseAnswer mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRejects(t *testing.T) {
	t.Parallel()
	for action, want := range map[string]bool{
		"reject": true, "Reject": true, "ABORT": true, "deny": true, "reject.": true, "Rejected": true, "denied": true,
		"": false, "approve": false, "continue": false, "projected": false, "reject nothing": false,
	} {
		if got := Rejects(action); got != want {
			t.Errorf("Rejects(%q) = %v, want %v", action, got, want)
		}
	}
}

// Whatever is POSTed, an answer is one JSON object with a name that can be
// shown, and survives being kept.
func FuzzParseAnswer(f *testing.F) {
	for _, test := range submissions {
		f.Add(test.kind, test.query, []byte(test.body))
	}
	f.Fuzz(func(t *testing.T, kind, query string, body []byte) {
		values, _ := url.ParseQuery(query) // net/http takes what can be parsed, too
		got, err := parseAnswer(kind, values, body)
		if err != nil {
			if _, ok := errors.AsType[*refusal](err); !ok {
				t.Fatalf("an error of another kind: %v", err)
			}
			return
		}
		var object map[string]any
		if err := json.Unmarshal(got.Body, &object); err != nil || object == nil {
			t.Errorf("body %q: %v, want an object", got.Body, err)
		}
		if _, err := actionName(got.Action); err != nil || strings.TrimSpace(got.Action) != got.Action {
			t.Errorf("action %q: %v", got.Action, err)
		}
		if !utf8.ValidString(got.Message) {
			t.Errorf("message %q is not UTF-8", got.Message)
		}
		kept, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		var again answerRecord
		if err := json.Unmarshal(kept, &again); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, again); diff != "" {
			t.Errorf("kept mismatch (-want +got):\n%s", diff)
		}
	})
}
