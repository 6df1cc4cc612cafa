package agenthost

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/internal/jsonedit"
)

func testOptions(t testing.TB) Options {
	dir := t.TempDir()
	return Options{
		Workspace: filepath.Join(dir, "ws"), Home: filepath.Join(dir, "home"), StateRoot: filepath.Join(dir, "state"),
		Getenv: func(string) string { return "" },
	}
}

// Codex trusts a hook by a hash over its command and time-out: a release that
// changes a byte of either silently switches the hook off for everybody.
func TestCommandsAreTheSameInEveryRelease(t *testing.T) {
	t.Parallel()
	tests := []struct {
		agent string
		Options
		want string
	}{
		{"codex", Options{}, `{"hooks":[{"type":"command","command":"discobot-hooks eval-turn --agent codex","timeout":120}]}`},
		{"codex", Options{Timeout: 2 * time.Minute}, `{"hooks":[{"type":"command","command":"discobot-hooks eval-turn --agent codex","timeout":120}]}`},
		{"codex", Options{Timeout: 5 * time.Minute}, `{"hooks":[{"type":"command","command":"discobot-hooks eval-turn --agent codex --timeout 5m0s","timeout":300}]}`},
		{"claude-code", Options{Background: true}, `{"hooks":[{"type":"command","command":"discobot-hooks eval-turn --agent claude-code --background","timeout":120,"asyncRewake":true}]}`},
		{"gemini-cli", Options{}, `{"hooks":[{"name":"discobot-hooks","type":"command","command":"discobot-hooks eval-turn --agent gemini-cli || exit 1","timeout":120000}]}`},
	}
	for _, test := range tests {
		h, _ := Find(test.agent)
		a := h.in(&test.Options)
		if diff := cmp.Diff(test.want, string(a.element(a.events()[0]))); diff != "" {
			t.Errorf("%s at stop mismatch (-want +got):\n%s", test.agent, diff)
		}
	}
}

// A byte order mark is fine for Claude Code and for nobody else.
func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	for _, h := range Hosts() {
		if h.Name == OpenCode {
			continue
		}
		o := testOptions(t)
		path := h.in(&o).path(o.User)
		before := append([]byte("\ufeff"), `{"a":1}`...)
		writeFile(t, path, before)
		_, err := h.Connect(t.Context(), o)
		if (err == nil) != (h.Name == "claude-code") {
			t.Errorf("%s: Connect: %v", h.Name, err)
		}
		if err != nil {
			continue
		}
		if got := readFile(t, path); !bytes.HasPrefix(got, []byte("\ufeff{\"a\":1,")) {
			t.Errorf("%s: the file is %q", h.Name, got)
		}
		if _, err := h.Disconnect(t.Context(), o); err != nil || !bytes.Equal(readFile(t, path), before) {
			t.Errorf("%s: Disconnect: %v, the file is %q", h.Name, err, readFile(t, path))
		}
	}
}

// A note that cannot be written does not keep anybody from connecting.
func TestStateUnwritable(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	writeFile(t, o.StateRoot, nil) // a file where the directory belongs
	h, _ := Find("codex")
	out, err := h.Connect(t.Context(), o)
	if err != nil || len(out.Changes) != 1 || len(out.Notes) != 1 {
		t.Errorf("Connect = %+v, %v; want one change and one note", out, err)
	}
	if out, err = h.Disconnect(t.Context(), o); err != nil || len(out.Changes) != 1 {
		t.Errorf("Disconnect = %+v, %v; want one change", out, err)
	}
}

// A link to nothing is somebody's: connect makes what it names, and disconnect
// takes that and not the link.
func TestDanglingLinkStays(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	h, _ := Find("claude-code")
	link := h.in(&o).path(false)
	target := filepath.Join(o.Home, "dotfiles", "claude.json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(target, link)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Connect(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	readFile(t, target)
	if _, err := h.Disconnect(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the target is still there: %v", err)
	}
	if got, err := os.Readlink(link); got != target {
		t.Errorf("Readlink = %q, %v; want %q", got, err, target)
	}
}

// FuzzConnectDisconnect: what both together leave means what was there before,
// and connecting twice is connecting once.
func FuzzConnectDisconnect(f *testing.F) {
	for _, seed := range []string{"", "{}", " \n", `{"hooks":{}}`, `{"hooks":{"Stop":[],"stop":[],"agentStop":[],"AfterAgent":[]},"version":2}`,
		`{"hooks":{"Stop":[{"hooks":[]},{"matcher":"*"},7,{"hooks":[{"command":"x"},null]}]}}`, "// a\n{ /* b */ \"hooks\" : { \"AfterAgent\" : [ // c\n ] } }",
		"{\r\n\t\"hooks\": {\r\n\t\t\"SessionStart\": [{}]\r\n\t}\r\n}", `{"version":1}`, "\ufeff{}", `{"hooks":{"a":1,"a":2}}`} {
		f.Add([]byte(seed), uint8(0))
		f.Add([]byte(seed), uint8(2))
		f.Add([]byte(seed), uint8(5))
	}
	f.Fuzz(func(t *testing.T, content []byte, n uint8) {
		h := Hosts()[int(n)%len(Hosts())]
		if h.Name == OpenCode || bytes.Contains(content, []byte(program)) {
			return
		}
		r := h.in(&Options{})
		events := r.events()
		connected, made, _, err := r.register(configFile{content: content}, events)
		if err != nil {
			return
		}
		if again, _, _, err := r.register(configFile{content: connected}, events); err != nil || !bytes.Equal(again, connected) {
			t.Fatalf("connecting again made %q of %q, %v", again, connected, err)
		}
		left, _, err := r.unregister(configFile{content: connected}, events, made.Made, true)
		if err != nil {
			t.Fatalf("disconnecting from %q: %v", connected, err)
		}
		if want, got := meaning(r.format, content), meaning(r.format, left); !reflect.DeepEqual(want, got) {
			t.Errorf("%s: %q became %q, then %q", h.Name, content, connected, left)
		}
	})
}

func meaning(f jsonedit.Format, content []byte) (m any) {
	content = bytes.TrimPrefix(content, byteOrderMark)
	if len(bytes.TrimSpace(content)) == 0 {
		return map[string]any{} // what an agent makes of it
	}
	decoder := json.NewDecoder(bytes.NewReader(f.Plain(content)))
	decoder.UseNumber()
	_ = decoder.Decode(&m) // both sides alike
	return m
}

func writeFile(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
