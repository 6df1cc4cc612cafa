package pipeline

import (
	"net/url"
	"slices"
	"strings"

	"discobot-hooks/internal/expand"
	"discobot-hooks/internal/variables"
	"discobot-hooks/internal/wording"
	"discobot-hooks/internal/yamlfile"
)

// request is what a webhook sends, before anything is filled in.
type request struct {
	method, url string
	headers     map[string]string
	body        any // JSON values; nil: none is written
	bodyless    bool

	port      int
	explicit  bool // the port was written
	onTimeout string
	actions   []string // what people can answer
}

const defaultPort = 8765

func readRequest(in yamlfile.Mapping) request {
	r := request{
		method:    strings.ToUpper(methodOf(in)),
		url:       strings.TrimSpace(required(in, "url", "https://example.com/hook")),
		headers:   headers(in),
		port:      whole(in, "callback_port", defaultPort, 65535),
		explicit:  in.Value("callback_port") != nil && in.Text("callback_port") != "0",
		onTimeout: oneOf(in, "on_timeout", abort, onward),
	}
	r.bodyless = in.Value("body") == nil
	if body := in.Value("body"); body != nil {
		r.body = tree(in, body)
		r.actions, _ = callbackActions(body)
	}
	if name := variableBeforePath(r.url); name != "" {
		in.Wrong("url", ": ${%s} stands before its path, so an event could choose where the message goes: write that out, or take it from the environment", name)
	}
	return r
}

func methodOf(in yamlfile.Mapping) string {
	const methods = "GET HEAD POST PUT PATCH DELETE"
	if in.Value("method") == nil {
		return "POST"
	}
	method := in.Text("method")
	if !slices.Contains(strings.Fields(methods), strings.ToUpper(method)) {
		in.Wrong("method", " is %s: write one of %s", wording.Quote(method), strings.ReplaceAll(methods, " ", ", "))
		return "POST"
	}
	return method
}

func headers(in yamlfile.Mapping) map[string]string {
	n := in.Value("headers")
	if n == nil {
		return nil
	}
	out := make(map[string]string)
	object, ok := tree(in, n).(map[string]any)
	if !ok {
		in.Wrong("headers", " is %s: write a line NAME: VALUE for each", yamlfile.Kind(n))
	}
	for name, value := range object {
		switch value.(type) {
		case map[string]any, []any:
			in.Wrong("headers", ": %s has more than one value: write one", wording.Quote(name))
		}
		out[name] = variables.Text(value)
	}
	return out
}

// variableBeforePath finds a variable of the event in front of a URL's path.
// One of the environment may be there: whoever sets it is no stranger.
func variableBeforePath(template string) string {
	end := len(template)
	if scheme := strings.Index(template, "://"); scheme >= 0 {
		if slash := strings.IndexAny(template[scheme+3:], "/?#"); slash >= 0 {
			end = scheme + 3 + slash
		}
	} else if slash := strings.IndexAny(template, "/?#"); slash >= 0 {
		end = slash
	}
	for v := range expand.All(template) {
		if v.Start < end && isVariable(v.Name) {
			return v.Name
		}
	}
	return ""
}

// queryOf is the query that a text begins with, as programs find links in
// texts: up to what cannot be in one, without what ends a sentence.
func queryOf(text string) string {
	if !strings.HasPrefix(text, "?") {
		return ""
	}
	if end := strings.IndexAny(text, " \t\r\n\"'<>|)]}#"); end >= 0 {
		text = text[:end]
	}
	return strings.TrimRight(text, ".,;:!?")
}

// actionOf reads the action of a query that follows a callback's URL.
func actionOf(text string) string {
	query := strings.TrimPrefix(queryOf(text), "?")
	values, err := url.ParseQuery(query)
	if err != nil || strings.Contains(query, "${") {
		return ""
	}
	return values.Get("action")
}
