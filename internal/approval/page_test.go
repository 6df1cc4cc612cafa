package approval

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

var pageTime = time.Date(2026, 11, 21, 1, 0, 0, 0, time.UTC) // read only

func exampleQuestion() Question {
	return Question{
		Hook: "deploy-gate", Event: "on_stage_complete", Session: "auth-refactor", Stage: "implement", Iteration: "3", File: ".claude/pipelines/work.yaml",
		Text: "Stage implement is done.\nDeploy it to staging?", Actions: []string{"approve", "reject"},
		Asked: pageTime, Deadline: pageTime.Add(59 * time.Minute),
	}
}

func TestButtons(t *testing.T) {
	t.Parallel()
	tests := []struct {
		actions []string
		marked  string
		want    []string
	}{
		{nil, "", []string{"approve", "reject"}},
		{nil, "reject", []string{"reject", "approve"}},
		{nil, "continue", []string{"continue", "approve", "reject"}},
		{[]string{"Go", "Stop", "later"}, "stop", []string{"Stop", "Go", "later"}},
		{[]string{"Go", "Stop"}, " ", []string{"Go", "Stop"}},
		{[]string{"Go", "Stop"}, "a\x00", []string{"Go", "Stop"}},
		{[]string{"Go", "Stop"}, strings.Repeat("a", 65), []string{"Go", "Stop"}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, buttons(test.actions, test.marked)); diff != "" {
			t.Errorf("buttons(%q, %q) mismatch (-want +got):\n%s", test.actions, test.marked, diff)
		}
	}
}

func TestSpan(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "less than a minute", 59 * time.Second: "less than a minute", time.Minute: "1 minute",
		119 * time.Minute: "119 minutes", 2 * time.Hour: "2 hours", 47*time.Hour + 59*time.Minute: "47 hours", 48 * time.Hour: "2 days",
	} {
		if got := span(d); got != want {
			t.Errorf("span(%v) = %q, want %q", d, got, want)
		}
	}
}

// The page says what is asked, by whom and until when.
func TestQuestionPageSaysAll(t *testing.T) {
	t.Parallel()
	q := exampleQuestion()
	text := strings.Join(parsePage(t, questionPage(q, "reject", pageTime)).texts, "\n")
	for _, want := range []string{q.Text, q.Hook, q.Event, q.Session, q.Stage, q.Iteration, q.File, "59 minutes", clock(q.Deadline), clock(q.Asked), "reject\nas the link says", "approve"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q:\n%s", want, text)
		}
	}
	if strings.Index(text, "reject") > strings.Index(text, "approve") {
		t.Error("the button that the link names is not the first")
	}
}

func TestDecidedPageSaysAll(t *testing.T) {
	t.Parallel()
	r := record{Answer: &answerRecord{Action: "Deny", Message: "not\nnow", At: pageTime}}
	text := strings.Join(parsePage(t, decidedPage(r, true, pageTime.Add(3*time.Minute))).texts, "\n")
	for _, want := range []string{"Decided: Deny", "not\nnow", clock(pageTime), "3 minutes ago", "changed nothing", "close this window"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q:\n%s", want, text)
		}
	}
}

// A skeleton is a page without what people wrote.
type skeleton struct {
	tags   []string // with their attributes, but for value
	values []string
	texts  []string // that are not blank
}

func parsePage(t *testing.T, page string) skeleton {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var s skeleton
	for n := range root.Descendants() {
		switch n.Type {
		case html.ElementNode:
			tag := n.Data
			for _, a := range n.Attr {
				if a.Key == "value" {
					s.values = append(s.values, a.Val)
					continue
				}
				tag += " " + a.Key + "=" + a.Val
			}
			s.tags = append(s.tags, tag)
		case html.TextNode:
			if strings.TrimSpace(n.Data) != "" {
				s.texts = append(s.texts, n.Data)
			}
		case html.CommentNode:
			t.Errorf("the page has a comment: %q", n.Data)
		}
	}
	return s
}

// Whatever people write is text: the page has the tags that it has with
// harmless words, in the same order and with the same attributes.
func FuzzPage(f *testing.F) {
	for _, hostile := range []string{
		"word", "<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "' autofocus onfocus=alert(1) x='", "</title><script>", "</style><style>*{}",
		"<!--", "-->", "]]>", "&lt;b&gt;", "&#60;b&#62;", "\x00<\x00b>", "\xff<b>", "\u202e<b>", "\x1b[31m<b>", "javascript:alert(1)", "%s%d%!", "</p><h1>", "</textarea>", "\r\n\r\n", "＜b＞", "<\u200bb>",
	} {
		f.Add(hostile, hostile)
	}
	f.Fuzz(func(t *testing.T, text, action string) {
		if strings.TrimSpace(text) == "" {
			return // what is not said has no tags
		}
		fill := func(text string) Question {
			return Question{Hook: text, Event: text, Session: text, Stage: text, Iteration: text, File: text, Text: text, Asked: pageTime, Deadline: pageTime.Add(time.Hour)}
		}
		want := parsePage(t, questionPage(fill("word"), "", pageTime))
		got := parsePage(t, questionPage(fill(text), "", pageTime))
		if diff := cmp.Diff(want.tags, got.tags); diff != "" {
			t.Errorf("question %q: tags mismatch (-want +got):\n%s", text, diff)
		}
		name, err := actionName(action)
		if err == nil && name != "" && !Rejects(name) {
			want := parsePage(t, questionPage(fill("word"), "word", pageTime))
			got := parsePage(t, questionPage(fill("word"), action, pageTime))
			if !strings.EqualFold(name, "approve") {
				if diff := cmp.Diff(want.tags, got.tags); diff != "" {
					t.Errorf("action %q: tags mismatch (-want +got):\n%s", action, diff)
				}
			}
			if !slices.ContainsFunc(got.values, func(v string) bool { return strings.EqualFold(v, name) }) {
				t.Errorf("no button has the value %q: %q", name, got.values)
			}
		}
		for _, tooLate := range []bool{false, true} {
			decided := func(word string) []string {
				r := record{Answer: &answerRecord{Action: word, Message: word, At: pageTime}}
				return parsePage(t, decidedPage(r, tooLate, pageTime)).tags
			}
			if Rejects(text) {
				return // another class
			}
			if diff := cmp.Diff(decided("word"), decided(text)); diff != "" {
				t.Errorf("answer %q: tags mismatch (-want +got):\n%s", text, diff)
			}
		}
		if diff := cmp.Diff(parsePage(t, faultPage(404, "word")).tags, parsePage(t, faultPage(404, text)).tags); diff != "" {
			t.Errorf("fault %q: tags mismatch (-want +got):\n%s", text, diff)
		}
	})
}
