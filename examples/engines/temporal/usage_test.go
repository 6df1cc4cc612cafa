package temporal_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommandLines(t *testing.T) {
	s := newStage(t)
	dir := s.session("child")
	const see = "\ntemporal-engine: hint: see temporal-engine --help\n"
	complete := "--session-dir " + dir + " --pipeline p --inputs " + dir + "/inputs.json --dir " + s.workspace
	tests := map[string]struct {
		command string
		exit    int
		says    string
	}{
		"no options":     {"temporal-engine", 64, "temporal-engine: --session-dir is missing" + see},
		"no pipeline":    {"temporal-engine --session-dir x", 64, "temporal-engine: --pipeline is missing" + see},
		"no workspace":   {"temporal-engine --session-dir x --pipeline p --inputs x", 64, "temporal-engine: --dir is missing\ntemporal-engine: hint: pass --dir WORKSPACE, or set DISCOBOT_WORKSPACE\n"},
		"unknown option": {"temporal-engine --nonsense", 64, "temporal-engine: flag provided but not defined: -nonsense" + see},
		"an argument":    {"temporal-engine x", 64, `temporal-engine: unexpected argument "x"` + see},
		"short timeout":  {"temporal-engine --timeout 1ms " + complete, 64, "temporal-engine: time limits: less than a second" + see},
		"no directory": {"temporal-engine --session-dir /nowhere --pipeline p --inputs x --dir /", 1,
			"temporal-engine: session directory: lstat /nowhere: no such file or directory\n"},
		"no inputs": {"temporal-engine --session-dir / --pipeline p --inputs /nowhere --dir /", 1,
			"temporal-engine: inputs: open /nowhere: no such file or directory\n"},
		"no local engine": {"temporal-worker --engine /nowhere", 64,
			"temporal-worker: engine: exec: \"/nowhere\": stat /nowhere: no such file or directory\ntemporal-worker: hint: put discobot-hooks in PATH, or name another engine with --engine\n"},
		"no children": {"temporal-worker --max 0", 64, "temporal-worker: --max: less than one\ntemporal-worker: hint: see temporal-worker --help\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			words := strings.Fields(test.command)
			p := s.start([]string{"DISCOBOT_WORKSPACE="}, words[0], words[1:]...)
			s.wantExit(p, test.exit)
			if diff := cmp.Diff(test.says, p.said()); diff != "" {
				t.Errorf("it says mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	s := newStage(t)
	for _, name := range []string{"temporal-engine", "temporal-worker"} {
		p := s.start(nil, name, "--help")
		s.wantExit(p, 0)
		if !strings.HasPrefix(p.said(), "Usage: "+name) || !strings.Contains(p.said(), "\nExample:\n") {
			t.Errorf("%s --help says %q", name, p.said())
		}
	}
}

// Without a server the way out is named.
func TestNoServer(t *testing.T) {
	s := newStage(t)
	dir := s.session("child")
	between := newProxy(t, s.address)
	between.cut()
	s.address = between.listener.Addr().String()
	p := s.spawn(dir, "quick")
	s.wantExit(p, 1)
	if want := "hint: is a server at " + s.address; !strings.Contains(p.said(), want) {
		t.Errorf("it says %q, want %s", p.said(), want)
	}
}
