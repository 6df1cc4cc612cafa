package pipeline

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"discobot-hooks/dialect"
	"discobot-hooks/hook"
	"discobot-hooks/internal/expand"
	"discobot-hooks/internal/variables"
	"discobot-hooks/internal/webhook"
)

// sendLimit is what one attempt to send can take where its timeout is longer.
const sendLimit = 10 * time.Second

// post is a request, filled in.
type post struct {
	webhook.Request
	All time.Duration // for all attempts; zero: no limit but ctx
}

// Run implements [dialect.Action].
func (p *post) Run(ctx context.Context, exec dialect.Exec) dialect.Outcome {
	if p.All > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.All)
		defer cancel()
	}
	if err := p.Send(ctx, exec.Log); err != nil {
		return ended(ctx, err)
	}
	return dialect.Outcome{Result: hook.Result{Status: hook.OK}}
}

func (p *post) wire() (wire, error) { return wire{Post: p}, nil }

// fill makes the request of a webhook. What is unset fails it where it stands
// in the address, since the rest might be another one; elsewhere people are
// told.
func (f *Format) fill(d definition, v values) (webhook.Request, error) {
	r := webhook.Request{Method: d.request.method, RetryDelay: d.delay, Retries: d.attempts() - 1, Timeout: d.sendLimit()}
	address, missing := expand.Expand(d.request.url, func(name string) (string, bool) {
		value, ok := f.value(v, name)
		if isVariable(name) {
			value = strings.ReplaceAll(url.QueryEscape(value), "+", "%20") // a value stays one piece of the address
		}
		return value, ok
	})
	if len(missing) > 0 {
		return r, fmt.Errorf("make URL: %s is not set, in the environment or in secrets.env", strings.Join(missing, ", "))
	}
	if f.strays(d, address) {
		return r, errors.New("make URL: a value of the event chooses its host: write the host out, or take it from the environment")
	}
	if climbs(address) {
		return r, errors.New("make URL: a value makes a piece of its path . or .., which leads elsewhere")
	}
	r.URL = address
	texts := f.texts(v, "")
	r.Headers = maps.Clone(d.request.headers)
	for name, value := range r.Headers {
		r.Headers[name] = texts(value)
	}
	switch {
	case !d.request.bodyless:
		r.Body = variables.JSON(expandTree(d.request.body, texts))
	case r.Method != "GET" && r.Method != "HEAD":
		r.Body = []byte("{}")
	}
	return r, webhook.Check(r.Method, r.URL, r.Headers)
}

// strays tells whether the address leads to another host than it would without
// the event's values.
func (f *Format) strays(d definition, address string) bool {
	plain, _ := expand.Expand(d.request.url, func(name string) (string, bool) {
		if isVariable(name) {
			return "", true
		}
		return f.value(values{}, name)
	})
	with, err := url.Parse(address)
	without, plainErr := url.Parse(plain)
	return err == nil && (plainErr != nil || with.Scheme != without.Scheme || with.Host != without.Host)
}

// climbs tells whether a path has pieces that servers, and what stands before
// them, take for directions (RFC 3986, 5.2.4). Escaping does not help: %2e is a
// dot.
func climbs(address string) bool {
	u, err := url.Parse(address)
	return err == nil && slices.ContainsFunc(strings.Split(u.Path, "/"), func(piece string) bool { return piece == "." || piece == ".." })
}

// texts fills in texts that are not addresses. Each name that is not set is
// told of once.
func (f *Format) texts(v values, where string) func(string) string {
	told := make(map[string]bool)
	return func(text string) string {
		out, missing := expand.Expand(text, func(name string) (string, bool) { return f.value(v, name) })
		for _, name := range missing {
			if !told[name] {
				told[name] = true
				f.warn(fmt.Sprintf("${%s} is not set, in the environment or in secrets.env: nothing stands in its place%s", name, where))
			}
		}
		return out
	}
}

// value is what ${NAME} stands for outside of shells: a variable of the
// document, else the environment's, else a secret.
func (f *Format) value(v values, name string) (string, bool) {
	if isVariable(name) {
		return v.get(name), true
	}
	if value, ok := lookup(f.options.Env, name); ok {
		return value, true
	}
	value, ok := f.secrets.of[name]
	return value, ok
}
