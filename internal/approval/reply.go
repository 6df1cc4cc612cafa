package approval

import (
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A reply is HTML for people and JSON for programs.
type reply struct {
	w http.ResponseWriter
	r *http.Request
}

// toProgram tells whether a program asks: browsers accept text/html and send
// forms.
func (o reply) toProgram() bool {
	kind, _, _ := mime.ParseMediaType(o.r.Header.Get("Content-Type")) // of no use: no program
	return kind == "application/json" || !strings.Contains(strings.Join(o.r.Header.Values("Accept"), ","), "text/html")
}

func (o reply) ask(q Question, marked string, now time.Time) {
	if !o.toProgram() {
		o.html(http.StatusOK, questionPage(q, marked, now))
		return
	}
	o.json(http.StatusOK, struct {
		Question
		Actions []string `json:"actions"`
		Hint    string   `json:"hint"`
	}{q, buttons(q.Actions, marked), howToAnswer})
}

// decided says what was decided: as the answer to the one who decided it, to
// others who look, and with [http.StatusGone] to others who would decide.
func (o reply) decided(status int, r record, now time.Time) {
	if !o.toProgram() {
		o.html(status, decidedPage(r, status == http.StatusGone, now))
		return
	}
	said := struct {
		Error   string    `json:"error,omitempty"`
		Decided string    `json:"decided"`
		Message string    `json:"message,omitempty"`
		At      time.Time `json:"at"`
	}{Decided: r.Answer.Action, Message: r.Answer.Message, At: r.Answer.At.UTC()}
	if status == http.StatusGone {
		said.Error = "answered already"
	}
	o.json(status, said)
}

// fault says what is wrong and what to do.
func (o reply) fault(status int, hint string) {
	if !o.toProgram() {
		o.html(status, faultPage(status, hint))
		return
	}
	o.json(status, struct {
		Error string `json:"error"`
	}{hint})
}

func (o reply) json(status int, v any) {
	content, err := json.Marshal(v)
	if err != nil { // texts and times of years that have four digits
		status, content = http.StatusInternalServerError, []byte(`{"error":"cannot be said in JSON"}`)
	}
	o.send(status, "application/json", append(content, '\n'))
}

func (o reply) html(status int, page string) {
	o.send(status, "text/html; charset=utf-8", []byte(page))
}

func (o reply) send(status int, kind string, content []byte) {
	o.w.Header().Set("Content-Type", kind)
	o.w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	o.w.Header().Set("Vary", "Accept")
	o.w.WriteHeader(status)
	_, _ = o.w.Write(content) // whoever asked has gone; HEAD gets none
}
