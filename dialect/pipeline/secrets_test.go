package pipeline_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/hook"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	const file = "# comment\n\nA=plain value # comment\nexport B='single # quoted'\r\nC=\"double $A\" # comment\nD=\nE='a'b\nbroken\n1F=x\nG=\"open\nH=a=b#c\nITERATION=not this\nPATH=nor this\n"
	p := newPlace(t, map[string]string{
		"~/.config/agent-pipelines/secrets.env": file,
		"loop.yaml":                             "hooks:\n  on_error:\n    - type: spawn\n      pipeline: x\n      inputs: {a: \"${A}\", b: \"${B}\", c: \"${C}\", d: \"${D}\", e: \"${E}\", g: \"${G}\", h: \"${H}\", i: \"${ITERATION}\", p: \"${HERE}\"}\n    - {type: shell, await: true, command: 'printf %s \"${A-none}\"'}\n",
		"scripts/engine.sh":                     "#!/bin/sh\ncp \"$6\" output.json\n",
	})
	if err := os.Chmod(filepath.Join(p.options.Workspace, "scripts/engine.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.options.Env = append(p.options.Env, "HERE=from the environment")
	report := p.emit("on_error", map[string]any{"iteration": "1"})
	want := `{"a":"plain value","b":"single # quoted","c":"double $A","d":"","e":"","g":"","h":"a=b#c","i":"1","p":"from the environment"}`
	if diff := cmp.Diff(want, report.Result["spawn_output"]); diff != "" {
		t.Errorf("inputs mismatch (-want +got):\n%s", diff)
	}
	if got := report.Hooks[1].Judgement.Out; got != "none" {
		t.Errorf("a shell got the secret %q", got)
	}
	_, problems := p.load()
	for i := range problems {
		_, problems[i], _ = strings.Cut(problems[i], "secrets.env")
	}
	if diff := cmp.Diff([]string{
		":7: the quote of E is not closed, or something follows it: write E='VALUE'",
		":8: not a line NAME=VALUE: write one, or # before a comment",
		":9: not a line NAME=VALUE: write one, or # before a comment",
		":10: the quote of G is not closed, or something follows it: write G='VALUE'",
	}, problems); diff != "" {
		t.Errorf("problems mismatch (-want +got):\n%s", diff)
	}
}

func TestSecretsThatOthersCanRead(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"~/.config/agent-pipelines/secrets.env": "A=1\n"})
	path := filepath.Join(p.options.Home, ".config/agent-pipelines/secrets.env")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	want := []string{"warning " + path + ": others can read or change it: run chmod 600 " + path}
	if _, problems := p.load(); !cmp.Equal(want, problems) {
		t.Errorf("problems %q, want %q", problems, want)
	}
}

// Facts 6, rule D: values stay inside of texts, whatever is in them.
func TestWhatIsSent(t *testing.T) {
	t.Parallel()
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var body strings.Builder
		_ = r.Write(&body) // the request as it came
		got = body.String()
	}))
	t.Cleanup(server.Close)
	for _, tt := range []struct {
		name, action string
		want, not    []string
	}{
		{"nothing but an address", "", []string{"POST /x HTTP/1.1\r\n", "Content-Type: application/json\r\n", "\r\n\r\n{}"}, nil},
		{"GET has no body", "method: get", []string{"GET /x HTTP/1.1\r\n"}, []string{"{}"}},
		{"values in texts", `body: {text: "<${ERROR}>", "${ERROR}": 1, n: 10, f: 1.50, big: 123456789012345678901, hex: 0x10, date: 2026-01-02, none: null, yes: true, list: ["${STAGE}"]}`,
			[]string{`"text":"<\"}, {\\ \n'>"`, `"${ERROR}":1`, `"n":10`, `"f":1.50`, `"big":123456789012345678901`, `"hex":16`, `"date":"2026-01-02"`, `"none":null`, `"yes":true`, `"list":["a/b?c&d"]`}, nil},
		{"headers", `headers: {X-Stage: "${STAGE}", Content-Type: text/plain, X-N: 3}`, []string{"X-Stage: a/b?c&d\r\n", "Content-Type: text/plain\r\n", "X-N: 3\r\n"}, []string{"application/json"}},
		{"a list as body", `body: ["${STAGE}", 1]`, []string{`["a/b?c&d",1]`}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, map[string]string{"loop.yaml": "hooks:\n  on_error:\n    - type: webhook\n      url: " + server.URL + "/x\n      " + tt.action + "\n"})
			p.emitHere("on_error", map[string]any{"error": "\"}, {\\ \n'", "stage": "a/b?c&d"})
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("sent %q, which lacks %q", got, want)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(got, not) {
					t.Errorf("sent %q, which has %q", got, not)
				}
			}
		})
	}
	t.Run("values in the address", func(t *testing.T) {
		p := newPlace(t, map[string]string{"loop.yaml": "hooks:\n  on_error:\n    - type: webhook\n      url: " + server.URL + "/${STAGE}/y?q=${ERROR}\n"})
		p.emitHere("on_error", map[string]any{"error": "a b&c=d#e", "stage": "a/x?y"})
		if want := "POST /a%2Fx%3Fy/y?q=a%20b%26c%3Dd%23e HTTP/1.1\r\n"; !strings.HasPrefix(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
	})
}

func TestWhatIsNotSent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, action, reason string }{
		{"an address that is not set", `url: "${NOPE}/${NEITHER}"`, "make URL: NOPE, NEITHER is not set, in the environment or in secrets.env"},
		{"a value that chooses the host", `url: "https:/${EMPTY}/${STAGE}/x"`, "make URL: a value of the event chooses its host"},
		{"a value that is the host", `url: "${SCHEME}//${ITERATION}/x"`, "make URL: a value of the event chooses its host"},
		{"plain http", `url: "http://example.com/secret"`, "https"},
		{"no address", `url: "${SCHEMELESS}"`, "https"},
		{"a header of two lines", "url: https://example.com/x\n      headers: {X: \"${ERROR}\"}", "header"},
		{"a value that climbs out of its piece of the path", "url: https://example.com/team/${STAGE}/${SESSION}/notify", "make URL: a value makes a piece of its path . or .., which leads elsewhere"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, await := range []string{"false", "true"} {
				p := newPlace(t, map[string]string{"loop.yaml": "hooks:\n  on_error:\n    - type: webhook\n      on_failure: abort\n      await: " + await + "\n      " + tt.action + "\n"})
				p.options.Env = append(p.options.Env, "SCHEMELESS=example.com/secret", "EMPTY=", "SCHEME=https:")
				report := p.emit("on_error", map[string]any{"error": "a\r\nX-Evil: secret", "stage": "..", "session": "../x", "iteration": "evil.example"})
				ran := report.Hooks[0]
				if ran.Result.Status != map[string]hook.Status{"false": hook.Failed, "true": hook.Blocked}[await] || report.Blocked != (await == "true") {
					t.Errorf("await %s: %+v", await, ran.Result)
				}
				if !strings.Contains(ran.Result.Reason, tt.reason) || strings.Contains(strings.ReplaceAll(ran.Result.Reason+p.log.String(), "secrets.env", ""), "secret") {
					t.Errorf("await %s: reason %q, log %q", await, ran.Result.Reason, p.log.String())
				}
			}
		})
	}
}
