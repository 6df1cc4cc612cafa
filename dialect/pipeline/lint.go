package pipeline

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
	"mvdan.cc/sh/v3/syntax"

	"discobot-hooks/hook"
	"discobot-hooks/internal/approval"
	"discobot-hooks/internal/expand"
	"discobot-hooks/internal/webhook"
	"discobot-hooks/internal/wording"
	"discobot-hooks/internal/yamlfile"
)

// lint warns of what is legal and does not do what it looks like.
func lint(in yamlfile.Mapping, d definition) {
	warn := func(key, format string, args ...any) {
		in.Add(in.LineOf(key), hook.Warning, key+format, args...)
	}
	if !d.await && d.onFailure == abort {
		warn("on_failure", " is abort, but nobody awaits the action, so it cannot stop anything: write await: true")
	}
	if d.kind == kindSpawn && d.onFailure == again && d.retries == 0 {
		warn("on_failure", " is retry, but retries is 0 by default for spawn: write retries: 1 or more")
	}
	if in.Value("retries") != nil && d.onFailure != again {
		warn("retries", " does nothing without on_failure: retry")
	}
	switch d.kind {
	case kindShell:
		lintCommand(in, d.command)
	case kindWebhook:
		lintWebhook(in, d, warn)
	}
}

func lintWebhook(in yamlfile.Mapping, d definition, warn func(key, format string, args ...any)) {
	if literalToken(d.request.url) {
		warn("url", " holds what looks like a token: keep it out of the file, in the environment or in secrets.env, and write ${NAME}")
	}
	if name := literalHeader(d.request.headers); name != "" {
		warn("headers", ": %s holds a credential: keep it out of the file, in the environment or in secrets.env, and write ${NAME}", name)
	}
	if !strings.Contains(d.request.url, "${") && d.request.url != "" {
		if err := webhook.Check(d.request.method, d.request.url, d.request.headers); err != nil {
			in.Add(in.LineOf("url"), hook.Error, "%v", err) // breaks nothing: the action fails, and on_failure says what that means
		}
	}
	if d.await && len(d.request.actions) > 0 && !slices.ContainsFunc(d.request.actions, approval.Rejects) {
		warn("body", " has no link by which to say no: add ${CALLBACK_URL}?action=reject, or the page has no button for it")
	}
	for _, action := range d.request.actions {
		if err := approval.CheckAction(action); err != nil {
			in.Add(in.LineOf("body"), hook.Error, "body: %v", err) // likewise
		}
	}
	_, inBody := callbackActions(in.Value("body"))
	_, inHeaders := callbackActions(in.Value("headers"))
	offered := inBody || inHeaders || strings.Contains(d.request.url, "${CALLBACK_URL}")
	for _, key := range []string{"on_timeout", "callback_port"} {
		if in.Value(key) != nil && !d.await {
			warn(key, " does nothing without await: true")
		}
	}
	switch {
	case d.await && !offered:
		warn("await", " waits for an answer, but the message has no ${CALLBACK_URL} by which to give one: put it into the body")
	case d.await && d.onFailure != abort:
		warn("await", ": where the message cannot be sent nobody is asked, and the pipeline goes on: write on_failure: abort if it must not")
	case !d.await && offered:
		warn("url", ": the message has a ${CALLBACK_URL}, which is empty without await: true")
	}
	for _, key := range []string{"url", "headers", "body"} {
		leaves(in.Value(key), func(n *yaml.Node) { lintText(in, n) })
	}
}

// lintText names what looks like a variable and is left as it stands.
func lintText(in yamlfile.Mapping, n *yaml.Node) {
	for _, odd := range expand.Odd(n.Value) {
		in.Warnf(n.Line, "%s stays as it is written: only ${NAME} is replaced", wording.Quote(odd))
	}
}

// literalToken tells whether an address has what only who knows it can call:
// a password, or a piece that no person has thought of.
func literalToken(template string) bool {
	plain, _ := expand.Expand(template, func(string) (string, bool) { return "", true })
	u, err := url.Parse(plain)
	if err != nil {
		return false
	}
	if u.User != nil || random(u.Fragment) {
		return true
	}
	for name, values := range u.Query() {
		secret := slices.Contains([]string{"token", "key", "secret", "sig", "signature", "apikey", "api_key", "access_token", "password"}, strings.ToLower(name))
		if secret && values[0] != "" || slices.ContainsFunc(values, random) {
			return true
		}
	}
	return slices.ContainsFunc(strings.Split(u.Path, "/"), random)
}

// literalHeader is the name of a header that is for credentials and has one
// written out.
func literalHeader(headers map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		credential := slices.Contains([]string{"authorization", "proxy-authorization", "cookie", "x-api-key", "api-key", "x-auth-token"}, strings.ToLower(name))
		if credential && headers[name] != "" && !strings.Contains(headers[name], "${") {
			return name
		}
	}
	return ""
}

// random tells a piece that mixes letters and digits, as tokens do and words
// do not.
func random(piece string) bool {
	digits, letters := 0, 0
	for _, r := range piece {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	return digits+letters >= 9 && digits >= 2 && letters >= 2 && (digits >= 4 || digits+letters >= 16)
}

// lintCommand reads the command as bash will.
func lintCommand(in yamlfile.Mapping, command string) {
	at := in.Value("command")
	if at == nil {
		return
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		where := err.Error()
		if parse, ok := errors.AsType[syntax.ParseError](err); ok {
			where = fmt.Sprintf("%s, at column %d of its line %d", parse.Text, parse.Pos.Col(), parse.Pos.Line())
		}
		in.Add(at.Line, hook.Warning, "command is not bash as far as we can tell: %s", where)
		return
	}
	seen := make(map[string]bool)
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.CallExpr:
			for _, word := range node.Args {
				lintWord(in, at.Line, word, seen)
			}
		case *syntax.SglQuoted:
			for _, name := range expand.Names(node.Value) {
				if isVariable(name) && !seen["'"+name] {
					seen["'"+name] = true
					in.Warnf(at.Line, "'${%s}' stays as it is written, since bash replaces nothing in single quotes: write \"${%s}\"", name, name)
				}
			}
		}
		return true
	})
}

// lintWord finds a variable that bash splits at spaces and reads as a glob.
func lintWord(in yamlfile.Mapping, line int, word *syntax.Word, seen map[string]bool) {
	for _, part := range word.Parts {
		expansion, ok := part.(*syntax.ParamExp)
		if !ok || expansion.Length || !isVariable(expansion.Param.Value) || seen[expansion.Param.Value] {
			continue
		}
		name := expansion.Param.Value
		seen[name] = true
		in.Warnf(line, "${%s} is split at spaces where it stands without quotes: write \"${%s}\"", name, name)
	}
}
