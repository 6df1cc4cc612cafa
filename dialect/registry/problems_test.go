package registry_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"discobot-hooks/dialect/registry"
)

func TestProblems(t *testing.T) {
	t.Parallel()
	const head = "id: a\nevent_type: SessionStop\n"
	const tail = "handler:\n  command: \"true\"\n"
	const six = "UserPromptSubmit, PreAbilityCall, PostAbilityCall, SessionStart, SessionEnd, SessionStop"
	tests := []struct {
		name, content string
		want          []string // after the file's name
		loaded        bool
	}{
		{"nothing wrong", head + tail, nil, true},
		{"keys without values", head + "match:\nenvironments:\nsummary:\nenabled: ~\neffects:\n" + tail, nil, true},
		{"effects are anybody's", head + "effects: {a: [b, {c: d}]}\n" + tail, nil, true},

		{"empty", "", []string{"error : empty: fill it or remove it"}, false},
		{"comments alone", "# nothing\n", []string{"error : empty: fill it or remove it"}, false},
		{"a list", "- id: a\n", []string{"error 1: not a hook: write lines such as id: NAME"}, false},
		{"a second document", head + tail + "---\nid: b\n", []string{"error 5: a second document: write one a file"}, false},
		{"a broken second document", head + tail + "---\n[", []string{"error 6: not YAML: did not find expected node content"}, false},
		{"an anchor", head + "effects: &x [a]\n" + tail, []string{"error 3: anchors (&name) are not supported: write the value alone, in quotes if it starts with &"}, false},
		{"an alias bomb stops at its first anchor", "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", []string{"error 1: anchors (&name) are not supported: write the value alone, in quotes if it starts with &"}, false},
		{"a tag", head + "match:\n  only_if_changed_paths:\n  - src/**\n  - !src/gen/**\n" + tail, []string{"error 6: tags (!name) are not supported: write the value alone, in quotes if it starts with !"}, false},
		{"a bare star", head + "match:\n  ability_scope: *\n" + tail, []string{`error 4: not YAML: did not find expected alphabetic or numeric character; put a value that starts with * & ! % @ or ` + "`" + ` in quotes, such as "*.go"`}, false},
		{"a bare glob", head + "match:\n  only_if_changed_paths: [*x]\n" + tail, []string{`error : not YAML: unknown anchor 'x' referenced; put a value that starts with * & ! % @ or ` + "`" + ` in quotes, such as "*.go"`}, false},
		{"deep", head + "effects: " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "\n" + tail, []string{"error 3: nested more than 32 deep: write it flat"}, false},
		{"too large", "#" + strings.Repeat("x", 64<<10), []string{"error : larger than 64 KiB: keep what is long in scripts"}, false},
		{"not UTF-8", "id: \xff\n", []string{"error : not YAML: invalid leading UTF-8 octet"}, false},

		{"unknown keys", "Id: b\nevent: x\nmatch:\n  abilty_scope: \"*\"\nwhatever: 1\n" + head + tail, []string{
			"warning 1: unknown key `Id`: did you mean id?", "warning 2: unknown key `event`: did you mean event_type?",
			"warning 4: unknown key `match.abilty_scope`: did you mean ability_scope?", "warning 5: unknown key `whatever`, which does nothing: take it out",
		}, true},
		{"a key twice", head + "enabled: false\nenabled: true\n" + tail, []string{"error 4: enabled is here a second time: take one out"}, false},

		{"no id", "event_type: SessionStop\n" + tail, []string{"error 1: no id: write id: NAME"}, false},
		{"an id that is no file's name", "id: ../x\nevent_type: SessionStop\n" + tail, []string{"error 1: id is `../x`: write 120 letters, digits, dots, hyphens and underscores at most, a letter or digit first"}, false},
		{"no event", "id: a\n" + tail, []string{"error 1: no event_type: write one of " + six}, false},
		{"an unknown event", "id: a\nevent_type:\n- SessionStop\n- Stop\n" + tail, []string{"error 4: unknown event_type `Stop`: write one of " + six}, false},
		{"an event twice", "id: a\nevent_type: [SessionStop, SessionStop]\n" + tail, []string{"warning 2: event_type names SessionStop a second time: take one out"}, true},
		{"enabled in quotes", head + "enabled: \"false\"\n" + tail, []string{"error 3: enabled is `false`: write true or false, without quotes"}, false},
		{"enabled: no", head + "enabled: no\n" + tail, []string{"error 3: enabled is `no`: write true or false, without quotes"}, false},
		{"blocking is a list", head + "blocking: [true]\n" + tail, []string{"error 3: blocking is a list: write true or false, without quotes"}, false},
		{"blocking after the call", "id: a\nevent_type: PostAbilityCall\nblocking: true\n" + tail, []string{"warning 3: blocking does nothing for PostAbilityCall, when all has happened: take it out"}, true},
		{"summary is a mapping", head + "summary: {a: b}\n" + tail, []string{"error 3: summary is a mapping: write one value"}, false},

		{"no handler", head, []string{"error 1: handler.command is missing: write what to run, such as command: ./scripts/hooks/check.sh"}, false},
		{"handler is text", head + "handler: ./x.sh\n", []string{"error 3: handler is one value: write it with indented lines such as command: VALUE"}, false},
		{"another kind", head + "handler:\n  kind: http\n  command: x\n", []string{"error 4: handler.kind is `http`: write script, the only kind there is"}, false},
		{"no command", head + "handler:\n  kind: script\n  command: \" \"\n", []string{"error 5: handler.command is missing: write what to run, such as command: ./scripts/hooks/check.sh"}, false},
		{"command is a list", head + "handler:\n  command: [a, b]\n", []string{"error 4: handler.command is a list: write one value"}, false},
		{"a NUL", head + "handler:\n  command: \"a\\0b\"\n", []string{"error 4: handler.command has a NUL character, which no program can be given: take it out"}, false},

		{"timeout", head + "timeout: soon\n" + tail, []string{"error 3: timeout: `soon` is no time limit: write a duration such as 90s or 2m, or a number of seconds"}, false},
		{"timeout of zero", head + "timeout: 0\n" + tail, []string{"error 3: timeout: `0` is no time limit: write more than zero, or leave it out for the default"}, false},
		{"min_duration_ms", head + "match:\n  min_duration_ms: -1\n" + tail, []string{"error 4: match.min_duration_ms is `-1`: write a number from 0, without quotes"}, false},
		{"min_duration_ms is no number", head + "match:\n  min_duration_ms: .nan\n" + tail, []string{"error 4: match.min_duration_ms is `.nan`: write a number from 0, without quotes"}, false},
		{"a bad glob", head + "match:\n  only_if_changed_paths:\n  - ok\n  - \"a{b\"\n" + tail, []string{"error 6: match.only_if_changed_paths `a{b`: a { without }: close it, or write \\{ for the character itself"}, false},
		{"only negations", head + "match:\n  operation_key: [\"!a\", \"!b\"]\n" + tail, []string{`error 4: match.operation_key: a list of only ! items matches nothing: add "**" before them`}, false},
		{"too many globs", head + "match:\n  ability_scope: [" + strings.Repeat("a,", 257) + "]\n" + tail, []string{"error 4: match.ability_scope has more than 256 items: write fewer, with * and {a,b}"}, false},
		{"match is a list", head + "match: [a]\n" + tail, []string{"error 3: match is a list: write it with indented lines such as only_if_changed_paths: VALUE"}, false},
		{"an empty list", head + "environments: []\n" + tail, []string{"error 3: environments is an empty list: write an item, or leave environments out"}, false},
		{"an empty item", head + "environments: [a, \"\"]\n" + tail, []string{"error 3: environments has an empty item: write a value or take it out"}, false},
		{"a list in a list", head + "environments: [a, [b]]\n" + tail, []string{"error 3: environments has a list as an item: write one value"}, false},
		{"environments is a mapping", head + "environments: {a: b}\n" + tail, []string{"error 3: environments is a mapping: write a list"}, false},
		{"control characters stay out of messages", "\"a\\e[31mb\": x\n" + head + tail, []string{"warning 1: unknown key `ab`, which does nothing: take it out"}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			set := load(t, registry.New(workspace(t, hookFiles(test.content)), ""))
			var got []string
			for _, message := range messages(set.Problems) {
				message = strings.Replace(message, registry.Dir+"/a.yaml:", "", 1)
				got = append(got, strings.Replace(message, "  ", " : ", 1))
			}
			equal(t, "problems", test.want, got)
			if got := len(set.Hooks) > 0; got != test.loaded {
				t.Errorf("loaded %v, want %v", got, test.loaded)
			}
		})
	}
}

func TestManyProblemsAreCut(t *testing.T) {
	t.Parallel()
	set := load(t, registry.New(workspace(t, hookFiles(strings.Repeat("x: 1\n", 150))), ""))
	last := set.Problems[len(set.Problems)-1]
	if got := last.String(); len(set.Problems) != 101 || got != ".system/hooks/a.yaml: and 53 more problems" {
		t.Errorf("%d problems, the last is %q", len(set.Problems), got)
	}
}

// Nobody may hold us up or lead us away by what lies in the directory.
func TestFilesThatAreNone(t *testing.T) {
	t.Parallel()
	dir := workspace(t, map[string]string{"elsewhere": define("x", "SessionStop", "true"), registry.Dir + "/c.yaml/x": ""})
	if err := os.Symlink("../../elsewhere", filepath.Join(dir, registry.Dir, "a.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, registry.Dir, "b.yaml"), 0o644); err != nil {
		t.Fatal(err)
	}
	set := load(t, registry.New(dir, ""))
	equal(t, "problems", []string{
		"error .system/hooks/a.yaml: not a regular file: put the file itself here",
		"error .system/hooks/b.yaml: not a regular file: put the file itself here",
		"error .system/hooks/c.yaml: not a regular file: put the file itself here",
	}, messages(set.Problems))
}

// What the shell would say is said before, and the hook is tried all the same.
func TestScriptsThatCannotRun(t *testing.T) {
	t.Parallel()
	tests := []struct{ command, want string }{
		{"./plain.txt --flag", "error .system/hooks/a.yaml:4: ./plain.txt is not executable: run chmod +x ./plain.txt"},
		{"scripts", ""},
		{"scripts/", "error .system/hooks/a.yaml:4: scripts/ is a directory: write the path of a program"},
		{"./missing.sh", "warning .system/hooks/a.yaml:4: ./missing.sh does not exist"},
		{"scripts/ok.sh", ""},
		{"sh ./plain.txt", ""},
		{"../elsewhere", ""},
		{"/no/such", ""},
		{"X=./missing.sh true", ""},
		{`"./missing.sh"`, ""},
		{"./missing.sh; true", ""},
	}
	for _, test := range tests {
		t.Run(test.command, func(t *testing.T) {
			t.Parallel()
			files := hookFiles(define("a", "SessionStop", test.command))
			files["plain.txt"], files["scripts/ok.sh"] = "", "#!/bin/sh\n"
			set := load(t, registry.New(workspace(t, files), ""))
			equal(t, "problems", test.want, strings.Join(messages(set.Problems), "\n"))
			if len(set.Hooks) != 1 {
				t.Error("the hook is not loaded")
			}
		})
	}
}
