package approval

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"strings"
	"time"

	"discobot-hooks/internal/plaintext"
)

// Pages are written by hand, since html/template would cost the binary
// megabytes. So that nothing of a question becomes markup, foreign text goes
// through esc alone, and stands only in text and quoted attributes, where
// html.EscapeString is enough: never in a style, a URL, a tag or a name.
const pageHTML = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>%s</title>
<style>%s</style>
</head>
<body>
<main%s>
%s</main>
<footer>discobot-hooks</footer>
</body>
</html>
`

const (
	formHTML = `<form method="post">
<label for="message">Message <small>(optional)</small></label>
<textarea id="message" name="message" rows="3" maxlength="4000" aria-describedby="message-use"></textarea>
<p class="hint" id="message-use">It goes to the session with your answer.</p>
<div class="actions" role="group" aria-label="Your answer">
%s</div>
</form>
`
	buttonHTML = `<button type="submit" name="action" value="%s"%s>%s</button>
`
	markHTML   = `<small>as the link says</small>`
	detailHTML = `<div><dt>%s</dt><dd dir="auto">%s</dd></div>
`
)

func esc(text string) string { return html.EscapeString(plaintext.Clean(text)) }

func page(title, class, body string) string {
	if class != "" {
		class = ` class="` + class + `"`
	}
	return fmt.Sprintf(pageHTML, esc(title), style, class, body)
}

// styleSource is what a Content-Security-Policy allows the style by.
func styleSource() string {
	hash := sha256.Sum256([]byte(style))
	return "'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
}

// questionPage asks. The button that the link names comes first.
func questionPage(q Question, marked string, now time.Time) string {
	var body strings.Builder
	body.WriteString("<h1>Your answer is needed</h1>\n")
	if q.Text != "" {
		fmt.Fprintf(&body, "<p class=\"question\" dir=\"auto\">%s</p>\n", esc(q.Text))
	}
	fmt.Fprintf(&body, "<p class=\"until\">Answer within <strong>%s</strong>, until %s.</p>\n", span(q.Deadline.Sub(now)), timeHTML(q.Deadline))
	fmt.Fprintf(&body, formHTML, buttonsHTML(q.Actions, marked))
	body.WriteString(detailsHTML(q))
	return page("Your answer is needed", "", body.String())
}

// detailsHTML says who asks.
func detailsHTML(q Question) string {
	var out strings.Builder
	out.WriteString("<h2>Who asks</h2>\n<dl>\n")
	for _, detail := range [][2]string{
		{"Hook", q.Hook}, {"Event", q.Event}, {"Session", q.Session}, {"Stage", q.Stage}, {"Iteration", q.Iteration}, {"File", q.File},
	} {
		if detail[1] != "" {
			fmt.Fprintf(&out, detailHTML, detail[0], esc(detail[1]))
		}
	}
	fmt.Fprintf(&out, detailHTML, "Asked", timeHTML(q.Asked))
	out.WriteString("</dl>\n")
	return out.String()
}

func buttonsHTML(actions []string, marked string) string {
	var out strings.Builder
	for i, name := range buttons(actions, marked) {
		class, mark := "", ""
		switch {
		case Rejects(name):
			class = ` class="no"`
		case i == 0:
			class = ` class="yes"`
		}
		if i == 0 && strings.EqualFold(name, strings.TrimSpace(marked)) {
			mark = markHTML
		}
		fmt.Fprintf(&out, buttonHTML, html.EscapeString(name), class, esc(name)+mark)
	}
	return out.String()
}

// buttons are the names in the page's order. One that only the link names is
// a button, too: the link's author means it.
func buttons(actions []string, marked string) []string {
	if len(actions) == 0 {
		actions = []string{"approve", "reject"}
	}
	first, err := actionName(marked)
	if err != nil || first == "" {
		return actions
	}
	names := []string{first}
	for _, name := range actions {
		if strings.EqualFold(name, first) {
			names[0] = name
		} else {
			names = append(names, name)
		}
	}
	return names
}

// decidedPage says what was decided; tooLate tells somebody else who would
// have decided.
func decidedPage(r record, tooLate bool, now time.Time) string {
	a := r.Answer
	class, sign := "yes", "✓"
	if Rejects(a.Action) {
		class, sign = "no", "✕"
	}
	title := "Answered"
	if a.Action != "" {
		title = "Decided: " + a.Action
	}
	var body strings.Builder
	fmt.Fprintf(&body, "<p class=\"sign\" aria-hidden=\"true\">%s</p>\n<h1>%s</h1>\n", sign, esc(title))
	if tooLate {
		body.WriteString("<p class=\"late\" role=\"status\">The link was used before, so your click changed nothing.</p>\n")
	}
	fmt.Fprintf(&body, "<p>Answered on %s, %s.</p>\n", timeHTML(a.At), ago(now.Sub(a.At)))
	if a.Message != "" {
		fmt.Fprintf(&body, "<blockquote dir=\"auto\">%s</blockquote>\n", esc(cut(a.Message, maxTextBytes)))
	}
	body.WriteString("<p class=\"hint\">You can close this window.</p>\n")
	return page(title, "decided "+class, body.String())
}

func faultPage(status int, hint string) string {
	title := http.StatusText(status)
	return page(title, "decided", fmt.Sprintf("<h1>%s</h1>\n<p>%s</p>\n", esc(title), esc(hint)))
}

func timeHTML(t time.Time) string {
	return fmt.Sprintf(`<time datetime="%s">%s</time>`, t.UTC().Format(time.RFC3339), esc(clock(t)))
}

// clock is a time for people, in this machine's zone, which may not be theirs.
func clock(t time.Time) string { return t.Local().Format("Mon 2 Jan 2006, 15:04 MST") }

func ago(d time.Duration) string {
	if d < time.Minute {
		return "just now"
	}
	return span(d) + " ago"
}

// span is a duration for people, in one unit, rounded down.
func span(d time.Duration) string {
	count := func(n int64, unit string) string {
		if n == 1 {
			return "1 " + unit
		}
		return fmt.Sprintf("%d %ss", n, unit)
	}
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < 2*time.Hour:
		return count(int64(d/time.Minute), "minute")
	case d < 48*time.Hour:
		return count(int64(d/time.Hour), "hour")
	}
	return count(int64(d/(24*time.Hour)), "day")
}
