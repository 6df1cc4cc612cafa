// Package loopback is a language model for tests: a server on 127.0.0.1 that
// speaks the protocols of Anthropic, OpenAI (responses and chat completions)
// and Gemini as far as coding agents need them, says what a test wants said,
// and keeps what it was sent.
//
// Start with [New]. It proves nothing about the protocols themselves: it is
// lenient where the real servers are strict.
package loopback

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// A Request is one of an agent's to the model.
type Request struct {
	Path  string
	Body  []byte   // as sent
	News  string   // the text of all messages since the model's own last one; of a tool's result it is what the tool said
	Tool  bool     // a tool's result is among the news
	Tools []string // that the model may use, by name, or namespace.name; none in requests for titles, summaries and the like
	Model string
}

// A Reply is what the model says: a text, or one use of a tool.
type Reply struct {
	Text  string
	Tool  string         // the tool to use, named as in the request; empty for none
	Input map[string]any // for the tool
}

// A Model is a running server. Its methods are safe for concurrent use.
type Model struct {
	URL    string // without a slash at the end
	server *httptest.Server
	answer func(Request) Reply

	mu       sync.Mutex
	requests []Request
	strange  []string
}

// New starts a model that replies with what answer returns. answer is called
// by one request at a time, in the order in which they came. The caller closes
// the model.
func New(answer func(Request) Reply) *Model {
	m := &Model{answer: answer}
	m.server = httptest.NewServer(m)
	m.URL = m.server.URL
	return m
}

// Close stops the server. It cuts off who still waits for an answer.
func (m *Model) Close() {
	m.server.CloseClientConnections()
	m.server.Close()
}

// Requests are those so far, in the order in which they came.
func (m *Model) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Strange are the requests that are in none of the protocols, as method and path.
func (m *Model) Strange() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.strange)
}

// A dialogue is one protocol: how it asks, and how it is answered.
type dialogue interface {
	read(body []byte, r *Request) error
	write(w *answerWriter, r Reply)
}

// A call is one request's path, and what is spoken there.
type call struct {
	suffix string
	speaks dialogue
}

var calls = []call{
	{"/messages", anthropic{}},
	{"/responses", responses{}},
	{"/chat/completions", chat{}},
	{":generateContent", gemini{}},
	{":streamGenerateContent", gemini{stream: true}},
}

func (m *Model) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer := &answerWriter{ResponseWriter: w}
	path := request.URL.Path
	i := slices.IndexFunc(calls, func(c call) bool { return strings.HasSuffix(path, c.suffix) })
	switch {
	case i >= 0 && request.Method == http.MethodPost:
		m.converse(answer, calls[i].speaks, Request{Path: path, Body: body})
	case strings.HasSuffix(path, "/count_tokens"):
		answer.json(object{"input_tokens": 10})
	case strings.HasSuffix(path, ":countTokens"):
		answer.json(object{"totalTokens": 10})
	case strings.HasSuffix(path, "/models"):
		answer.json(object{"object": "list", "data": []object{{"id": "mock", "object": "model"}}, "models": []object{}})
	default:
		m.mu.Lock()
		m.strange = append(m.strange, request.Method+" "+path)
		m.mu.Unlock()
		answer.json(object{})
	}
}

func (m *Model) converse(w *answerWriter, d dialogue, r Request) {
	if err := d.read(r.Body, &r); err != nil {
		http.Error(w, fmt.Sprintf("read request: %v", err), http.StatusBadRequest)
		return
	}
	w.model, w.streams = r.Model, streams(r.Body)
	m.mu.Lock()
	m.requests = append(m.requests, r)
	w.number = len(m.requests)
	reply := m.answer(r)
	m.mu.Unlock()
	d.write(w, reply)
}

// streams tells whether the answer is wanted in pieces, where the request's
// body says so.
func streams(body []byte) bool {
	var asked struct {
		Stream bool `json:"stream"`
	}
	return json.Unmarshal(body, &asked) == nil && asked.Stream
}

type object = map[string]any

// An answerWriter writes one answer.
type answerWriter struct {
	http.ResponseWriter
	number  int // of the request, from 1: it makes ids
	model   string
	streams bool
}

// id is one for this answer's parts of a kind.
func (w *answerWriter) id(kind string) string { return fmt.Sprintf("%s_%d", kind, w.number) }

func (w *answerWriter) json(value any) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(encode(value)) // an agent that hangs up is not our fault
}

// events writes server-sent events. Each is named by its type, where it has
// one.
func (w *answerWriter) events(events ...object) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range events {
		if name, ok := event["type"]; ok {
			_, _ = fmt.Fprintf(w, "event: %s\n", name)
		}
		_, _ = fmt.Fprintf(w, "data: %s\n\n", encode(event))
	}
}

func encode(value any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	if err := encoder.Encode(value); err != nil {
		panic(err) // a test's tool input that no JSON can hold
	}
	return bytes.TrimSpace(buffer.Bytes())
}
